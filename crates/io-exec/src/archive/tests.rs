use std::{
    ffi::OsStr,
    fs,
    io::Write as _,
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    path::Path,
};

use proptest::prelude::*;
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use super::*;
use crate::{IgnoreRules, Jail};

struct Bench {
    outside: TempDir,
    jail: Jail,
}

impl Bench {
    fn new() -> Self {
        let outside = tempfile::tempdir().unwrap();
        fs::create_dir(outside.path().join("jail")).unwrap();
        let jail = Jail::open(&outside.path().join("jail")).unwrap();
        Self { outside, jail }
    }

    fn with(files: &[&str]) -> Self {
        let bench = Self::new();
        for file in files {
            // Not through the jail, which leaves `.git` to git.
            let path = bench.jail.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        bench
    }

    fn pack(&self, input: &str, output: &str, rules: &str) -> Result<(), ArchiveError> {
        pack(&self.jail, input, output, &IgnoreRules::parse(rules), Compression::None)
    }

    fn unpack(&self, archive: &[u8], strip: usize) -> Result<Unpacked, ArchiveError> {
        self.jail.write("a.tar", archive).unwrap();
        unpack(&self.jail, "a.tar", "out", strip, &IgnoreRules::parse(""))
    }

    /// The names in an archive.
    fn names(&self, archive: &str) -> Vec<String> {
        let mut archive = tar::Archive::new(self.jail.open_file(archive).unwrap());
        let entries = archive.entries().unwrap();
        entries
            .map(|entry| String::from_utf8(entry.unwrap().path_bytes().into_owned()).unwrap())
            .collect()
    }

    fn tree(&self, path: &str) -> Vec<String> {
        let mut seen = Vec::new();
        self.jail
            .walk(path, |entry| {
                seen.push(entry.path.to_string_lossy().into_owned());
                Ok::<_, JailError>(crate::Descend::Into)
            })
            .unwrap();
        seen
    }

    /// Nothing but the jail is outside, and nothing temporary inside.
    fn assert_clean(&self) {
        assert_eq!(fs::read_dir(self.outside.path()).unwrap().count(), 1);
        let left = self.tree("");
        assert!(!left.iter().any(|name| name.contains(".untar-") || name.contains(".kargo-")));
    }
}

/// An archive of any entries, however hostile.
struct Forge(Builder<Vec<u8>>);

impl Forge {
    fn new() -> Self {
        Self(Builder::new(Vec::new()))
    }

    fn entry(mut self, kind: EntryType, name: &str, target: &str, content: &[u8]) -> Self {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o6755);
        header.set_mtime(1_000_000_000);
        let gnu = header.as_gnu_mut().unwrap();
        gnu.name[..name.len()].copy_from_slice(name.as_bytes());
        gnu.linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_cksum();
        self.0.append(&header, content).unwrap();
        self
    }

    fn file(self, name: &str, content: &[u8]) -> Self {
        self.entry(EntryType::Regular, name, "", content)
    }

    fn link(self, name: &str, target: &str) -> Self {
        self.entry(EntryType::Symlink, name, target, b"")
    }

    fn bytes(self) -> Vec<u8> {
        self.0.into_inner().unwrap()
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_same_files_make_the_same_archive() {
    let bench = Bench::with(&["src/b", "src/a/z", "src/a/y", "src/.git/config"]);
    symlink("../anything", bench.jail.path().join("src/link")).unwrap();
    bench.pack("src", "one.tar", "").unwrap();
    let zipped = |output| {
        pack(&bench.jail, "src", output, &IgnoreRules::parse(""), Compression::Gzip).unwrap();
    };
    zipped("one.tgz");
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    bench.jail.open_file("src/b").unwrap().set_modified(long_ago).unwrap();
    bench.pack("src", "deep/two.tar", "").unwrap();
    assert_eq!(bench.names("one.tar"), ["a/", "a/y", "a/z", "b", "link"]);
    let read = |path| bench.jail.read(path, 1 << 20).unwrap();
    assert_eq!(read("one.tar"), read("deep/two.tar"));
    zipped("two.tgz");
    assert_eq!(read("one.tgz"), read("two.tgz"));
    assert_eq!(read("one.tgz")[..2], [0x1f, 0x8b]);
    let mode = fs::metadata(bench.jail.path().join("deep")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    bench.assert_clean();
}

#[test]
fn a_single_file_has_its_base_name_and_rules_do_not_count_for_it() {
    let bench = Bench::with(&["dir/file"]);
    bench.pack("dir/file", "x.tar", "file").unwrap();
    assert_eq!(bench.names("x.tar"), ["file"]);
    assert!(bench.pack("missing", "y.tar", "").is_err());
    assert!(!bench.jail.exists("y.tar").unwrap());
}

#[test]
fn an_archive_inside_its_own_directory_leaves_itself_out() {
    let bench = Bench::with(&["dir/file", "dir/self.tar"]);
    bench.pack("dir", "dir/self.tar", "").unwrap();
    assert_eq!(bench.names("dir/self.tar"), ["file"]);
    bench.pack("", "dir/self.tar", "").unwrap();
    assert_eq!(bench.names("dir/self.tar"), ["dir/", "dir/file"]);
}

#[test]
fn names_longer_than_a_header_survive_both_ways() {
    let long = format!("src/{}/{}", "d".repeat(200), "f".repeat(200));
    let bench = Bench::with(&[&long, "src/short"]);
    bench.pack("src", "a.tar", "").unwrap();
    unpack(&bench.jail, "a.tar", "src", 0, &IgnoreRules::parse("")).unwrap();
    assert_eq!(bench.jail.read_text(&long, 1_000).unwrap(), long);
}

#[test]
fn rules_prune_what_is_packed_and_unpacked() {
    let bench = Bench::with(&["src/a.md", "src/b", "src/sub/c", "src/.git/x"]);
    bench.pack("src", "a.tar", "sub/\n*.md\n!.git/").unwrap();
    assert_eq!(bench.names("a.tar"), [".git/", ".git/x", "b"]);
    unpack(&bench.jail, "a.tar", "out", 0, &IgnoreRules::parse("")).unwrap();
    assert_eq!(bench.tree("out"), ["b"]);
    let taken_back = unpack(&bench.jail, "a.tar", "out", 0, &IgnoreRules::parse("!.git/"));
    assert!(matches!(taken_back, Err(ArchiveError::Jail(JailError::GitDirectory { .. }))));
    assert_eq!(bench.tree("out"), ["b"], "a failure leaves the target as it was");
    bench.assert_clean();
}

#[test]
fn files_are_packed_up_to_their_limits_and_not_a_byte_further() {
    let bench = Bench::new();
    let size = |name: &str, bytes: u64| {
        bench.jail.write(name, b"").unwrap();
        let file = fs::File::options().write(true).open(bench.jail.path().join(name)).unwrap();
        file.set_len(bytes).unwrap();
    };
    size("in/a", MAX_FILE_BYTES);
    size("in/b", MAX_TOTAL_BYTES - MAX_FILE_BYTES);
    let packed = |output: &str| bench.pack("in", output, "");
    packed("fits.tar").unwrap();
    unpack(&bench.jail, "fits.tar", "out", 0, &IgnoreRules::parse("")).unwrap();
    size("in/c", 1);
    assert!(matches!(packed("no.tar"), Err(ArchiveError::TooLarge)));
    size("in/a", MAX_FILE_BYTES + 1);
    assert!(matches!(packed("no.tar"), Err(ArchiveError::FileTooLarge { .. })));
    assert!(!bench.jail.exists("no.tar").unwrap());
    bench.assert_clean();
}

#[test]
fn an_archive_is_unpacked_in_place_of_what_was_there() {
    let bench = Bench::with(&["out/old"]);
    let archive = Forge::new()
        .entry(EntryType::Directory, "root/dir/", "", b"")
        .file("root/dir/run", b"#!")
        .link("root/dir/same", "run")
        .file("root/dir/same2/deeper", b"x")
        .bytes();
    for bytes in [archive.clone(), gzip(&archive)] {
        assert_eq!(bench.unpack(&bytes, 1).unwrap(), Unpacked { written: 4, skipped: 0 });
        assert_eq!(
            bench.tree("out"),
            ["dir", "dir/run", "dir/same", "dir/same2", "dir/same2/deeper"]
        );
    }
    let metadata = fs::metadata(bench.jail.path().join("out/dir/run")).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o755, "without set-user-id");
    let modified = metadata.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(modified.as_secs(), 1_000_000_000);
    let mode = fs::metadata(bench.jail.path().join("out/dir/same2")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    assert_eq!(bench.unpack(&archive, 2).unwrap().written, 3);
    assert_eq!(bench.unpack(&archive, 9).unwrap(), Unpacked { written: 0, skipped: 4 });
    bench.assert_clean();
}

#[test]
fn hostile_names_links_and_kinds_are_left_out() {
    let bench = Bench::new();
    let archive = Forge::new()
        .file("../up", b"x")
        .file("/etc/absolute", b"x")
        .file("./dot", b"x")
        .file("a/../../b", b"x")
        .file("back\\slash", b"x")
        .file("..", b"x")
        .file("..hidden", b"x")
        .link("up", "..")
        .link("root", "/")
        .link("climb", "a/../../x")
        .entry(EntryType::Link, "hard", "/etc/passwd", b"")
        .entry(EntryType::Char, "device", "", b"")
        .entry(EntryType::Fifo, "pipe", "", b"")
        .file("good", b"x")
        .bytes();
    let unpacked = bench.unpack(&archive, 0).unwrap();
    assert_eq!(
        (unpacked, bench.tree("out")),
        (Unpacked { written: 1, skipped: 13 }, vec!["good".into()])
    );
    bench.assert_clean();
}

#[test]
fn files_written_through_links_stay_in_the_archive() {
    let bench = Bench::with(&["victim"]);
    let archive = Forge::new()
        .link("a", "b")
        .link("b/c", "d")
        .file("a/c/file", b"x")
        .link("loop", "loop")
        .bytes();
    bench.unpack(&archive, 0).unwrap();
    assert_eq!(bench.tree("out"), ["a", "b", "b/c", "b/d", "b/d/file", "loop"]);
    let through_a_loop = Forge::new().link("loop", "loop").file("loop/x", b"x").bytes();
    assert!(bench.unpack(&through_a_loop, 0).is_err());
    assert_eq!(bench.jail.read_text("victim", 10).unwrap(), "victim");
    bench.assert_clean();
}

#[test]
fn archive_bombs_end_early() {
    let bench = Bench::with(&["out/kept"]);
    let announces = |size: u64, kind: EntryType| {
        let mut header = Header::new_gnu();
        header.set_path("bomb").unwrap();
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_cksum();
        header.as_bytes().to_vec()
    };
    let too_large = bench.unpack(&announces(MAX_FILE_BYTES + 1, EntryType::Regular), 0);
    assert!(matches!(too_large, Err(ArchiveError::FileTooLarge { .. })), "{too_large:?}");
    let truncated = bench.unpack(&announces(1_000, EntryType::Regular), 0);
    assert!(matches!(truncated, Err(ArchiveError::Unreadable { .. })), "{truncated:?}");
    // A name of 64 MiB, of zeros, which gzip makes nearly nothing of.
    let mut name = announces(64 << 20, EntryType::GNULongName);
    name.resize(name.len() + (64 << 20), 0);
    let named = bench.unpack(&gzip(&name), 0);
    assert!(matches!(named, Err(ArchiveError::Unreadable { .. })), "{named:?}");
    // A file of holes, which says it has more than the disk.
    let holes = bench.unpack(&announces(1 << 60, EntryType::GNUSparse), 0);
    assert!(holes.is_err(), "{holes:?}");
    // Of a kind that is left out: the number alone counts.
    let many = (0..=MAX_ENTRIES)
        .fold(Forge::new(), |forge, _| forge.entry(EntryType::Fifo, "pipe", "", b""))
        .bytes();
    assert!(matches!(bench.unpack(&gzip(&many), 0), Err(ArchiveError::TooMany)));
    for garbage in
        [&b"not an archive, but long enough to be read as a header block"[..], &[0x1f, 0x8b, 0]]
    {
        let mut bytes = garbage.to_vec();
        bytes.resize(600, b'x');
        assert!(matches!(bench.unpack(&bytes, 0), Err(ArchiveError::Unreadable { .. })));
    }
    assert_eq!(bench.tree("out"), ["kept"]);
    bench.assert_clean();
}

#[test]
fn the_work_directory_and_the_archive_itself_are_no_targets() {
    let bench = Bench::with(&["dir/a.tar"]);
    for output in ["", ".", "/", "dir", "dir/a.tar", "other/.."] {
        let result = unpack(&bench.jail, "dir/a.tar", output, 0, &IgnoreRules::parse(""));
        assert!(matches!(result, Err(ArchiveError::Target { .. })), "{output}");
    }
    let git = unpack(&bench.jail, "dir/a.tar", "src/.git", 0, &IgnoreRules::parse(""));
    assert!(git.is_err());
}

#[test]
fn the_leftover_of_a_killed_attempt_is_replaced() {
    let bench = Bench::new();
    let archive = Forge::new().file("file", b"x").bytes();
    bench.unpack(&archive, 0).unwrap();
    let before = bench.tree("");
    let leftover = unpack::temporary_name(Path::new("out"));
    bench.jail.write(leftover.join("half"), b"").unwrap();
    bench.unpack(&archive, 0).unwrap();
    assert_eq!(bench.tree(""), before);
}

#[test]
fn names_that_are_no_text_survive_both_ways() {
    let name = OsStr::from_bytes(b"not-\xff-text");
    let bench = Bench::with(&["in/a"]);
    bench.jail.write(Path::new("in").join(name), b"x").unwrap();
    bench.pack("in", "a.tar", "").unwrap();
    unpack(&bench.jail, "a.tar", "out", 0, &IgnoreRules::parse("a")).unwrap();
    bench.jail.copy("out", "copy", &IgnoreRules::parse("")).unwrap();
    assert_eq!(bench.jail.read(Path::new("copy").join(name), 1).unwrap(), b"x");
}

/// Names and targets of hostile entries.
fn hostile() -> impl Strategy<Value = String> {
    let component = prop::sample::select(vec!["a", "b", "..", ".", "", ".git", "a\\b"]);
    prop::collection::vec(component, 1..5).prop_map(|parts| parts.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_archive_writes_elsewhere(
        entries in prop::collection::vec((0_usize..4, hostile(), hostile()), 1..12),
        strip in 0_usize..3,
    ) {
        let bench = Bench::with(&["a", "b/victim"]);
        let mut forge = Forge::new();
        for (kind, name, target) in &entries {
            let kinds = [EntryType::Regular, EntryType::Directory, EntryType::Symlink, EntryType::Link];
            forge = forge.entry(kinds[*kind], name, target, if *kind == 0 { b"x" } else { b"" });
        }
        let _ = bench.unpack(&forge.bytes(), strip);
        bench.assert_clean();
        bench.jail.remove("out").unwrap();
        assert_eq!(bench.tree(""), ["a", "a.tar", "b", "b/victim"]);
        assert_eq!(bench.jail.read_text("b/victim", 99).unwrap(), "b/victim");
    }

    #[test]
    fn any_bytes_are_unpacked_or_refused(bytes: Vec<u8>, at in 0_usize..1_500, with: u8) {
        let bench = Bench::new();
        let _ = bench.unpack(&bytes, 0);
        let mut archive = Forge::new().file("a", b"x").link("b", "a").bytes();
        if let Some(byte) = archive.get_mut(at) {
            *byte = with;
        }
        let _ = bench.unpack(&archive, 0);
        bench.assert_clean();
    }
}
