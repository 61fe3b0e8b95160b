//! Claims about names and numbers: durable when given, the same for ever, damage named.

#![allow(clippy::unwrap_used, missing_docs)]

use super::*;
use crate::disk::SimulatedDisk;

fn disk() -> (SimulatedDisk, PathBuf) {
    let disk = SimulatedDisk::new(1);
    let directory = PathBuf::from("/instance");
    disk.create_directory(&directory).unwrap();
    (disk, directory)
}

#[test]
fn a_number_survives_a_power_loss_and_is_never_given_twice() {
    let (disk, directory) = disk();
    for round in 0..20u32 {
        let mut registry = Registry::open(&disk, &directory).unwrap();
        assert_eq!(registry.names().count() as u32, round);
        for before in 0..round {
            let name = format!("name{before}").into_bytes();
            assert_eq!(registry.find(&name), Some(NamespaceId::new(before)));
        }
        let name = format!("name{round}").into_bytes();
        assert_eq!(registry.register(&name).unwrap(), NamespaceId::new(round));
        assert_eq!(registry.register(&name).unwrap(), NamespaceId::new(round));
        disk.crash();
    }
}

#[test]
fn a_torn_last_name_is_given_its_number_again() {
    let (disk, directory) = disk();
    Registry::open(&disk, &directory).unwrap().register(b"whole").unwrap();
    let path = directory.join(FILE);
    let mut bytes = disk.contents(&path).unwrap();
    bytes.extend_from_slice(&[9, 0, 0, 0, 1]);
    disk.put(&path, bytes);
    let mut registry = Registry::open(&disk, &directory).unwrap();
    assert_eq!(registry.register(b"next").unwrap(), NamespaceId::new(1));
    let again = Registry::open(&disk, &directory).unwrap();
    assert_eq!(again.find(b"next"), Some(NamespaceId::new(1)));
}

#[test]
fn damage_before_the_last_name_is_named() {
    let (disk, directory) = disk();
    let mut registry = Registry::open(&disk, &directory).unwrap();
    for number in 0..40 {
        registry.register(format!("{number}{}", "x".repeat(200)).as_bytes()).unwrap();
    }
    let path = directory.join(FILE);
    let mut bytes = disk.contents(&path).unwrap();
    bytes[20] ^= 1;
    disk.put(&path, bytes);
    let error = Registry::open(&disk, &directory).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Corrupt);
    assert!(error.message.ends_with("at offset 0"), "{error}");
}

#[test]
fn damage_is_not_taken_for_a_torn_name_while_a_whole_one_follows() {
    let (disk, directory) = disk();
    let mut registry = Registry::open(&disk, &directory).unwrap();
    let names = [&b"one"[..], b"", b"three"];
    for name in names {
        registry.register(name).unwrap();
    }
    let path = directory.join(FILE);
    let whole = disk.contents(&path).unwrap();
    let last = whole.len() - (ENTRY_HEADER_BYTES + b"three".len());
    for at in 0..last {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        disk.put(&path, bytes);
        assert_eq!(Registry::open(&disk, &directory).err().unwrap().kind, ErrorKind::Corrupt);
    }
    // A torn last name is cut, zeros that stand in its place are too.
    for end in last..whole.len() {
        let mut bytes = whole[..end].to_vec();
        bytes.resize(whole.len(), 0);
        disk.put(&path, bytes);
        assert_eq!(Registry::open(&disk, &directory).unwrap().names().count(), 2, "cut at {end}");
        assert_eq!(disk.contents(&path).unwrap().len(), last);
    }
}

#[test]
fn a_name_that_is_too_long_is_refused() {
    let mut registry = Registry::in_memory();
    assert_eq!(registry.register(&[1; 1025]).unwrap_err().kind, ErrorKind::Invalid);
    assert!(registry.register(&[1; 1024]).is_ok());
}
