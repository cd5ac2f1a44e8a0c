//! Writing an archive: whole or not at all, and for its owner alone.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use core_rules::digest::sha256_hex;
use flate2::{Compression, write::GzEncoder};
use tar::{Builder, EntryType, Header};

use super::{
    MANIFEST, SEALED, document,
    manifest::{self, FORMAT, FORMAT_VERSION, Manifest},
    seal::Seal,
};
use crate::{Collection, Error};

/// Writes a collection to a file that only its owner can read. A file of that name is replaced when all is on disk.
pub fn write(collection: &Collection, path: &Path, seal: Option<&Seal>) -> Result<(), Error> {
    let (manifest, files) = files(collection, seal)?;
    let failed = |source: io::Error| Error::File { path: path.to_owned(), source };
    let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other).map_err(failed)?;
    let contents = std::iter::once((MANIFEST, text.as_slice()));
    let named = manifest.files.iter().map(|file| file.path.as_str());
    put(path, contents.chain(named.zip(files.iter().map(Vec::as_slice)))).map_err(failed)
}

/// The manifest, and the bytes of each file that it names.
fn files(collection: &Collection, seal: Option<&Seal>) -> Result<(Manifest, Vec<Vec<u8>>), Error> {
    let (mut described, mut files) = (Vec::new(), Vec::new());
    for (rank, (resource, objects)) in collection.by_resource().enumerate() {
        if objects.is_empty() {
            continue;
        }
        let plain = document::encode(resource, objects)?.into_bytes();
        let seal = seal.filter(|_| resource.kind == SEALED);
        let bytes = match seal {
            Some(seal) => seal.close(&plain)?,
            None => plain,
        };
        described.push(manifest::File {
            path: manifest::path(rank, resource, seal.is_some()),
            resource: resource.full_name(),
            objects: objects.len(),
            bytes: bytes.len() as u64,
            sha256: sha256_hex(&bytes),
            sealed: seal.is_some(),
        });
        files.push(bytes);
    }
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        format_version: FORMAT_VERSION,
        origin: collection.origin.clone(),
        files: described,
        left_out: collection.left_out.clone(),
    };
    Ok((manifest, files))
}

fn put<'a>(path: &Path, files: impl Iterator<Item = (&'a str, &'a [u8])>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Private from its first byte, and gone if we fail.
    let file = tempfile::Builder::new().prefix(".kargo-backup-").tempfile_in(folder)?;
    let mut archive =
        Builder::new(GzEncoder::new(io::BufWriter::new(file), Compression::default()));
    for (name, bytes) in files {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o600);
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, bytes)?;
    }
    let mut buffered = archive.into_inner()?.finish()?;
    buffered.flush()?;
    let file = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}
