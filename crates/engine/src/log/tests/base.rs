//! Claims about base files.

use super::super::{BaseReader, BaseWriter, bases, remove_incomplete_bases};
use super::*;

const AT: Sequence = Sequence::new(2, 77);

fn base_directory() -> PathBuf {
    PathBuf::from("/instance/base")
}

fn entries() -> Vec<Vec<u8>> {
    (0..300_usize).map(|number| vec![number as u8; (number * 37) % 900]).collect()
}

fn write_base(disk: &SimulatedDisk, entries: &[Vec<u8>]) -> Result<(), LogError> {
    let mut base = BaseWriter::create(shared(disk), &base_directory(), LINEAGE, AT, 99)?;
    for entry in entries {
        base.push(entry)?;
    }
    base.finish().map(|_| ())
}

fn read_base(disk: &SimulatedDisk, path: &Path) -> Result<Vec<Vec<u8>>, LogError> {
    let mut base = BaseReader::open(disk, path)?;
    assert_eq!((base.lineage(), base.sequence(), base.time_ms()), (LINEAGE, AT, 99));
    let mut entries = Vec::new();
    while let Some(entry) = base.next()? {
        entries.push(entry.to_vec());
    }
    assert_eq!(base.next()?, None);
    Ok(entries)
}

#[test]
fn a_base_reads_back_as_it_was_written() {
    for entries in [Vec::new(), vec![Vec::new()], entries(), vec![vec![1; 300_000], vec![2; 3]]] {
        let disk = SimulatedDisk::new(60);
        write_base(&disk, &entries).unwrap();
        disk.crash();
        let found = bases(&disk, &base_directory()).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].sequence, AT);
        assert_eq!(read_base(&disk, &found[0].path).unwrap(), entries);
    }
}

#[test]
fn a_crash_at_any_step_leaves_a_whole_base_or_none() {
    for seed in 0..20 {
        for number in 1.. {
            let disk = SimulatedDisk::new(seed);
            disk.power_off_at(number);
            let result = write_base(&disk, &entries());
            disk.crash();
            remove_incomplete_bases(&disk, &base_directory()).unwrap();
            let found = bases(&disk, &base_directory()).unwrap();
            for base in &found {
                assert_eq!(read_base(&disk, &base.path).unwrap(), entries());
            }
            if result.is_ok() {
                assert_eq!(found.len(), 1, "seed {seed}, step {number}");
                break;
            }
        }
    }
}

#[test]
fn a_full_disk_leaves_no_base_and_no_rest() {
    let disk = SimulatedDisk::new(61);
    disk.set_capacity(Some(1000));
    assert!(matches!(write_base(&disk, &entries()), Err(LogError::Full { .. })));
    assert!(disk.list(&base_directory()).unwrap().is_empty());
}

#[test]
fn a_flipped_byte_anywhere_is_noticed() {
    let disk = SimulatedDisk::new(62);
    let entries = vec![b"one".to_vec(), b"two".to_vec()];
    write_base(&disk, &entries).unwrap();
    let path = bases(&disk, &base_directory()).unwrap()[0].path.clone();
    let size_bytes = disk.contents(&path).unwrap().len();
    for offset in 0..size_bytes {
        flip(&disk, &path, offset);
        assert!(read_base(&disk, &path).is_err(), "offset {offset}");
        flip(&disk, &path, offset);
        let mut cut = disk.contents(&path).unwrap();
        cut.truncate(offset);
        disk.put(Path::new("/instance/base/cut"), cut);
        assert!(read_base(&disk, Path::new("/instance/base/cut")).is_err(), "cut at {offset}");
    }
}

#[test]
fn bases_are_listed_newest_first_and_unfinished_ones_are_removed() {
    let disk = SimulatedDisk::new(63);
    assert!(bases(&disk, &base_directory()).unwrap().is_empty());
    for sequence in [Sequence::new(0, 5), Sequence::new(1, 0), Sequence::new(0, 9)] {
        let base = BaseWriter::create(shared(&disk), &base_directory(), LINEAGE, sequence, 0);
        base.unwrap().finish().unwrap();
    }
    let unfinished = BaseWriter::create(shared(&disk), &base_directory(), LINEAGE, AT, 0).unwrap();
    std::mem::forget(unfinished);
    let found = bases(&disk, &base_directory()).unwrap();
    let sequences: Vec<_> = found.iter().map(|base| base.sequence).collect();
    assert_eq!(sequences, [Sequence::new(1, 0), Sequence::new(0, 9), Sequence::new(0, 5)]);
    assert_eq!(remove_incomplete_bases(&disk, &base_directory()).unwrap(), 1);
    assert_eq!(disk.list(&base_directory()).unwrap().len(), 3);
}
