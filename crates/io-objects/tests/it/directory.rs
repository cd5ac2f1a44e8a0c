//! A directory: what is put, listed and refused.

use std::{fs, os::unix::fs::PermissionsExt};

use bytes::Bytes;
use io_objects::{Error, Objects};

#[tokio::test]
async fn files_are_objects_and_private() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/place");
    let objects = Objects::in_directory(&path);
    assert!(objects.list().await.unwrap().is_empty());
    objects.put("b/2", "two".into()).await.unwrap();
    objects.put("a/1", "one".into()).await.unwrap();
    objects.put("a/1", "one again".into()).await.unwrap();
    // What a process has left that died while it wrote.
    fs::write(path.join(".partial-a"), "on").unwrap();
    assert_eq!(objects.list().await.unwrap(), ["a/1", "b/2"]);
    assert_eq!(objects.get("a/1").await.unwrap(), "one again");
    let mode = |file: &str| fs::metadata(path.join(file)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("a/1"), mode("a"), mode("")), (0o600, 0o700, 0o700));
    assert!(matches!(objects.get("a/2").await, Err(Error::Missing { .. })));
    objects.delete("a/1").await.unwrap();
    objects.delete("a/1").await.unwrap();
    assert!(!path.join("a").exists() && !path.join(".partial-a").exists());
    assert_eq!(objects.list().await.unwrap(), ["b/2"]);
}

#[tokio::test]
async fn objects_of_several_folders_are_put_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let objects = Objects::in_directory(directory.path());
    let body = |letter: &str| Bytes::from(letter.repeat(4_000_000));
    let put = async |key: &str, letter: &str| {
        for _ in 0..5 {
            objects.put(key, body(letter)).await.unwrap();
        }
    };
    tokio::join!(put("a/1", "a"), put("b/1", "b"));
    assert_eq!(objects.get("a/1").await.unwrap(), body("a"));
    assert_eq!(objects.get("b/1").await.unwrap(), body("b"));
}

#[tokio::test]
async fn no_key_leads_out_of_the_directory() {
    let directory = tempfile::tempdir().unwrap();
    let objects = Objects::in_directory(&directory.path().join("place"));
    for key in ["../x", "/x", "a/../../x", ""] {
        assert!(matches!(objects.put(key, "x".into()).await, Err(Error::Key { .. })), "{key}");
    }
    assert!(!directory.path().join("x").exists());
}
