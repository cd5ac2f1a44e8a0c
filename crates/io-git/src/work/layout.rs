//! The repository of one clone, written file by file: `git init` and `git worktree` would cost a process each, and cannot
//! make an orphan branch before version 2.42.
//!
//! Objects are borrowed from the store's mirror. Work trees have no `.git` of their own: `git` is always told where both
//! parts are, so that nothing a step writes among its files can point it elsewhere.

use std::{
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use gix_hash::ObjectId;

use super::cone::Cone;

/// Where a work tree stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// On this branch, named in full.
    Branch(String),
    Detached(ObjectId),
}

/// Writes an empty repository that borrows the objects of `mirror`.
pub(crate) fn write_repository(
    repository: &Path,
    mirror: &Path,
    format: gix_hash::Kind,
) -> io::Result<()> {
    for directory in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "worktrees"] {
        create(&repository.join(directory))?;
    }
    let alternates = format!("{}\n", mirror.join("objects").display());
    fs::write(repository.join("objects/info/alternates"), alternates)?;
    // A shallow mirror has a history that ends; so do we.
    match fs::copy(mirror.join("shallow"), repository.join("shallow")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::write(repository.join("config"), config(format))?;
    fs::write(repository.join("HEAD"), "ref: refs/heads/main\n")
}

/// Lets the repository borrow the objects of another mirror, too.
pub(crate) fn add_alternate(repository: &Path, mirror: &Path) -> io::Result<()> {
    let path = repository.join("objects/info/alternates");
    let known = fs::read_to_string(&path)?;
    let line = mirror.join("objects").display().to_string();
    if known.lines().any(|each| each == line) {
        return Ok(());
    }
    replace(&path, &format!("{known}{line}\n"))
}

/// Writes what belongs to one work tree of `repository`, and returns where.
pub(crate) fn write_tree(directory: &Path, head: &Head, cone: &Cone) -> io::Result<()> {
    create(&directory.join("info"))?;
    fs::write(directory.join("commondir"), "../..\n")?;
    if let Some(patterns) = cone.patterns() {
        fs::write(directory.join("info/sparse-checkout"), patterns)?;
        let sparse = "[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n";
        fs::write(directory.join("config.worktree"), sparse)?;
    }
    write_head(directory, head)
}

/// Where the work tree at `directory` stands; `None` when that cannot be read.
pub(crate) fn read_head(directory: &Path) -> Option<Head> {
    let text = fs::read_to_string(directory.join("HEAD")).ok()?;
    match text.trim().strip_prefix("ref: ") {
        Some(name) => Some(Head::Branch(name.to_owned())),
        None => ObjectId::from_hex(text.trim().as_bytes()).ok().map(Head::Detached),
    }
}

/// Moves a work tree without touching its files.
pub(crate) fn write_head(directory: &Path, head: &Head) -> io::Result<()> {
    let text = match head {
        Head::Branch(name) => format!("ref: {name}\n"),
        Head::Detached(id) => format!("{id}\n"),
    };
    replace(&directory.join("HEAD"), &text)
}

/// What a ref of the repository, named in full, points to.
pub(crate) fn read_ref(repository: &Path, name: &str) -> Option<ObjectId> {
    let text = fs::read_to_string(repository.join(name)).ok()?;
    ObjectId::from_hex(text.trim().as_bytes()).ok()
}

/// Points a ref of the repository, named in full and checked, to an object.
pub(crate) fn write_ref(repository: &Path, name: &str, id: ObjectId) -> io::Result<()> {
    let path = repository.join(name);
    if let Some(parent) = path.parent() {
        create(parent)?;
    }
    replace(&path, &format!("{id}\n"))
}

/// Removes the lock files that a killed git left. Only while none runs here.
pub(crate) fn clear_locks(repository: &Path) {
    let mut left: Vec<(PathBuf, usize)> = vec![(repository.to_owned(), 0)];
    while let Some((directory, depth)) = left.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory && depth < MAX_DEPTH && entry.file_name() != "objects" {
                left.push((path, depth + 1));
            } else if path.extension().is_some_and(|extension| extension == "lock") {
                // What cannot be removed makes the next git say so.
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Refs are as deep as their names have parts.
const MAX_DEPTH: usize = 100;

fn create(directory: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".lock");
    fs::write(&draft, text)?;
    fs::rename(draft, path)
}

fn config(format: gix_hash::Kind) -> String {
    let object_format = match format {
        gix_hash::Kind::Sha256 => "\tobjectFormat = sha256\n",
        _ => "",
    };
    format!(
        "[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n\tlogAllRefUpdates = false\n\
         [extensions]\n\tpartialClone = origin\n\tworktreeConfig = true\n{object_format}\
         [remote \"origin\"]\n\tpromisor = true\n\tpartialCloneFilter = blob:none\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_and_heads_are_read_back_and_locks_go() {
        let root = tempfile::tempdir().unwrap();
        let (mirror, repository) = (root.path().join("mirror"), root.path().join("r"));
        fs::create_dir(&mirror).unwrap();
        write_repository(&repository, &mirror, gix_hash::Kind::Sha1).unwrap();
        let id = ObjectId::empty_tree(gix_hash::Kind::Sha1);
        write_ref(&repository, "refs/heads/a/b", id).unwrap();
        assert_eq!(read_ref(&repository, "refs/heads/a/b"), Some(id));
        assert_eq!(read_ref(&repository, "refs/heads/none"), None);
        let tree = repository.join("worktrees/0");
        for head in [Head::Branch("refs/heads/a/b".into()), Head::Detached(id)] {
            write_tree(&tree, &head, &Cone::default()).unwrap();
            assert_eq!(read_head(&tree), Some(head));
        }
        let locks = [tree.join("index.lock"), repository.join("refs/heads/a/b.lock")];
        for lock in &locks {
            fs::write(lock, "").unwrap();
        }
        clear_locks(&repository);
        assert!(locks.iter().all(|lock| !lock.exists()));
    }
}
