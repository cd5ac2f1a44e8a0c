//! Writes archives. The same files make the same bytes: sorted, owned by nobody, with one date.

use std::{
    fs::File,
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use super::{ArchiveError, MAX_ENTRIES, MAX_FILE_BYTES, MAX_TOTAL_BYTES};
use crate::{Descend, FileKind, IgnoreRules, Jail, JailError, Metadata, NewFile};

/// The date of all entries: 1980-01-01, the oldest that every tool believes.
const DATE: u64 = 315_532_800;

/// Permissions of directories that are made for an archive.
const DIRECTORY_MODE: u32 = 0o750;

/// How an archive is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// With gzip.
    Gzip,
}

/// Packs a file or what a directory holds; a former archive is replaced once this one is whole.
pub fn pack(
    jail: &Jail,
    input: &str,
    output: &str,
    rules: &IgnoreRules,
    compression: Compression,
) -> Result<(), ArchiveError> {
    let metadata = jail.metadata(input)?;
    jail.create_parents(output, DIRECTORY_MODE)?;
    let mut target = jail.create(output)?;
    let written = {
        let archive = target.path().to_owned();
        let buffer = BufWriter::with_capacity(1 << 16, &mut target);
        match compression {
            Compression::None => Packer::new(jail, &archive, buffer).run(input, metadata, rules),
            Compression::Gzip => {
                let encoder = GzEncoder::new(buffer, flate2::Compression::default());
                Packer::new(jail, &archive, encoder)
                    .run(input, metadata, rules)
                    .and_then(|encoder| Ok(encoder.finish().map_err(|e| failed(&archive, e))?))
            }
        }
    };
    written.and_then(|buffer| finish(buffer, output))?;
    Ok(target.commit_durably()?)
}

fn finish(buffer: BufWriter<&mut NewFile>, output: &str) -> Result<(), ArchiveError> {
    let flushed = buffer.into_inner().map_err(io::IntoInnerError::into_error);
    Ok(flushed.map(drop).map_err(|error| failed(Path::new(output), error))?)
}

fn failed(path: &Path, error: io::Error) -> JailError {
    JailError::io("write to", path, error)
}

struct Packer<'a, W: Write> {
    jail: &'a Jail,
    archive: &'a Path,
    builder: Builder<W>,
    entries: usize,
    total: u64,
}

impl<'a, W: Write> Packer<'a, W> {
    fn new(jail: &'a Jail, archive: &'a Path, output: W) -> Self {
        Self { jail, archive, builder: Builder::new(output), entries: 0, total: 0 }
    }

    fn run(
        mut self,
        input: &str,
        metadata: Metadata,
        rules: &IgnoreRules,
    ) -> Result<W, ArchiveError> {
        let source = self.jail.locate(input)?;
        match metadata.kind {
            FileKind::Directory => self.add_tree(&source, rules)?,
            FileKind::File => {
                let name = source.file_name().map(PathBuf::from).unwrap_or_default();
                self.add_file(&name, metadata, self.jail.open_file(input)?)?;
            }
            FileKind::Symlink | FileKind::Special => {
                return Err(JailError::Special { path: source }.into());
            }
        }
        let archive = self.archive;
        self.builder.into_inner().map_err(|error| failed(archive, error).into())
    }

    fn add_tree(&mut self, source: &Path, rules: &IgnoreRules) -> Result<(), ArchiveError> {
        let jail = self.jail;
        jail.walk(source, |entry| {
            let kind = entry.metadata.kind;
            if rules.ignores(&entry.path, kind == FileKind::Directory)
                || self.is_own(&source.join(&entry.path))
            {
                return Ok(Descend::Past);
            }
            match kind {
                FileKind::Directory => self.add_directory(&entry.path, entry.metadata)?,
                FileKind::File => {
                    self.add_file(&entry.path, entry.metadata, entry.open_file()?)?;
                }
                FileKind::Symlink => {
                    self.add_link(&entry.path, entry.metadata, &entry.read_link()?)?;
                }
                FileKind::Special => {}
            }
            Ok::<_, ArchiveError>(Descend::Into)
        })
    }

    /// Whether a file is the archive that is being made, or its former version.
    fn is_own(&self, path: &Path) -> bool {
        NewFile::is_for(self.archive, path)
    }

    fn add_directory(&mut self, path: &Path, metadata: Metadata) -> Result<(), ArchiveError> {
        let mut name = path.as_os_str().to_owned();
        name.push("/");
        let mut header = self.header(EntryType::Directory, metadata)?;
        self.written(path, |builder| builder.append_data(&mut header, name, io::empty()))
    }

    fn add_link(
        &mut self,
        path: &Path,
        metadata: Metadata,
        target: &Path,
    ) -> Result<(), ArchiveError> {
        let mut header = self.header(EntryType::Symlink, metadata)?;
        self.written(path, |builder| builder.append_link(&mut header, path, target))
    }

    fn add_file(
        &mut self,
        path: &Path,
        metadata: Metadata,
        file: File,
    ) -> Result<(), ArchiveError> {
        let size = metadata.size;
        if size > MAX_FILE_BYTES {
            return Err(ArchiveError::FileTooLarge { path: path.to_owned(), size });
        }
        self.total += size;
        if self.total > MAX_TOTAL_BYTES {
            return Err(ArchiveError::TooLarge);
        }
        let mut header = self.header(EntryType::Regular, metadata)?;
        header.set_size(size);
        let mut content = file.take(size);
        self.written(path, |builder| builder.append_data(&mut header, path, &mut content))?;
        // The header has promised its size.
        if content.limit() > 0 {
            return Err(ArchiveError::Changed { path: path.to_owned() });
        }
        Ok(())
    }

    fn header(&mut self, kind: EntryType, metadata: Metadata) -> Result<Header, ArchiveError> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(ArchiveError::TooMany);
        }
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(metadata.mode & 0o777);
        header.set_mtime(DATE);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(0);
        Ok(header)
    }

    fn written(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut Builder<W>) -> io::Result<()>,
    ) -> Result<(), ArchiveError> {
        write(&mut self.builder).map_err(|error| JailError::io("pack", path, error).into())
    }
}
