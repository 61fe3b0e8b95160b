//! Claims on the machine's own files: that the real disk carries what the simulated one promises.

use std::os::unix::fs::PermissionsExt;

use parking_lot::Mutex;

use super::*;
use crate::disk::RealDisk;

#[test]
fn threads_that_write_sync_roll_and_remove_leave_one_whole_history() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path().join("instance/log");
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let (log, _) = Log::open(Arc::clone(&disk), &directory, &options()).unwrap();
    let turn = Mutex::new(());
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let (log, turn) = (&log, &turn);
            scope.spawn(move || {
                for number in 0..100_u8 {
                    let sequence = {
                        let _turn = turn.lock();
                        append(log, &[thread, number]).unwrap()
                    };
                    if number % 10 == 0 {
                        assert!(log.sync(sequence).unwrap() >= sequence);
                    }
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..20 {
                log.prepare_spare().unwrap();
                log.roll().unwrap();
                log.remove_before(Sequence::new(0, 40)).unwrap();
                log.restore_reserve().unwrap();
                log.release_reserve().unwrap();
            }
        });
    });
    let written = log.written();
    assert_eq!(written, Sequence::new(0, 400));
    let recent = drain(&mut log.records(Sequence::new(0, 40)).unwrap()).unwrap();
    assert_eq!(recent.len(), 361);
    log.close(Sequence::NONE, 0, NOW_MS).unwrap();
    let (log, recovery) = Log::open(disk, &directory, &options()).unwrap();
    assert!(recovery.was_clean && recovery.tail.is_none());
    assert_eq!(drain(&mut log.records(Sequence::new(0, 40)).unwrap()).unwrap(), recent);
}

#[test]
fn a_cut_file_opens_without_its_last_record_and_all_files_are_private() {
    // LOG-01
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path().join("log");
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let (log, _) = Log::open(Arc::clone(&disk), &directory, &options()).unwrap();
    for effects in [b"one", b"two", b"six"] {
        append(&log, effects).unwrap();
    }
    let (path, size_bytes) = (newest_segment(&log), log.size_bytes());
    drop(log);
    std::fs::File::options().write(true).open(&path).unwrap().set_len(size_bytes - 5).unwrap();
    let (log, recovery) = Log::open(disk, &directory, &options()).unwrap();
    assert_eq!(recovery.tail.unwrap().file, path);
    assert_eq!(effects_of(&log), [b"one", b"two"]);
    for name in std::fs::read_dir(&directory).unwrap() {
        let mode = name.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
