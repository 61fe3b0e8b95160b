//! Where entries lie: pages of 64 KiB cut into slots of one size each, addressed by a handle of
//! four bytes. A handle costs half a pointer in every table and index, slots have no allocator
//! overhead, and all of it is safe Rust. It does not know what an entry is, except that the
//! first byte of a live one is never `FREE`.

use super::prefetch::prefetch;

/// The address of a slot: page in the upper bits, slot in the lower twelve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(u32);

const PAGE_BYTES: usize = 64 * 1024;
const SLOT_BITS: u32 = 12;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;
const NO_SLOT: u16 = u16::MAX;

/// First byte of a slot that holds nothing.
const FREE: u8 = 0xFF;

/// Slot sizes. Steps of 8 where most entries are, of about an eighth above: at most that much is
/// lost inside a slot.
const SIZES: [u16; 32] = [
    24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 144, 160, 176, 192, 224, 256, 288,
    320, 384, 448, 512, 576, 640, 768, 896, 1024, 2048, 4096,
];

/// Longer entries (those with a long key) get a page of their own size.
const SLOT_BYTES_MAX: usize = 4096;
const OWN_PAGE: u8 = u8::MAX;

impl Handle {
    fn new(page: usize, slot: u32) -> Self {
        Self(((page as u32) << SLOT_BITS) | slot)
    }

    fn page(self) -> usize {
        (self.0 >> SLOT_BITS) as usize
    }

    fn slot(self) -> usize {
        (self.0 & SLOT_MASK) as usize
    }
}

struct Page {
    bytes: Box<[u8]>,
    class: u8,
    /// Slots handed out at least once; the rest has never been touched.
    fresh: u16,
    /// First slot of the list of given-back ones, threaded through their own bytes.
    free: u16,
    live: u16,
}

/// The pages and which of them have room.
pub struct Slab {
    pages: Vec<Page>,
    /// Per size class, the pages with a free slot. A page stands in it at most once.
    roomy: [Vec<u32>; SIZES.len()],
    /// Page numbers whose memory has been given back.
    vacant: Vec<u32>,
    live_bytes: usize,
}

impl Slab {
    /// A slab without a page.
    pub fn new() -> Self {
        Self {
            pages: Vec::new(),
            roomy: std::array::from_fn(|_| Vec::new()),
            vacant: Vec::new(),
            live_bytes: 0,
        }
    }

    /// Bytes of the live slots. Eviction is measured by it: a page comes free only when its last
    /// slot does, but its room is used again at once.
    pub fn live_bytes(&self) -> usize {
        self.live_bytes
    }

    /// Bytes that an entry of `size` takes.
    pub fn footprint(size: usize) -> usize {
        class_of(size).map_or(size, |class| SIZES[class] as usize)
    }

    /// A slot of at least `size` bytes with undefined content; `None` when no more pages can be
    /// addressed.
    pub fn allocate(&mut self, size: usize) -> Option<Handle> {
        let Some(class) = class_of(size) else {
            let page = self.add_page(size, OWN_PAGE)?;
            self.pages[page].live = 1;
            self.pages[page].bytes[0] = 0;
            self.live_bytes += size;
            return Some(Handle::new(page, 0));
        };
        let page = match self.roomy[class].last() {
            Some(&page) => page as usize,
            None => {
                let page = self.add_page(PAGE_BYTES, class as u8)?;
                self.roomy[class].push(page as u32);
                page
            }
        };
        let slot_bytes = SIZES[class] as usize;
        let held = &mut self.pages[page];
        let slot = if held.free == NO_SLOT {
            held.fresh += 1;
            held.fresh - 1
        } else {
            let slot = held.free;
            let at = slot as usize * slot_bytes;
            held.free = u16::from_le_bytes([held.bytes[at + 1], held.bytes[at + 2]]);
            slot
        };
        held.live += 1;
        self.live_bytes += slot_bytes;
        held.bytes[slot as usize * slot_bytes] = 0;
        if held.free == NO_SLOT && held.fresh as usize == PAGE_BYTES / slot_bytes {
            self.roomy[class].pop();
        }
        Some(Handle::new(page, u32::from(slot)))
    }

    /// Gives a slot back.
    pub fn release(&mut self, handle: Handle) {
        let page = handle.page();
        let held = &mut self.pages[page];
        held.live -= 1;
        if held.class == OWN_PAGE {
            self.live_bytes -= held.bytes.len();
            self.drop_page(page);
            return;
        }
        let class = held.class as usize;
        let slot_bytes = SIZES[class] as usize;
        self.live_bytes -= slot_bytes;
        let was_full = held.free == NO_SLOT && held.fresh as usize == PAGE_BYTES / slot_bytes;
        let at = handle.slot() * slot_bytes;
        held.bytes[at] = FREE;
        held.bytes[at + 1..at + 3].copy_from_slice(&held.free.to_le_bytes());
        held.free = handle.slot() as u16;
        if held.live == 0 && self.roomy[class].len() > 1 {
            // Rare: a whole page went empty while its class has room elsewhere.
            self.roomy[class].retain(|&other| other as usize != page);
            self.drop_page(page);
        } else if was_full {
            self.roomy[class].push(page as u32);
        }
    }

    /// The slot's bytes.
    pub fn get(&self, handle: Handle) -> &[u8] {
        let page = &self.pages[handle.page()];
        let Some(&size) = SIZES.get(page.class as usize) else {
            return &page.bytes;
        };
        let at = handle.slot() * size as usize;
        &page.bytes[at..at + size as usize]
    }

    /// Begins to bring a slot into the processor's cache.
    pub fn prefetch(&self, handle: Handle) {
        prefetch(self.get(handle));
    }

    /// The slot's bytes, to be changed.
    pub fn get_mut(&mut self, handle: Handle) -> &mut [u8] {
        let page = &mut self.pages[handle.page()];
        let Some(&size) = SIZES.get(page.class as usize) else {
            return &mut page.bytes;
        };
        let at = handle.slot() * size as usize;
        &mut page.bytes[at..at + size as usize]
    }

    /// Whether `handle` addresses a live slot. Queues keep handles past an entry's end.
    pub fn is_live(&self, handle: Handle) -> bool {
        let Some(page) = self.pages.get(handle.page()) else {
            return false;
        };
        match SIZES.get(page.class as usize) {
            None => page.live == 1 && handle.slot() == 0,
            Some(&size) => {
                handle.slot() < page.fresh as usize
                    && page.bytes[handle.slot() * size as usize] != FREE
            }
        }
    }

    /// All live slots, page by page.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        let slots = |(page, held): (usize, &Page)| {
            let count = if held.class == OWN_PAGE { 1 } else { u32::from(held.fresh) };
            (0..count).map(move |slot| Handle::new(page, slot))
        };
        let all = self.pages.iter().enumerate().flat_map(slots);
        all.filter(|&handle| self.is_live(handle))
    }

    /// A live slot near a random one, for sampling: `roll` picks the page and the slot.
    pub fn near(&self, roll: u64) -> Option<Handle> {
        if self.pages.is_empty() {
            return None;
        }
        let page = (roll >> 16) as usize % self.pages.len();
        let fresh = u32::from(self.pages[page].fresh.max(1));
        let start = roll as u32 % fresh;
        // Bounded: a page with one live slot in two thousand is passed over, not searched.
        (0..fresh.min(16))
            .map(|step| Handle::new(page, (start + step) % fresh))
            .find(|&handle| self.is_live(handle))
    }

    fn add_page(&mut self, size: usize, class: u8) -> Option<usize> {
        let page = Page {
            bytes: vec![0; size].into_boxed_slice(),
            class,
            fresh: 0,
            free: NO_SLOT,
            live: 0,
        };
        if let Some(number) = self.vacant.pop() {
            self.pages[number as usize] = page;
            return Some(number as usize);
        }
        if self.pages.len() >= 1 << (32 - SLOT_BITS) {
            return None;
        }
        self.pages.push(page);
        Some(self.pages.len() - 1)
    }

    fn drop_page(&mut self, page: usize) {
        let held = &mut self.pages[page];
        held.bytes = Box::default();
        held.fresh = 0;
        held.free = NO_SLOT;
        held.class = OWN_PAGE;
        self.vacant.push(page as u32);
    }
}

fn class_of(size: usize) -> Option<usize> {
    if size > SLOT_BYTES_MAX {
        return None;
    }
    Some(SIZES.partition_point(|&slot| (slot as usize) < size))
}

#[cfg(test)]
mod tests;
