//! Finds the damage that a crash of the machine or a full disk leaves: packs that were cut short.
//!
//! Every pack ends in its checksum, and its index repeats it. Comparing the two costs a few bytes of reading per pack;
//! damage inside a pack shows when an object of it is read.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

const PACK_MAGIC: &[u8] = b"PACK";
const INDEX_MAGIC: &[u8] = b"\xfftOc";

/// What is wrong with the mirror at `git_dir`; `None` when nothing is.
pub(super) fn damage(git_dir: &Path, format: gix_hash::Kind) -> Option<String> {
    for needed in ["HEAD", "config", "objects"] {
        if !git_dir.join(needed).exists() {
            return Some(format!("{needed} is missing"));
        }
    }
    let packs = match fs::read_dir(git_dir.join("objects/pack")) {
        Ok(entries) => entries,
        Err(error) => return Some(format!("the packs cannot be listed: {error}")),
    };
    let paths = packs.filter_map(|entry| Some(entry.ok()?.path()));
    let mut indices =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "idx"));
    indices.find_map(|index| pack_damage(&index, format.len_in_bytes()))
}

fn pack_damage(index: &Path, hash: usize) -> Option<String> {
    let name = index.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match compare(index, hash) {
        Ok(true) => None,
        Ok(false) => Some(format!("{name} was cut short")),
        Err(error) => Some(format!("{name} cannot be read: {error}")),
    }
}

fn compare(index: &Path, hash: usize) -> io::Result<bool> {
    let (index_start, index_end) = ends(index, 2 * hash)?;
    let (pack_start, pack_end) = ends(&index.with_extension("pack"), hash)?;
    let checksum = index_end.get(..hash);
    let magic = index_start == INDEX_MAGIC && pack_start == PACK_MAGIC;
    Ok(magic && checksum == Some(pack_end.as_slice()))
}

/// The first four and the last `length` bytes of a file.
fn ends(path: &Path, length: usize) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = File::open(path)?;
    let mut start = vec![0; 4];
    file.read_exact(&mut start)?;
    let back = i64::try_from(length).unwrap_or(i64::MAX);
    file.seek(SeekFrom::End(back.saturating_neg()))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    Ok((start, end))
}
