use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use rusqlite::Connection;

use super::*;

#[test]
fn a_new_file_is_empty_and_at_sequence_zero() {
    let place = Place::new();
    let file = place.file();
    assert_eq!((file.applied(), file.rows()), (0, 0));
    assert!(sound(&file));
}

#[test]
fn a_file_keeps_its_rows_its_sequence_and_its_identity() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1"), row(b"b", b"2")]);
    file.close().unwrap();
    let file = place.file();
    assert_eq!((file.applied(), file.rows()), (1, 2));
    assert_eq!(place.read(b"b").unwrap().value, b"2");
    assert_eq!(place.reader().identity().unwrap(), identity());
}

#[test]
fn a_sequence_of_sixty_four_bits_comes_back() {
    let place = Place::new();
    let mut file = place.file();
    let mut writing = file.begin().unwrap();
    writing.put(&RowRef { version: u64::MAX, ..row(b"a", b"") }, Below::Absent).unwrap();
    writing.commit(u64::MAX - 1).unwrap();
    file.close().unwrap();
    assert_eq!(place.file().applied(), u64::MAX - 1);
    assert_eq!(place.reader().applied().unwrap(), u64::MAX - 1);
    assert_eq!(place.read(b"a").unwrap().version, u64::MAX);
}

#[test]
fn a_reader_of_no_file_is_none_and_makes_none() {
    let place = Place::new();
    assert!(KeysReader::open(&place.path()).unwrap().is_none());
    assert!(!place.path().exists());
}

#[test]
fn closing_leaves_one_file() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1")]);
    file.close().unwrap();
    let names: Vec<_> = fs::read_dir(place.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["users.keys"]);
}

#[test]
fn a_file_and_its_log_are_private_whatever_the_umask() {
    if let Some(folder) = std::env::var_os("DWELL_TEST_FOLDER") {
        let path = PathBuf::from(folder).join("users.keys");
        let mut file = KeysFile::open(&path, &identity()).unwrap();
        put(&mut file, &[row(b"a", b"1")]);
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&path.with_extension("keys-wal")), 0o600);
        return;
    }
    // The umask belongs to the process, so each is tried in a process of its own.
    for umask in ["000", "022", "0277"] {
        let place = Place::new();
        let name = "keys::tests::opening::a_file_and_its_log_are_private_whatever_the_umask";
        let status = Command::new("sh")
            .args(["-c", &format!("umask {umask}; exec \"$0\" --exact {name}")])
            .arg(std::env::current_exe().unwrap())
            .env("DWELL_TEST_FOLDER", place.folder.path())
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "umask {umask}");
    }
}

#[test]
fn a_symbolic_link_is_refused_and_its_target_left_alone() {
    let place = Place::new();
    let target = place.folder.path().join("target");
    fs::write(&target, b"precious").unwrap();
    symlink(&target, place.path()).unwrap();
    let refused = KeysFile::open(&place.path(), &identity()).unwrap_err();
    assert!(matches!(refused, Error::NotPlain { .. }), "{refused}");
    assert!(matches!(KeysReader::open(&place.path()), Err(Error::NotPlain { .. })));
    assert_eq!(fs::read(&target).unwrap(), b"precious");
}

#[test]
fn a_link_that_leads_nowhere_is_refused_too() {
    let place = Place::new();
    symlink(place.folder.path().join("nowhere"), place.path()).unwrap();
    assert!(matches!(KeysFile::open(&place.path(), &identity()), Err(Error::NotPlain { .. })));
    assert!(!place.folder.path().join("nowhere").exists());
}

#[test]
fn a_folder_reached_by_a_link_is_fine() {
    let place = Place::new();
    let link = place.folder.path().join("link");
    fs::create_dir(place.folder.path().join("real")).unwrap();
    symlink("real", &link).unwrap();
    let file = KeysFile::open(&link.join("users.keys"), &identity()).unwrap();
    assert!(file.path().ends_with("real/users.keys"));
}

#[test]
fn another_namespace_or_lineage_is_refused_by_name() {
    let place = Place::new();
    place.file().close().unwrap();
    let other = Identity { namespace: b"orders".to_vec(), ..identity() };
    let refused = KeysFile::open(&place.path(), &other).unwrap_err();
    assert!(matches!(refused, Error::Foreign { part: "namespace", .. }), "{refused}");
    let other = Identity { lineage: [8; 16], ..identity() };
    let refused = KeysFile::open(&place.path(), &other).unwrap_err();
    assert!(matches!(refused, Error::Foreign { part: "lineage", .. }), "{refused}");
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let place = Place::new();
    place.file().close().unwrap();
    let stranger = Connection::open(place.path()).unwrap();
    stranger.execute_batch("PRAGMA user_version = 2").unwrap();
    drop(stranger);
    for refused in [
        KeysFile::open(&place.path(), &identity()).unwrap_err(),
        KeysReader::open(&place.path()).unwrap_err(),
    ] {
        assert!(matches!(refused, Error::TooNew { found: 2, known: 1, .. }), "{refused}");
    }
}

#[test]
fn what_is_no_keys_file_is_corrupt_and_stays_as_it_is() {
    let place = Place::new();
    let sqlite = place.folder.path().join("other");
    Connection::open(&sqlite).unwrap().execute_batch("CREATE TABLE t(a)").unwrap();
    let contents = [
        Vec::new(),
        b"hello".to_vec(),
        vec![0; 100_000],
        vec![0xff; 4096],
        fs::read(sqlite).unwrap(),
    ];
    for content in contents {
        fs::write(place.path(), &content).unwrap();
        let refused = KeysFile::open(&place.path(), &identity()).unwrap_err();
        assert!(matches!(refused, Error::Corrupt { .. }), "{refused}");
        let refused = KeysReader::open(&place.path()).unwrap_err();
        assert!(matches!(refused, Error::Corrupt { .. }), "{refused}");
        assert_eq!(fs::read(place.path()).unwrap(), content);
    }
}

#[test]
fn a_file_cut_anywhere_is_never_taken_for_an_empty_one() {
    let place = Place::new();
    let mut file = place.file();
    let value = [1; 500];
    let names: Vec<[u8; 4]> = (0..2000_u32).map(u32::to_be_bytes).collect();
    put(&mut file, &names.iter().map(|key| row(key, &value)).collect::<Vec<_>>());
    file.close().unwrap();
    let whole = fs::read(place.path()).unwrap();
    for length in [0, 1, 99, 100, 4096, 8192, 16384, 40960, whole.len() / 2, whole.len() - 1] {
        fs::write(place.path(), &whole[..length]).unwrap();
        let refused = KeysFile::open(&place.path(), &identity()).unwrap_err();
        assert!(matches!(refused, Error::Corrupt { .. }), "{length}: {refused}");
    }
}

#[test]
fn damage_anywhere_is_an_error_or_harmless_and_never_a_panic() {
    let place = Place::new();
    let mut file = place.file();
    let names: Vec<[u8; 2]> = (0..400_u16).map(u16::to_be_bytes).collect();
    put(&mut file, &names.iter().map(|key| due(key, 5, false)).collect::<Vec<_>>());
    file.close().unwrap();
    let whole = fs::read(place.path()).unwrap();
    let mut refusals = 0;
    for position in (0..400).chain((400..whole.len()).step_by(397)) {
        let mut damaged = whole.clone();
        damaged[position] ^= 0xff;
        fs::write(place.path(), &damaged).unwrap();
        refusals += usize::from(exercise(&place).is_err());
        for left in ["-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(crate::place::beside(&place.path(), left));
        }
    }
    assert!(refusals > 50, "{refusals}");
}

/// All that a damaged file may be asked to do.
fn exercise(place: &Place) -> crate::Result<()> {
    let mut reader = KeysReader::open(&place.path())?.unwrap();
    reader.range(&Range::prefix(b""), false, usize::MAX)?;
    reader.expired(9, 9, usize::MAX)?;
    reader.any(1)?;
    let mut file = KeysFile::open(&place.path(), &identity())?;
    file.integrity()?;
    let mut writing = file.begin()?;
    writing.delete(&[0, 1])?;
    writing.put(&row(b"new", b"1"), Below::Unknown)?;
    writing.clear()?;
    writing.commit(2)?;
    file.close()
}

#[test]
fn a_missing_file_whose_log_is_there_is_not_made_anew() {
    let place = Place::new();
    fs::write(place.folder.path().join("users.keys-wal"), b"frames").unwrap();
    let refused = KeysFile::open(&place.path(), &identity()).unwrap_err();
    assert!(matches!(refused, Error::Corrupt { .. }), "{refused}");
}

#[test]
fn what_a_kill_left_of_a_birth_is_in_nobodys_way() {
    let place = Place::new();
    fs::write(place.folder.path().join("users.keys.new"), b"half").unwrap();
    fs::write(place.folder.path().join("users.keys.new-journal"), b"half").unwrap();
    assert_eq!(place.file().rows(), 0);
    assert!(!place.folder.path().join("users.keys.new").exists());
}

#[test]
fn a_file_in_a_folder_that_is_missing_names_the_folder() {
    let place = Place::new();
    let path = place.folder.path().join("missing/users.keys");
    let refused = KeysFile::open(&path, &identity()).unwrap_err();
    assert!(matches!(&refused, Error::Io { path, .. } if path.ends_with("missing")), "{refused}");
}

/// INV-07 on one machine.
#[cfg(target_os = "linux")]
#[test]
fn a_second_writer_is_refused_until_the_first_has_closed() {
    let place = Place::new();
    let file = place.file();
    assert_eq!(KeysFile::open(&place.path(), &identity()).unwrap_err(), Error::Busy);
    file.close().unwrap();
    place.file().close().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_stranger_in_the_process_can_neither_read_nor_remove_the_log() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1")]);
    // Both drop every POSIX lock that the process holds on the file.
    fs::read(place.path()).unwrap();
    let stranger = Connection::open(place.path()).unwrap();
    // The same library shares its locks with ours within the process, so another one is played
    // by a process of its own; there is no `sqlite3` program to rely upon.
    drop(stranger);
    let status = in_another_process(&place.path());
    assert!(status.success());
    put(&mut file, &[row(b"b", b"2")]);
    drop(file);
    assert_eq!(place.file().rows(), 2);
}

#[cfg(target_os = "linux")]
fn in_another_process(path: &Path) -> std::process::ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "keys::tests::opening::a_stranger_is_told_that_the_file_is_locked"])
        .env("DWELL_TEST_STRANGER", path)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_stranger_is_told_that_the_file_is_locked() {
    let Some(path) = std::env::var_os("DWELL_TEST_STRANGER") else { return };
    let stranger = Connection::open(path).unwrap();
    stranger.busy_timeout(std::time::Duration::ZERO).unwrap();
    let refused = stranger.query_row("SELECT count(*) FROM keys", [], |row| row.get::<_, i64>(0));
    let code = refused.unwrap_err().sqlite_error_code();
    assert_eq!(code, Some(rusqlite::ErrorCode::DatabaseBusy));
}
