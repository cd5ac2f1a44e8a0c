//! Packs that somebody made of what they pushed: the server has those objects now, and so may the mirror.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

/// Takes the packs of `directory` into the mirror at `git_dir`. Only within a journey.
pub(super) fn take(git_dir: &Path, directory: &Path) -> io::Result<()> {
    let packs = git_dir.join("objects/pack");
    for index in files(directory)?.into_iter().filter(|file| has_extension(file, "idx")) {
        let pack = index.with_extension("pack");
        let promised = index.with_extension("promisor");
        // Git asks the server for what such a pack refers to and the mirror lacks, as for everything it fetched.
        fs::write(&promised, "")?;
        // A pack counts once its index is there.
        for file in [promised, pack, index] {
            move_into(&packs, &file)?;
        }
    }
    Ok(())
}

fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect()
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().and_then(OsStr::to_str) == Some(extension)
}

/// Moves a file, also between file systems.
fn move_into(directory: &Path, file: &Path) -> io::Result<()> {
    let name = file.file_name().unwrap_or_default();
    let target = directory.join(name);
    if fs::rename(file, &target).is_ok() {
        return Ok(());
    }
    let mut draft = OsStr::new("tmp_").to_owned();
    draft.push(name);
    let draft = directory.join(draft);
    fs::copy(file, &draft)?;
    fs::rename(draft, target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_arrives_with_its_index_and_mark() {
        let root = tempfile::tempdir().unwrap();
        let (mirror, gift) = (root.path().join("mirror"), root.path().join("gift"));
        fs::create_dir_all(mirror.join("objects/pack")).unwrap();
        fs::create_dir(&gift).unwrap();
        for name in ["pack-1.pack", "pack-1.idx", "other"] {
            fs::write(gift.join(name), name).unwrap();
        }
        take(&mirror, &gift).unwrap();
        let mut names: Vec<String> = files(&mirror.join("objects/pack"))
            .unwrap()
            .iter()
            .map(|file| file.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["pack-1.idx", "pack-1.pack", "pack-1.promisor"]);
    }
}
