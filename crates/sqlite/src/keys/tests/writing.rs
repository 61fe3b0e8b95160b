use super::*;

#[test]
fn the_count_is_exact_under_every_hint() {
    for present in [false, true] {
        for below in [Below::Absent, Below::Present, Below::Unknown] {
            let place = Place::new();
            let mut file = place.file();
            if present {
                put(&mut file, &[row(b"a", b"old")]);
            }
            let mut writing = file.begin().unwrap();
            writing.put(&row(b"a", b"new"), below).unwrap();
            writing.commit(5).unwrap();
            assert_eq!(file.rows(), 1, "{present} {below:?}");
            assert_eq!(place.read(b"a").unwrap().value, b"new", "{present} {below:?}");
            assert!(sound(&file));
        }
    }
}

#[test]
fn every_column_comes_back_and_is_replaced() {
    let place = Place::new();
    let mut file = place.file();
    let first = Row {
        key: b"k".to_vec(),
        kind: 255,
        version: 1 << 63,
        deadline: Some(Deadline { at_ms: -5, absolute: true }),
        length: Some(1 << 40),
        value: vec![0, 1, 2],
    };
    put(&mut file, &[first.as_ref()]);
    assert_eq!(place.read(b"k"), Some(first.clone()));
    let second = Row { kind: 0, version: 2, deadline: None, length: None, value: vec![], ..first };
    put(&mut file, &[second.as_ref()]);
    assert_eq!(place.read(b"k"), Some(second));
}

#[test]
fn keys_are_any_bytes_from_none_to_64_kib() {
    let place = Place::new();
    let mut file = place.file();
    let long = vec![0xff; 65_536];
    let all: [&[u8]; 6] = [b"", b"\0", b"\0\0", b"a\0b", "ключ".as_bytes(), &long];
    put(&mut file, &all.map(|key| row(key, key)));
    for key in all {
        assert_eq!(place.read(key).unwrap().value, key);
    }
    assert_eq!(file.rows(), 6);
    let mut writing = file.begin().unwrap();
    assert!(writing.delete(b"").unwrap());
    assert!(writing.delete(&long).unwrap());
    writing.commit(2).unwrap();
    assert_eq!((file.rows(), place.read(b"")), (4, None));
}

#[test]
fn deleting_says_whether_there_was_a_row() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1")]);
    let mut writing = file.begin().unwrap();
    assert!(writing.delete(b"a").unwrap());
    assert!(!writing.delete(b"a").unwrap());
    writing.commit(2).unwrap();
    assert_eq!((file.rows(), place.read(b"a")), (0, None));
}

#[test]
fn five_hundred_and_twelve_chunks_come_back_and_are_cut() {
    let place = Place::new();
    let mut file = place.file();
    let chunk = |number: u32| number.to_le_bytes().repeat(1000);
    let mut writing = file.begin().unwrap();
    writing.put(&RowRef { length: Some(512 * 4000), ..row(b"big", b"") }, Below::Absent).unwrap();
    writing.put_chunk(b"other", 0, b"untouched").unwrap();
    for number in (0..512).rev() {
        writing.put_chunk(b"big", number, &chunk(number)).unwrap();
    }
    writing.put_chunk(b"big", 7, b"replaced").unwrap();
    writing.commit(1).unwrap();
    let mut reader = place.reader();
    assert_eq!(reader.chunk(b"big", 7).unwrap().unwrap(), b"replaced");
    assert_eq!(reader.chunk(b"big", 511).unwrap().unwrap(), chunk(511));
    assert_eq!(reader.chunk(b"big", 512).unwrap(), None);
    assert_eq!(reader.get(b"big").unwrap().unwrap().length, Some(512 * 4000));

    let mut writing = file.begin().unwrap();
    writing.delete_chunks(b"big", 100).unwrap();
    writing.commit(2).unwrap();
    assert_eq!(reader.chunk(b"big", 99).unwrap().unwrap(), chunk(99));
    assert_eq!(reader.chunk(b"big", 100).unwrap(), None);

    let mut writing = file.begin().unwrap();
    assert!(writing.delete(b"big").unwrap());
    writing.commit(3).unwrap();
    assert_eq!(reader.chunk(b"big", 0).unwrap(), None);
    assert_eq!(reader.chunk(b"other", 0).unwrap().unwrap(), b"untouched");
    assert!(sound(&file));
}

#[test]
fn clearing_takes_rows_chunks_and_deadlines() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1"), due(b"b", 1, false)]);
    let mut writing = file.begin().unwrap();
    writing.put_chunk(b"a", 0, b"chunk").unwrap();
    writing.clear().unwrap();
    writing.put(&row(b"c", b"3"), Below::Absent).unwrap();
    writing.commit(2).unwrap();
    assert_eq!(file.rows(), 1);
    let mut reader = place.reader();
    assert_eq!(reader.expired_count(9, 9).unwrap(), 0);
    assert_eq!(reader.chunk(b"a", 0).unwrap(), None);
    assert_eq!(reader.get(b"c").unwrap().unwrap().value, b"3");
    assert!(sound(&file));
}

#[test]
fn a_dropped_transaction_leaves_nothing() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1")]);
    let mut writing = file.begin().unwrap();
    writing.put(&row(b"a", b"2"), Below::Present).unwrap();
    writing.put(&row(b"b", b"2"), Below::Absent).unwrap();
    writing.clear().unwrap();
    drop(writing);
    assert_eq!((file.applied(), file.rows()), (1, 1));
    assert_eq!(place.read(b"a").unwrap().value, b"1");
    put(&mut file, &[row(b"b", b"3")]);
    assert_eq!((file.applied(), file.rows()), (2, 2));
    assert!(sound(&file));
}

/// LOG-04.
#[test]
fn the_log_can_be_cut_behind_what_was_committed() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1")]);
    file.trim_log().unwrap();
    let committed_bytes = file.bytes();
    let value = vec![1; 1 << 20];
    let mut writing = file.begin().unwrap();
    // More than the cache holds, so that pages go to the log before the end.
    for number in 0..8_u64 {
        writing.put(&row(&number.to_be_bytes(), &value), Below::Absent).unwrap();
    }
    drop(writing);
    assert!(file.bytes() > committed_bytes + value.len() as u64, "nothing was spilled");
    file.trim_log().unwrap();
    assert_eq!(file.bytes(), committed_bytes);
    assert_eq!(place.read(b"a").unwrap().value, b"1");
    put(&mut file, &[row(b"b", b"2")]);
    file.trim_log().unwrap();
    drop(file);
    let file = place.file();
    assert_eq!((file.applied(), file.rows()), (2, 2));
    assert!(sound(&file));
}

/// LITE-04.
#[test]
fn after_an_error_the_transaction_is_dead_and_the_file_is_not() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1")]);
    let page_count = file.bytes() / 8192;
    file.limit_pages(page_count);
    let mut writing = file.begin().unwrap();
    let value = vec![1; 200_000];
    assert_eq!(writing.put(&row(b"b", &value), Below::Absent), Err(Error::Full));
    assert_eq!(writing.put(&row(b"c", b"3"), Below::Absent), Err(Error::Full));
    assert_eq!(writing.delete(b"a"), Err(Error::Full));
    assert_eq!(writing.commit(2), Err(Error::Full));
    assert_eq!((file.applied(), file.rows()), (1, 1));
    assert_eq!(place.read(b"c"), None);
    put(&mut file, &[row(b"c", b"3")]);
    assert_eq!(place.read(b"c").unwrap().value, b"3");
    assert!(sound(&file));
}

#[test]
fn a_wrong_row_count_is_found() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1")]);
    file.close().unwrap();
    let stranger = rusqlite::Connection::open(place.path()).unwrap();
    stranger.execute_batch("DELETE FROM keys").unwrap();
    drop(stranger);
    assert_eq!(place.file().integrity().unwrap(), ["1 rows are recorded, counted: 0"]);
}

#[test]
fn a_row_count_that_was_tampered_with_is_no_reason_to_panic() {
    for (count, outcome) in [(0, Ok(0)), (-1, Err(()))] {
        let place = Place::new();
        let mut file = place.file();
        put(&mut file, &[row(b"a", b"1")]);
        file.close().unwrap();
        let stranger = rusqlite::Connection::open(place.path()).unwrap();
        stranger.execute("UPDATE meta SET value = ?1 WHERE name = 'rows'", [count]).unwrap();
        drop(stranger);
        let rows = KeysFile::open(&place.path(), &identity()).map(|mut file| {
            let mut writing = file.begin().unwrap();
            assert!(writing.delete(b"a").unwrap());
            writing.commit(2).unwrap();
            file.rows()
        });
        assert_eq!(
            rows.map_err(|refused| assert!(matches!(refused, Error::Corrupt { .. }))),
            outcome
        );
    }
}

#[test]
fn a_checkpoint_waits_for_no_reader_and_truncates_the_log_when_asked() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1")]);
    let mut reader = place.reader();
    reader
        .snapshot(|reader| {
            assert_eq!(reader.get(b"a")?.unwrap().value, b"1");
            put(&mut file, &[row(b"a", b"2")]);
            file.checkpoint(false)?;
            assert_eq!(reader.get(b"a")?.unwrap().value, b"1");
            Ok(())
        })
        .unwrap();
    assert_eq!(reader.get(b"a").unwrap().unwrap().value, b"2");
    let before = file.bytes();
    file.checkpoint(true).unwrap();
    assert!(file.bytes() < before);
    assert_eq!(file.bytes(), std::fs::metadata(place.path()).unwrap().len());
}
