//! Claims about records as bytes.

use super::super::record::{RECORD_HEADER_BYTES, RecordRef, Salt, verify};
use super::*;

const HEAD: RecordHead =
    RecordHead { sequence: Sequence::new(3, 9), time_ms: 1_234, raw_ms: -5, flags: Flags::BARRIER };

fn sealed(effects: &[u8], salt: Salt) -> Vec<u8> {
    let mut buffer = Vec::new();
    let record = RecordBuilder::begin(&mut buffer, &HEAD, &[1, u32::MAX]);
    buffer.extend_from_slice(effects);
    record.end(&mut buffer).unwrap();
    seal(&mut buffer, salt).unwrap();
    buffer
}

#[test]
fn a_record_reads_back_as_it_was_written() {
    let buffer = sealed(b"effects", LINEAGE.salt());
    let head = verify(&buffer, LINEAGE.salt()).unwrap();
    let record = RecordRef::of_verified(head, &buffer).unwrap();
    assert_eq!(record.head(), HEAD);
    assert_eq!(record.namespaces().collect::<Vec<_>>(), [1, u32::MAX]);
    assert_eq!(record.effects(), b"effects");
    assert_eq!(record.size_bytes(), RECORD_HEADER_BYTES + 8 + 7);
}

#[test]
fn the_layout_is_the_documented_one() {
    let buffer = sealed(b"xyz", LINEAGE.salt());
    assert_eq!(buffer[..4], 47_u32.to_le_bytes());
    assert_eq!(buffer[8..16], ((3_u64 << 48) | 9).to_le_bytes());
    assert_eq!(buffer[16..24], 1_234_u64.to_le_bytes());
    assert_eq!(buffer[24..32], (-5_i64).to_le_bytes());
    assert_eq!(buffer[32..34], 2_u16.to_le_bytes());
    assert_eq!(buffer[34..36], 2_u16.to_le_bytes());
    assert_eq!(buffer[36..40], 1_u32.to_le_bytes());
    assert_eq!(buffer[40..44], u32::MAX.to_le_bytes());
    assert_eq!(&buffer[44..], b"xyz");
}

#[test]
fn any_changed_bit_is_noticed() {
    let whole = sealed(b"effects", LINEAGE.salt());
    for bit in 0..whole.len() * 8 {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(verify(&changed, LINEAGE.salt()).is_err(), "bit {bit}");
    }
}

#[test]
fn any_cut_is_noticed() {
    let whole = sealed(b"effects", LINEAGE.salt());
    for length in 0..whole.len() {
        assert!(verify(&whole[..length], LINEAGE.salt()).is_err(), "length {length}");
    }
}

#[test]
fn a_record_of_another_lineage_is_none() {
    let other = Lineage([9; 16]);
    assert!(verify(&sealed(b"effects", other.salt()), LINEAGE.salt()).is_err());
}

#[test]
fn sealing_anything_but_records_is_refused() {
    let mut whole = sealed(b"effects", LINEAGE.salt());
    whole.push(0);
    assert!(matches!(seal(&mut whole, LINEAGE.salt()), Err(LogError::Malformed)));
}

#[test]
fn an_abandoned_record_leaves_the_buffer_as_it_was() {
    let mut buffer = sealed(b"first", LINEAGE.salt());
    let before = buffer.clone();
    let record = RecordBuilder::begin(&mut buffer, &HEAD, &[1]);
    buffer.extend_from_slice(b"more");
    record.abandon(&mut buffer);
    assert_eq!(buffer, before);
}

#[test]
fn sequences_are_ordered_by_epoch_and_then_by_counter() {
    let sequence = Sequence::new(1, 5);
    assert_eq!((sequence.epoch(), sequence.counter()), (1, 5));
    assert!(Sequence::new(0, 9) < sequence && sequence < sequence.next());
    assert_eq!(sequence.next_epoch(), Some(Sequence::new(2, 0)));
    assert_eq!(Sequence::new(u16::MAX, 5).next_epoch(), None);
    assert_eq!(sequence.to_string(), "1.5");
}
