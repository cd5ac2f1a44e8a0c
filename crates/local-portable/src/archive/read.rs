//! Reading an archive: all of it is there and as it was written, or nothing is made of it.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

use core_rules::digest::sha256_hex;
use flate2::read::GzDecoder;
use tar::{Archive, Entries, Entry};

use super::{
    MANIFEST, MAX_FILE, SEALED, document,
    manifest::{self, FORMAT, FORMAT_VERSION, Header, Manifest},
    seal::Key,
};
use crate::{Collection, Error, RESOURCES, Resource, object};

/// How every compressed file begins.
const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The longest name of an object.
const MAX_NAME: usize = 253;
/// The most that a manifest may hold.
const MAX_MANIFEST: u64 = 16 << 20;

type Source = GzDecoder<BufReader<File>>;

/// Whether a file may be an archive of ours rather than a snapshot.
pub fn is_archive(path: &Path) -> Result<bool, Error> {
    let failed = |source| Error::File { path: path.to_owned(), source };
    let mut begin = Vec::with_capacity(MAGIC.len());
    let file = File::open(path).map_err(failed)?;
    file.take(MAGIC.len() as u64).read_to_end(&mut begin).map_err(failed)?;
    Ok(begin == MAGIC)
}

/// Reads a collection. Sealed Secrets need the key.
pub fn read(path: &Path, key: Option<&Key>) -> Result<Collection, Error> {
    let failed = |source| Error::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let mut archive = Archive::new(GzDecoder::new(BufReader::new(file)));
    let reading = Reading { path, key };
    let mut entries = archive.entries().map_err(|error| reading.damaged(&error))?;
    let manifest = reading.manifest(&mut entries)?;
    let mut contents = reading.contents(&manifest, &mut entries)?;
    // The checksum of the whole is behind the end of the last file.
    let rest = io::copy(&mut archive.into_inner().take(MAX_FILE), &mut io::sink());
    rest.map_err(|error| reading.damaged(&error))?;
    let mut collection = Collection::new(manifest.origin);
    collection.left_out = manifest.left_out;
    for file in &manifest.files {
        let bytes = contents.remove(file.path.as_str()).unwrap_or_default();
        let (rank, objects) = reading.objects(file, bytes)?;
        if let Some(place) = collection.objects.get_mut(rank) {
            *place = objects;
        }
    }
    Ok(collection)
}

struct Reading<'a> {
    path: &'a Path,
    key: Option<&'a Key>,
}

impl Reading<'_> {
    fn damaged(&self, why: &dyn std::fmt::Display) -> Error {
        Error::Damaged { path: self.path.to_owned(), why: why.to_string() }
    }

    /// The manifest, which is the first file.
    fn manifest(&self, entries: &mut Entries<'_, Source>) -> Result<Manifest, Error> {
        let Some(first) = entries.next() else { return Err(self.damaged(&"it is empty")) };
        let mut first = first.map_err(|error| self.damaged(&error))?;
        if name(&first) != MANIFEST {
            return Err(self.damaged(&format!("it does not begin with {MANIFEST}")));
        }
        let text = self.bytes(&mut first, MAX_MANIFEST)?;
        let header: Header = serde_json::from_slice(&text).map_err(|error| self.damaged(&error))?;
        if header.format != FORMAT {
            return Err(self.damaged(&format!("it is a {:?}", header.format)));
        }
        if header.format_version > FORMAT_VERSION {
            let (path, found) = (self.path.to_owned(), header.format_version);
            return Err(Error::NewerFormat { path, found, known: FORMAT_VERSION });
        }
        serde_json::from_slice(&text).map_err(|error| self.damaged(&error))
    }

    /// The files that the manifest names, and no others.
    fn contents(
        &self,
        manifest: &Manifest,
        entries: &mut Entries<'_, Source>,
    ) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        let mut expected: BTreeMap<&str, &manifest::File> =
            manifest.files.iter().map(|file| (file.path.as_str(), file)).collect();
        let mut contents = BTreeMap::new();
        for entry in entries {
            let mut entry = entry.map_err(|error| self.damaged(&error))?;
            let name = name(&entry);
            let file =
                expected.remove(name.as_str()).filter(|_| entry.header().entry_type().is_file());
            let Some(file) = file else {
                return Err(self.damaged(&format!("its manifest does not name {name:?}")));
            };
            let bytes = self.bytes(&mut entry, MAX_FILE)?;
            if bytes.len() as u64 != file.bytes || sha256_hex(&bytes) != file.sha256 {
                return Err(self.damaged(&format!("{name} is not what was written")));
            }
            contents.insert(name, bytes);
        }
        match expected.keys().next() {
            Some(missing) => Err(self.damaged(&format!("{missing} is missing"))),
            None => Ok(contents),
        }
    }

    fn bytes(&self, entry: &mut Entry<'_, Source>, most: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let taken = entry.take(most + 1).read_to_end(&mut bytes);
        taken.map_err(|error: io::Error| self.damaged(&error))?;
        if bytes.len() as u64 > most {
            return Err(self.damaged(&"a file in it is too large"));
        }
        Ok(bytes)
    }

    /// The objects of a file, and the rank of their kind.
    fn objects(
        &self,
        file: &manifest::File,
        bytes: Vec<u8>,
    ) -> Result<(usize, Vec<serde_json::Value>), Error> {
        let unreadable =
            |why: &dyn std::fmt::Display| self.damaged(&format!("{}: {why}", file.path));
        let known = RESOURCES.iter().enumerate().find(|(_, one)| one.full_name() == file.resource);
        let (rank, resource) = known.ok_or_else(|| unreadable(&"its kind is unknown"))?;
        let plain = if file.sealed { self.open(resource, &bytes)? } else { bytes };
        let text = std::str::from_utf8(&plain).map_err(|error| unreadable(&error))?;
        let objects = document::decode(text).map_err(|why| unreadable(&why))?;
        if objects.len() != file.objects {
            return Err(unreadable(&format!(
                "{} objects instead of {}",
                objects.len(),
                file.objects
            )));
        }
        match objects.iter().find(|object| !is_named(resource, object)) {
            Some(_) => Err(unreadable(&"it holds something else")),
            None => Ok((rank, objects)),
        }
    }

    fn open(&self, resource: &Resource, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let closed = |why: String| Error::Sealed { path: self.path.to_owned(), why };
        if resource.kind != SEALED {
            return Err(self.damaged(&format!("{} are sealed", resource.full_name())));
        }
        let key = self.key.ok_or_else(|| closed("no key was given".to_owned()))?;
        key.open(sealed).map_err(closed)
    }
}

/// The name of an entry, for comparison only.
fn name(entry: &Entry<'_, Source>) -> String {
    String::from_utf8_lossy(&entry.path_bytes()).into_owned()
}

/// Whether an object is of the kind, and has names that can stand in a path.
fn is_named(resource: &Resource, object: &serde_json::Value) -> bool {
    let leads_elsewhere = |letter: char| letter.is_control() || ['/', '%'].contains(&letter);
    let is_plain = |text: &str| text.len() <= MAX_NAME && !text.contains(leads_elsewhere);
    let (name, namespace) = (object::name(object), object::namespace(object));
    object::text(object, "/kind") == resource.kind
        && object::text(object, "/apiVersion") == resource.api_version()
        && !name.is_empty()
        && name != "."
        && name != ".."
        && is_plain(name)
        && is_plain(namespace)
        && namespace.is_empty() != resource.is_namespaced
}
