//! Archives that are whole, and archives that are not.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::{Collection, Error, Namespaces, Origin};

fn collection() -> Collection {
    let mut collection = Collection::new(Origin {
        kargo: "1.0.0".to_owned(),
        created_at: "2026-01-01T00:00:00Z".to_owned(),
        source: "/data".to_owned(),
        server: "v1.36.0".to_owned(),
        resource_version: "7".to_owned(),
        namespaces: Namespaces::default(),
    });
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "demo"}});
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "git", "namespace": "demo"},
        "data": {"password": "c2VjcmV0"},
    });
    collection.objects[0].push(namespace);
    collection.objects[2].push(secret);
    collection
}

fn written(seal: Option<&Seal>) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("backup.tar.gz");
    write(&collection(), &path, seal).unwrap();
    (directory, path)
}

/// The archive with its tar changed.
fn changed(path: &Path, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let mut tar = Vec::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_end(&mut tar).unwrap();
    let mut writer = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    writer.write_all(&change(tar)).unwrap();
    writer.finish().unwrap();
}

fn replaced(tar: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = tar.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
    [&tar[..at], to.as_bytes(), &tar[at + from.len()..]].concat()
}

fn refused(path: &Path) -> String {
    let error = read(path, None).unwrap_err();
    assert!(error.hint().is_some(), "no hint: {error}");
    error.to_string()
}

#[test]
fn what_is_written_is_read_and_nobody_else_reads_it() {
    let (_directory, path) = written(None);
    assert_eq!(read(&path, None).unwrap(), collection());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(is_archive(&path).unwrap());
}

#[test]
fn sealed_secrets_need_their_key() {
    let identity = age::x25519::Identity::generate();
    let recipient = identity.to_public().to_string();
    let seal = Seal::recipients([recipient.as_str()]).unwrap();
    let (_directory, path) = written(Some(&seal));
    assert!(refused(&path).contains("no key was given"));
    let wrong = Key::Identities(vec![age::x25519::Identity::generate()]);
    let error = read(&path, Some(&wrong)).unwrap_err();
    assert!(
        matches!(&error, Error::Sealed { why, .. } if why.contains("does not open")),
        "{error}"
    );
    assert_eq!(read(&path, Some(&Key::Identities(vec![identity]))).unwrap(), collection());
    let mut tar = Vec::new();
    GzDecoder::new(fs::File::open(&path).unwrap()).read_to_end(&mut tar).unwrap();
    assert!(!String::from_utf8_lossy(&tar).contains("c2VjcmV0"));
}

#[test]
fn a_passphrase_opens_what_it_sealed_and_another_does_not() {
    let seal = Seal::passphrase("correct horse\n").unwrap();
    let (_directory, path) = written(Some(&seal));
    let wrong = Key::passphrase("wrong horse").unwrap();
    let error = read(&path, Some(&wrong)).unwrap_err().to_string();
    assert!(error.contains("the passphrase is wrong"), "{error}");
    let right = Key::passphrase("correct horse").unwrap();
    assert_eq!(read(&path, Some(&right)).unwrap(), collection());
    assert!(matches!(Seal::passphrase("\n"), Err(Error::Key(_))));
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused() {
    let (_directory, path) = written(None);
    let whole = fs::read(&path).unwrap();
    for length in (2..whole.len()).step_by(7) {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(read(&path, None), Err(Error::Damaged { .. })), "cut at {length}");
    }
}

#[test]
fn a_file_in_it_that_was_changed_is_named() {
    let (_directory, path) = written(None);
    changed(&path, |tar| replaced(&tar, "c2VjcmV0", "c2VjcmV1"));
    assert!(refused(&path).contains("objects/02-secrets.yaml is not what was written"));
}

#[test]
fn a_file_that_the_manifest_does_not_name_is_refused() {
    for name in ["objects/99-extra.yaml", "../../etc/passwd", "/etc/passwd"] {
        let (_directory, path) = written(None);
        changed(&path, |tar| {
            let body = tar[..tar.len() - 1024].to_vec();
            let mut header = tar::Header::new_ustar();
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(0);
            header.set_mode(0o600);
            header.set_entry_type(tar::EntryType::Regular);
            header.set_cksum();
            [body.as_slice(), header.as_bytes(), &[0; 1024]].concat()
        });
        let told = refused(&path);
        assert!(
            told.contains("does not name") && told.contains("passwd") | told.contains("extra"),
            "{told}"
        );
    }
}

#[test]
fn a_later_format_is_told_apart_from_damage() {
    let (_directory, path) = written(None);
    changed(&path, |tar| replaced(&tar, "\"formatVersion\": 1", "\"formatVersion\": 2"));
    let error = read(&path, None).unwrap_err();
    assert!(matches!(error, Error::NewerFormat { found: 2, known: 1, .. }), "{error}");
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let mut bad = collection();
    bad.objects[2][0]["metadata"]["name"] = json!("../../namespaces/x");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("backup.tar.gz");
    write(&bad, &path, None).unwrap();
    assert!(refused(&path).contains("holds something else"));
}

#[test]
fn what_is_no_archive_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, "SQLite format 3\0").unwrap();
    assert!(!is_archive(&path).unwrap());
    assert!(matches!(read(&path, None), Err(Error::Damaged { .. })));
    assert!(matches!(read(&directory.path().join("none"), None), Err(Error::File { .. })));
}
