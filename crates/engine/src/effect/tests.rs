//! Claims about the bytes of effects: a round trip, and garbage that ends in an answer.

#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;

use super::*;

fn deadline() -> impl Strategy<Value = Option<Deadline>> {
    proptest::option::of((any::<i64>(), any::<bool>()))
        .prop_map(|one| one.map(|(at_ms, absolute)| Deadline { at_ms, absolute }))
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..300)
}

proptest! {
    #[test]
    fn every_effect_is_read_as_it_was_written(
        key in bytes(),
        data in bytes(),
        deadline in deadline(),
        number in 0u64..1 << 62,
        kind in (0u8..11).prop_map(|byte| Kind::from_byte(byte).unwrap()),
        in_memory in any::<bool>(),
    ) {
        let home = if in_memory { Home::Memory } else { Home::Disk };
        let (key, data) = (&key[..], &data[..]);
        let effects = [
            Effect::Space(NamespaceId::new(number as u32)),
            Effect::Put { key, home, kind, deadline, stored: data },
            Effect::Delete { key },
            Effect::Deadline { key, home, deadline },
            Effect::Patch { key, home, offset: number, data },
            Effect::Spread { key, home, deadline, length: number },
            Effect::Chunk { number: number as u32, data },
            Effect::Clear,
            Effect::Forget,
        ];
        let mut record = Vec::new();
        for effect in &effects {
            effect.encode(&mut record);
        }
        let read: Option<Vec<Effect<'_>>> = Effects(&record).collect();
        prop_assert_eq!(read.unwrap(), effects);
    }

    #[test]
    fn garbage_is_an_answer_and_never_a_panic(garbage in bytes()) {
        for effect in Effects(&garbage) {
            if effect.is_none() {
                break;
            }
        }
    }

    #[test]
    fn an_effect_that_is_cut_short_is_none(key in bytes(), data in bytes(), cut in any::<usize>()) {
        let mut record = Vec::new();
        Effect::Patch { key: &key, home: Home::Disk, offset: 7, data: &data }.encode(&mut record);
        let cut = cut % record.len();
        let read: Vec<_> = Effects(&record[..cut]).collect();
        prop_assert_eq!(read, if cut == 0 { vec![] } else { vec![None] });
    }
}

#[test]
fn a_number_longer_than_63_bits_is_none() {
    let record = [[DELETE].as_slice(), &[0xFF; 10]].concat();
    assert_eq!(Effects(&record).collect::<Vec<_>>(), [None]);
}
