//! Claims about both disks, and about what the simulated one may lose.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;

fn both(claim: impl Fn(&dyn Disk, &Path)) {
    claim(&SimulatedDisk::new(1), Path::new("/simulated"));
    let scratch = tempfile::tempdir().unwrap();
    claim(&RealDisk, &scratch.path().join("real"));
}

#[test]
fn both_disks_behave_alike() {
    both(|disk, directory| {
        disk.create_directory(directory).unwrap();
        disk.create_directory(directory).unwrap();
        let (one, two) = (directory.join("one"), directory.join("two"));
        let file = disk.create_new(&one).unwrap();
        assert_eq!(disk.create_new(&one).err().unwrap().kind(), ErrorKind::AlreadyExists);
        file.write_at(b"hello", 3).unwrap();
        file.sync().unwrap();
        assert_eq!(file.size().unwrap(), 8);
        let mut buffer = [9; 10];
        assert_eq!(file.read_at(&mut buffer, 2).unwrap(), 6);
        assert_eq!(&buffer[..6], b"\0hello");
        assert_eq!(file.read_at(&mut buffer, 100).unwrap(), 0);
        file.set_size(4).unwrap();
        disk.rename(&one, &two).unwrap();
        disk.sync_directory(directory).unwrap();
        assert_eq!(disk.list(directory).unwrap(), ["two"]);
        assert!(disk.exists(&two).unwrap() && !disk.exists(&one).unwrap());
        let reader = disk.open(&two, Access::Read).unwrap();
        assert_eq!(reader.size().unwrap(), 4);
        disk.remove(&two).unwrap();
        assert_eq!(reader.size().unwrap(), 4, "an open handle outlives the name");
        assert_eq!(disk.open(&two, Access::Read).err().unwrap().kind(), ErrorKind::NotFound);
        assert_eq!(disk.remove(&two).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(disk.list(&directory.join("no")).unwrap_err().kind(), ErrorKind::NotFound);
    });
}

#[test]
fn files_and_directories_are_their_owners_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let inner = scratch.path().join("a/b");
    RealDisk.create_directory(&inner).unwrap();
    RealDisk.create_new(&inner.join("file")).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&scratch.path().join("a")), 0o700);
    assert_eq!(mode(&inner), 0o700);
    assert_eq!(mode(&inner.join("file")), 0o600);
}

#[test]
fn a_link_in_the_place_of_a_file_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let (file, link) = (scratch.path().join("file"), scratch.path().join("link"));
    RealDisk.create_new(&file).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let refused = RealDisk.open(&link, Access::Write).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::InvalidInput);
    assert_eq!(RealDisk.create_new(&link).err().unwrap().kind(), ErrorKind::AlreadyExists);
    assert!(RealDisk.open(scratch.path(), Access::Read).is_err(), "nor is a directory a file");
}

fn with_file(seed: u64) -> (SimulatedDisk, Arc<dyn File>, PathBuf) {
    let disk = SimulatedDisk::new(seed);
    disk.create_directory(Path::new("/d")).unwrap();
    let path = PathBuf::from("/d/file");
    let file = disk.create_new(&path).unwrap();
    file.write_at(&[1; 2000], 0).unwrap();
    file.sync().unwrap();
    disk.sync_directory(Path::new("/d")).unwrap();
    (disk, file, path)
}

#[test]
fn what_was_synced_survives_and_what_was_not_may_be_lost_torn_or_kept() {
    let mut outcomes = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let (disk, file, path) = with_file(seed);
        file.write_at(&[2; 1500], 100).unwrap();
        disk.crash();
        let contents = disk.contents(&path).unwrap();
        assert_eq!(contents.len(), 2000);
        assert!(contents[..100].iter().chain(&contents[1600..]).all(|&byte| byte == 1));
        outcomes.insert(contents);
    }
    assert!(outcomes.contains(&vec![1; 2000]), "dropped");
    assert!(outcomes.len() > 20, "torn in many ways: {}", outcomes.len());
}

#[test]
fn later_writes_may_survive_earlier_ones_but_never_swap_within_a_sector() {
    let mut reordered = 0;
    for seed in 0..200 {
        let (disk, file, path) = with_file(seed);
        file.write_at(&[2; 10], 0).unwrap();
        file.write_at(&[3; 10], 1000).unwrap();
        file.write_at(&[4; 10], 0).unwrap();
        disk.crash();
        let contents = disk.contents(&path).unwrap();
        reordered += u32::from(contents[1000] == 3 && contents[0] == 1);
        assert!(contents[..10].is_sorted_by(|a, b| a >= b), "a prefix of 4 over 2 over 1");
    }
    assert!(reordered > 0, "{reordered}");
}

#[test]
fn a_name_is_durable_only_when_its_directory_was_synced() {
    let mut kept = 0;
    for seed in 0..100 {
        let (disk, _, path) = with_file(seed);
        disk.rename(&path, Path::new("/d/new")).unwrap();
        disk.crash();
        let names = disk.list(Path::new("/d")).unwrap();
        assert!(names == ["file"] || names == ["new"]);
        kept += u32::from(names == ["new"]);
    }
    assert!((10..90).contains(&kept), "{kept}");
}

#[test]
fn a_failed_sync_forgets_what_it_did_not_keep() {
    let mut lost = 0;
    for seed in 0..50 {
        let (disk, file, path) = with_file(seed);
        file.write_at(&[2; 600], 0).unwrap();
        disk.fail_nth(Operation::Sync, 1, EIO);
        file.sync().unwrap_err();
        file.sync().unwrap();
        disk.crash();
        lost += u32::from(disk.contents(&path).unwrap()[..600] != [2; 600]);
    }
    assert!(lost > 10, "{lost}");
}

#[test]
fn a_full_disk_takes_a_part_and_says_so() {
    let (disk, file, path) = with_file(1);
    disk.set_capacity(Some(2100));
    assert!(is_full(&file.write_at(&[5; 500], 2000).unwrap_err()));
    assert_eq!(disk.contents(&path).unwrap().len(), 2100);
    file.write_at(&[5; 500], 0).unwrap();
    assert_eq!(disk.used_bytes(), 2100);
}

#[test]
fn the_same_seed_gives_the_same_disk() {
    let run = |seed| {
        let (disk, file, path) = with_file(seed);
        for number in 0..20 {
            file.write_at(&[number; 700], u64::from(number) * 300).unwrap();
        }
        disk.crash();
        disk.contents(&path).unwrap()
    };
    assert_eq!(run(7), run(7));
    assert!((0..20).any(|seed| run(seed) != run(7)));
}

#[test]
fn no_handle_works_while_the_power_is_off_or_after_a_crash() {
    let (disk, file, path) = with_file(3);
    disk.power_off_at(disk.steps() + 1);
    file.write_at(b"x", 0).unwrap_err();
    assert!(disk.open(&path, Access::Read).is_err() && file.size().is_err());
    disk.crash();
    assert!(file.size().is_err());
    assert_eq!(disk.open(&path, Access::Read).unwrap().size().unwrap(), 2000);
}
