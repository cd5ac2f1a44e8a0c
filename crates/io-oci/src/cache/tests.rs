use std::{fs, io::Write as _, path::Path};

use super::*;

const NOW: Duration = Duration::from_secs(100);

fn open(directory: Option<&Path>, entries: usize) -> Cache {
    Cache::open(&Settings {
        cache_directory: directory.map(Path::to_path_buf),
        cache_entries: entries,
        ..Settings::default()
    })
}

fn digest(number: usize) -> Digest {
    Digest::of(&number.to_le_bytes())
}

fn everybody() -> Partition {
    Partition::new(&[], "ghcr.io/a/b")
}

#[test]
fn readers_do_not_see_each_others_entries() {
    let cache = open(None, 10);
    let project = |name: &str| Partition::new(&[name, "robot"], "ghcr.io/a/b");
    cache.remember_tag(&project("one"), "v1", &digest(1), NOW);
    assert_eq!(cache.tag(&project("one"), "v1"), Some(digest(1)));
    assert_eq!(cache.tag(&project("two"), "v1"), None);
    assert_eq!(cache.tag(&everybody(), "v1"), None);
    // The parts are told apart by their lengths.
    assert!(Partition::new(&["a", "b"], "c") != Partition::new(&["ab", ""], "c"));
}

#[test]
fn what_was_asked_for_since_a_time_is_told_apart_from_what_was_known_before() {
    let directory = tempfile::tempdir().unwrap();
    let cache = open(Some(directory.path()), 10);
    cache.remember_tag(&everybody(), "v1", &digest(1), NOW);
    let since = |cache: &Cache, time| cache.tag_since(&everybody(), "v1", time);
    assert_eq!(since(&cache, NOW), Some(digest(1)));
    assert_eq!(since(&cache, NOW + Duration::from_nanos(1)), None);
    drop(cache);
    let later = open(Some(directory.path()), 10);
    assert_eq!(since(&later, Duration::ZERO), None, "another process has another clock");
}

#[test]
fn what_was_used_least_recently_is_forgotten_first() {
    let cache = open(None, 2);
    for (number, tag) in ["a", "b"].iter().enumerate() {
        cache.remember_tag(&everybody(), tag, &digest(number), NOW);
    }
    assert!(cache.tag(&everybody(), "a").is_some());
    cache.remember_tag(&everybody(), "c", &digest(3), NOW);
    let held: Vec<_> = ["a", "b", "c"].map(|tag| cache.tag(&everybody(), tag).is_some()).into();
    assert_eq!(held, [true, false, true]);
}

#[test]
fn entries_survive_a_restart_and_the_last_word_wins() {
    let directory = tempfile::tempdir().unwrap();
    let cache = open(Some(directory.path()), 100);
    cache.remember_tag(&everybody(), "v1", &digest(1), NOW);
    cache.remember_tag(&everybody(), "v1", &digest(2), NOW);
    drop(cache);
    let cache = open(Some(directory.path()), 100);
    assert_eq!(cache.tag(&everybody(), "v1"), Some(digest(2)));
}

#[test]
fn every_torn_or_damaged_file_opens_and_keeps_its_whole_lines() {
    let directory = tempfile::tempdir().unwrap();
    let cache = open(Some(directory.path()), 100);
    for (number, tag) in ["a", "b", "c"].iter().enumerate() {
        cache.remember_tag(&everybody(), tag, &digest(number), NOW);
    }
    drop(cache);
    let path = directory.path().join("registry-metadata.log");
    let whole = fs::read(&path).unwrap();
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let cache = open(Some(directory.path()), 100);
        let kept =
            ["a", "b", "c"].iter().filter(|tag| cache.tag(&everybody(), tag).is_some()).count();
        assert_eq!(kept, whole[..cut].split(|byte| *byte == b'\n').count() - 1, "at {cut}");
        cache.remember_tag(&everybody(), "d", &digest(4), NOW);
        drop(cache);
        assert!(open(Some(directory.path()), 100).tag(&everybody(), "d").is_some(), "at {cut}");
    }
    let mut flipped = whole.clone();
    flipped[60] ^= 1;
    fs::write(&path, &flipped).unwrap();
    let cache = open(Some(directory.path()), 100);
    assert_eq!(cache.tag(&everybody(), "a"), None);
    assert_eq!(cache.tag(&everybody(), "c"), Some(digest(2)));
}

#[test]
fn the_file_is_written_anew_when_most_of_it_is_outdated() {
    let directory = tempfile::tempdir().unwrap();
    let cache = open(Some(directory.path()), 100);
    for number in 0..10_050 {
        cache.remember_tag(&everybody(), "moving", &digest(number), NOW);
    }
    let lines = fs::read_to_string(directory.path().join("registry-metadata.log")).unwrap();
    assert!(lines.lines().count() < 100);
    assert_eq!(cache.tag(&everybody(), "moving"), Some(digest(10_049)));
    drop(cache);
    assert_eq!(open(Some(directory.path()), 100).tag(&everybody(), "moving"), Some(digest(10_049)));
}

#[test]
fn a_second_process_works_without_the_directory() {
    let directory = tempfile::tempdir().unwrap();
    let first = open(Some(directory.path()), 100);
    let second = open(Some(directory.path()), 100);
    second.remember_tag(&everybody(), "v1", &digest(1), NOW);
    assert_eq!(second.tag(&everybody(), "v1"), Some(digest(1)));
    assert_eq!(first.tag(&everybody(), "v1"), None);
}

#[test]
fn lines_without_end_are_skipped() {
    let directory = tempfile::tempdir().unwrap();
    drop(open(Some(directory.path()), 100));
    let path = directory.path().join("registry-metadata.log");
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(&vec![b'x'; 3 * MAX_VALUE]).unwrap();
    drop(file);
    let cache = open(Some(directory.path()), 100);
    assert_eq!(cache.tag(&everybody(), "v1"), None);
    assert!(fs::metadata(&path).unwrap().len() < 100);
}
