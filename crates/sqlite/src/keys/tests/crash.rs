use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use super::*;

const BATCH_ROWS: u32 = 200;

/// The file and its log as they are now, put where nobody holds them: what a kill would leave.
fn as_a_kill_would_leave_it(place: &Place) -> Place {
    let copy = Place::new();
    fs::copy(place.path(), copy.path()).unwrap();
    let log = place.folder.path().join("users.keys-wal");
    fs::copy(log, copy.folder.path().join("users.keys-wal")).unwrap();
    copy
}

#[test]
fn a_kill_within_a_transaction_leaves_the_commit_before_it() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1"), row(b"b", b"1")]);
    let mut writing = file.begin().unwrap();
    let big = vec![9; 60_000];
    // More than the cache holds, so that pages of the open transaction reach the log.
    for number in 0..200_u32 {
        writing.put(&row(&number.to_be_bytes(), &big), Below::Absent).unwrap();
    }
    writing.delete(b"a").unwrap();
    let copy = as_a_kill_would_leave_it(&place);
    let recovered = copy.file();
    assert_eq!((recovered.applied(), recovered.rows()), (1, 2));
    assert_eq!(copy.read(b"a").unwrap().value, b"1");
    assert!(sound(&recovered));
}

#[test]
fn a_log_cut_anywhere_leaves_a_whole_prefix_of_commits() {
    let place = Place::new();
    let mut file = place.file();
    for number in 0..20_u32 {
        put(&mut file, &[row(&number.to_be_bytes(), b"x")]);
    }
    let log = fs::read(place.folder.path().join("users.keys-wal")).unwrap();
    for length in (0..log.len()).step_by(log.len() / 30) {
        let copy = Place::new();
        fs::copy(place.path(), copy.path()).unwrap();
        fs::write(copy.folder.path().join("users.keys-wal"), &log[..length]).unwrap();
        let recovered = copy.file();
        assert_eq!(recovered.applied(), recovered.rows(), "cut at {length}");
        assert!(sound(&recovered));
    }
}

/// INV-04 for this file: the rows and the sequence that says how far the log has been applied
/// are never apart, so replaying from there is exactly once.
#[test]
fn a_killed_process_keeps_what_it_has_acknowledged_and_nothing_by_halves() {
    let place = Place::new();
    for round in 0..3 {
        let mut child = writer(&place);
        let output = BufReader::new(child.stdout.take().unwrap());
        let acknowledged = output
            .lines()
            .map(Result::unwrap)
            .filter_map(|line| line.strip_prefix("acknowledged ")?.parse::<u64>().ok())
            .nth(6)
            .unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let file = place.file();
        assert!(file.applied() >= acknowledged, "round {round}");
        assert_eq!(file.rows(), u64::from(BATCH_ROWS));
        let rows = place.reader().range(&Range::prefix(b""), true, usize::MAX).unwrap();
        assert!(rows.iter().all(|row| row.version == file.applied()), "round {round}");
        assert!(sound(&file));
    }
}

fn writer(place: &Place) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "keys::tests::crash::a_process_to_be_killed", "--nocapture"])
        .env("DWELL_TEST_WRITER", place.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Rewrites all rows in each transaction, until it is killed.
#[test]
fn a_process_to_be_killed() {
    let Some(path) = std::env::var_os("DWELL_TEST_WRITER") else { return };
    let mut file = KeysFile::open(Path::new(&path), &identity()).unwrap();
    let value = [3; 1000];
    // It ends by itself should its parent die first.
    for _ in 0..100_000 {
        let applied = file.applied() + 1;
        let mut writing = file.begin().unwrap();
        for number in 0..BATCH_ROWS {
            let key = number.to_be_bytes();
            let row = RowRef { version: applied, ..row(&key, &value) };
            writing.put(&row, Below::Unknown).unwrap();
        }
        writing.commit(applied).unwrap();
        if writeln!(std::io::stdout(), "\nacknowledged {applied}").is_err() {
            return;
        }
        if applied.is_multiple_of(3) {
            file.checkpoint(false).unwrap();
        }
    }
}
