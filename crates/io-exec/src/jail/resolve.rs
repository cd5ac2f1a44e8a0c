//! Walks a path component by component, on handles that follow no link.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    os::{fd::OwnedFd, unix::ffi::OsStringExt},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{Mode, openat, readlinkat},
    io::Errno,
};

use super::{DIRECTORY, Jail, JailError, MAX_DEPTH, Result};

/// How many links one path may lead through, as upstream has it.
const MAX_LINKS: usize = 255;

/// The longest path, as the system has it.
const MAX_PATH_BYTES: usize = 4096;

/// Where a path leads.
pub(super) struct Place {
    /// The path without links, relative to the root.
    pub(super) path: PathBuf,
    /// The directory itself, where the path leads to one.
    pub(super) directory: Option<Arc<OwnedFd>>,
    /// The last component and what it is to be looked up in; `None` for the root.
    pub(super) leaf: Option<Leaf>,
}

/// A name, and the way to it from a directory that is open.
pub(super) struct Leaf {
    /// The deepest directory that exists.
    pub(super) existing: Arc<OwnedFd>,
    /// Directories between it and the name that do not exist, or are none.
    pub(super) missing: Vec<OsString>,
    /// The name.
    pub(super) name: OsString,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LastLink {
    Followed,
    Kept,
}

impl Jail {
    /// Where a path leads, links included.
    pub(super) fn place(&self, path: &Path) -> Result<Place> {
        self.walk_path(path, LastLink::Followed)
    }

    /// Where a path leads; if that is a link, the link.
    pub(super) fn place_of_link(&self, path: &Path) -> Result<Place> {
        self.walk_path(path, LastLink::Kept)
    }

    /// Where a path leads, relative to the directory; if that is a link, the link. Other than
    /// elsewhere, a path or a link that leads out of the directory is an error.
    pub fn locate_beneath(&self, path: impl AsRef<Path>) -> Result<PathBuf> {
        let walk = Walk::new(&self.root, path.as_ref(), LastLink::Kept).ending_at(&self.path);
        Ok(self.finish(walk)?.path)
    }

    /// Where something is to be written.
    pub(super) fn place_to_write(
        &self,
        path: &Path,
        action: &'static str,
    ) -> Result<(Place, Leaf)> {
        let place = self.place(path)?;
        refuse_git(&place.path)?;
        split(place, action)
    }

    /// Where something is to be put in place of what is there, links included.
    pub(super) fn place_to_replace(
        &self,
        path: &Path,
        action: &'static str,
    ) -> Result<(Place, Leaf)> {
        let place = self.place_of_link(path)?;
        refuse_git(&place.path)?;
        split(place, action)
    }

    fn walk_path(&self, path: &Path, last: LastLink) -> Result<Place> {
        self.finish(Walk::new(&self.root, path, last))
    }

    fn finish(&self, mut walk: Walk<'_>) -> Result<Place> {
        self.cancellation.check()?;
        let path = walk.given;
        if path.as_os_str().len() > MAX_PATH_BYTES {
            let source = Errno::NAMETOOLONG.into();
            return Err(JailError::Io {
                action: "use",
                path: path.iter().take(1).collect(),
                source,
            });
        }
        while let Some(component) = walk.pending.pop_front() {
            walk.step(component)?;
        }
        Ok(walk.finish())
    }
}

fn split(mut place: Place, action: &'static str) -> Result<(Place, Leaf)> {
    let leaf = place.leaf.take().ok_or(JailError::Root { action })?;
    Ok((place, leaf))
}

/// Refuses what lies in a `.git`, in any letter case, since some file systems do not tell them apart.
pub(super) fn refuse_git(path: &Path) -> Result<()> {
    if path.iter().any(is_git) {
        return Err(JailError::GitDirectory { path: path.to_owned() });
    }
    Ok(())
}

/// Whether a name is that of git's own directory.
pub(super) fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// A step of the way; `.` and repeated slashes are none.
enum Step {
    Up,
    Down(OsString),
}

struct Walk<'a> {
    root: &'a Arc<OwnedFd>,
    given: &'a Path,
    last: LastLink,
    /// The root's own path, where leaving it is an error.
    end: Option<&'a Path>,
    pending: VecDeque<Step>,
    /// The directories walked into so far.
    entered: Vec<(OsString, Arc<OwnedFd>)>,
    /// What follows them and cannot be walked into.
    literal: Vec<OsString>,
    links: usize,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Arc<OwnedFd>, given: &'a Path, last: LastLink) -> Self {
        let pending = steps(given).collect();
        let (entered, literal) = (Vec::new(), Vec::new());
        Self { root, given, last, end: None, pending, entered, literal, links: 0 }
    }

    fn ending_at(self, root: &'a Path) -> Self {
        Self { end: Some(root), ..self }
    }

    fn here(&self) -> &Arc<OwnedFd> {
        self.entered.last().map_or(self.root, |(_, handle)| handle)
    }

    fn step(&mut self, step: Step) -> Result<()> {
        let name = match step {
            Step::Up => return self.leave(),
            Step::Down(name) => name,
        };
        if self.entered.len() + self.literal.len() >= MAX_DEPTH {
            return Err(JailError::TooDeep { path: self.given.to_owned(), limit: MAX_DEPTH });
        }
        let is_last = self.pending.is_empty();
        if !self.literal.is_empty() || (is_last && self.last == LastLink::Kept) {
            self.literal.push(name);
            return Ok(());
        }
        match readlinkat(self.here(), &name, Vec::new()) {
            Ok(target) => self.follow(OsString::from_vec(target.into_bytes()).as_ref()),
            Err(Errno::INVAL) => self.enter(name, is_last),
            Err(Errno::NOENT | Errno::NOTDIR) => {
                self.literal.push(name);
                Ok(())
            }
            Err(error) => Err(JailError::io("look up", self.given, error)),
        }
    }

    fn leave(&mut self) -> Result<()> {
        let is_inside = self.literal.pop().is_some() || self.entered.pop().is_some();
        if !is_inside && self.end.is_some() {
            return Err(JailError::Outside { path: self.given.to_owned() });
        }
        Ok(())
    }

    fn follow(&mut self, mut target: &Path) -> Result<()> {
        self.count_link()?;
        if target.is_absolute() {
            self.entered.clear();
            if let Some(root) = self.end {
                let outside = |_| JailError::Outside { path: self.given.to_owned() };
                target = target.strip_prefix(root).map_err(outside)?;
            }
        }
        let rest = std::mem::take(&mut self.pending);
        self.pending = steps(target).chain(rest).collect();
        Ok(())
    }

    fn enter(&mut self, name: OsString, is_last: bool) -> Result<()> {
        match openat(self.here(), &name, DIRECTORY, Mode::empty()) {
            Ok(handle) => self.entered.push((name, Arc::new(handle))),
            // A link by now: look again, but not for ever.
            Err(Errno::LOOP) => {
                self.count_link()?;
                self.pending.push_front(Step::Down(name));
            }
            Err(Errno::NOENT | Errno::NOTDIR) => self.literal.push(name),
            Err(_) if is_last => self.literal.push(name),
            Err(error) => return Err(JailError::io("enter", self.given, error)),
        }
        Ok(())
    }

    fn count_link(&mut self) -> Result<()> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(JailError::TooManyLinks { path: self.given.to_owned() });
        }
        Ok(())
    }

    fn finish(mut self) -> Place {
        let path = self.entered.iter().map(|(name, _)| name).chain(&self.literal).collect();
        let (name, directory) = if let Some(name) = self.literal.pop() {
            (Some(name), None)
        } else if let Some((name, handle)) = self.entered.pop() {
            (Some(name), Some(handle))
        } else {
            (None, Some(self.root.clone()))
        };
        let existing = self.here().clone();
        let missing = self.literal;
        Place { path, directory, leaf: name.map(|name| Leaf { existing, missing, name }) }
    }
}

fn steps(path: &Path) -> impl Iterator<Item = Step> {
    path.components().filter_map(|component| match component {
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Down(name.to_owned())),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    })
}
