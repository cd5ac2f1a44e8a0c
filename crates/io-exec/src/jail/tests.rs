use std::{
    fs,
    io::Write as _,
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    sync::atomic::{AtomicBool, Ordering},
};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::IgnoreRules;

/// A jail beside a file that nobody in it may read or change.
struct Prison {
    outside: TempDir,
    jail: Jail,
}

const SECRET: &str = "nobody in the jail may see this";

impl Prison {
    fn new() -> Self {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), SECRET).unwrap();
        fs::create_dir(outside.path().join("vault")).unwrap();
        fs::write(outside.path().join("vault/secret"), SECRET).unwrap();
        fs::create_dir(outside.path().join("jail")).unwrap();
        let jail = Jail::open(&outside.path().join("jail")).unwrap();
        Self { outside, jail }
    }

    fn inside(&self, path: &str) -> PathBuf {
        self.jail.path().join(path)
    }

    fn link(&self, target: impl AsRef<Path>, path: &str) {
        symlink(target, self.inside(path)).unwrap();
    }

    fn assert_outside_is_untouched(&self) {
        let mut names: Vec<_> = fs::read_dir(self.outside.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["jail", "secret", "vault"]);
        assert_eq!(fs::read_dir(self.outside.path().join("vault")).unwrap().count(), 1);
        for file in ["secret", "vault/secret"] {
            assert_eq!(fs::read_to_string(self.outside.path().join(file)).unwrap(), SECRET);
        }
    }
}

fn tree(jail: &Jail, path: &str) -> Vec<String> {
    let mut seen = Vec::new();
    jail.walk(path, |entry| {
        seen.push(entry.path.to_str().unwrap().to_owned());
        Ok::<_, JailError>(Descend::Into)
    })
    .unwrap();
    seen
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn paths_and_links_mean_what_they_would_if_the_directory_were_the_root() {
    let prison = Prison::new();
    fs::create_dir_all(prison.inside("a/b")).unwrap();
    prison.link("/a", "absolute");
    prison.link("../../../a", "a/up");
    prison.link("b/../b", "a/around");
    prison.link(prison.outside.path().join("vault"), "vault");
    for (path, leads_to) in [
        ("", ""),
        ("/", ""),
        ("../../..", ""),
        ("../secret", "secret"),
        ("/etc/passwd", "etc/passwd"),
        ("a//./b/", "a/b"),
        ("absolute/b", "a/b"),
        ("a/up/b", "a/b"),
        ("a/around/x", "a/b/x"),
        ("missing/../a/up", "a"),
        ("missing/x/../../a", "a"),
    ] {
        assert_eq!(prison.jail.locate(path).unwrap(), Path::new(leads_to), "{path}");
    }
    let vault = prison.jail.locate("vault/secret").unwrap();
    assert!(prison.jail.resolve("vault/secret").unwrap().starts_with(prison.jail.path()));
    assert!(vault.ends_with("vault/secret") && vault.is_relative());
    assert!(prison.jail.read("vault/secret", 100).unwrap_err().is_not_found());
}

#[test]
fn links_that_lead_to_each_other_end_in_an_error() {
    let prison = Prison::new();
    prison.link("two", "one");
    prison.link("one", "two");
    prison.link("self/self/self", "self");
    for path in ["one", "two/x", "self"] {
        let result = prison.jail.locate(path);
        assert!(matches!(result, Err(JailError::TooManyLinks { .. })), "{path}: {result:?}");
    }
    assert!(prison.jail.remove("one").unwrap(), "a link can be removed wherever it leads");
}

#[test]
fn a_written_file_is_private_and_a_rewritten_one_keeps_its_mode() {
    let prison = Prison::new();
    prison.jail.write("deep/er/new.txt", b"one").unwrap();
    assert_eq!(mode(&prison.inside("deep")), 0o700);
    assert_eq!(mode(&prison.inside("deep/er/new.txt")), 0o600);
    fs::set_permissions(prison.inside("deep/er/new.txt"), PermissionsExt::from_mode(0o4755))
        .unwrap();
    prison.link("deep/er", "short");
    prison.jail.write("short/new.txt", b"two").unwrap();
    assert_eq!(prison.jail.read_text("deep/er/new.txt", 3).unwrap(), "two");
    assert_eq!(mode(&prison.inside("deep/er/new.txt")), 0o755, "without set-user-id");
    assert_eq!(prison.jail.read_dir("deep/er").unwrap().len(), 1, "nothing is left beside it");
}

#[test]
fn a_link_in_place_of_a_file_is_written_through_inside_only() {
    let prison = Prison::new();
    prison.link(prison.outside.path().join("secret"), "escape");
    prison.link("../../secret", "climb");
    prison.jail.write("escape", b"x").unwrap();
    prison.jail.write("climb", b"y").unwrap();
    assert_eq!(fs::read_to_string(prison.inside("secret")).unwrap(), "y");
    prison.assert_outside_is_untouched();
}

#[test]
fn an_unfinished_file_is_gone_and_a_leftover_one_is_replaced() {
    let prison = Prison::new();
    let mut file = prison.jail.create("file").unwrap();
    file.append(b"half").unwrap();
    drop(file);
    assert!(prison.jail.read_dir("").unwrap().is_empty());
    std::mem::forget(prison.jail.create("file").unwrap());
    prison.jail.write("file", b"whole").unwrap();
    assert_eq!(prison.jail.read_dir("").unwrap().len(), 1);
}

#[test]
fn nothing_is_written_beneath_a_git_directory() {
    let prison = Prison::new();
    fs::create_dir_all(prison.inside("src/.git")).unwrap();
    prison.link("src/.git", "innocent");
    prison.jail.write("file", b"").unwrap();
    let refused = |result: Result<()>| matches!(result, Err(JailError::GitDirectory { .. }));
    for path in [".git", "src/.git/config", "innocent/config", "a/.GIT/hooks/x", "src/.git"] {
        assert!(refused(prison.jail.write(path, b"")), "{path}");
        assert!(refused(prison.jail.rename("file", path)) || path == "innocent", "{path}");
    }
    assert!(refused(prison.jail.symlink("x", "src/.git/x")));
    assert!(refused(prison.jail.set_mode("innocent", 0o777)));
    assert!(refused(prison.jail.create_dirs("new/.git/hooks")));
    prison.jail.write(".gitignore", b"").unwrap();
    assert!(prison.jail.remove("src/.git").unwrap());
}

#[test]
fn large_special_and_foreign_files_are_told_apart() {
    let prison = Prison::new();
    prison.jail.write("five", b"12345").unwrap();
    assert_eq!(prison.jail.read("five", 5).unwrap(), b"12345");
    assert!(matches!(prison.jail.read("five", 4), Err(JailError::TooLarge { limit: 4, .. })));
    prison.jail.write("bytes", b"\xff").unwrap();
    assert!(matches!(prison.jail.read_text("bytes", 9), Err(JailError::NotText { .. })));
    let pipe = prison.inside("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
    assert!(matches!(prison.jail.read("pipe", 1), Err(JailError::Special { .. })));
    let name = std::ffi::OsStr::from_bytes(b"not-\xff-text");
    prison.jail.write(name, b"x").unwrap();
    assert_eq!(prison.jail.read(name, 1).unwrap(), b"x");
    assert!(prison.jail.read("nul\0byte", 1).is_err());
    assert!(prison.jail.read("x/".repeat(2000), 1).is_err());
    assert!(prison.jail.write("x/".repeat(300), b"").is_err());
    assert!(prison.jail.write("x".repeat(256), b"").is_err());
    prison.jail.write("y".repeat(255), b"").unwrap();
}

#[test]
fn messages_name_relative_paths_only() {
    let prison = Prison::new();
    fs::create_dir(prison.inside("dir")).unwrap();
    let errors = [
        prison.jail.read("../missing", 1).unwrap_err(),
        prison.jail.write("dir", b"").unwrap_err(),
        prison.jail.write("", b"").unwrap_err(),
        prison.jail.write("a/.git/x", b"").unwrap_err(),
    ];
    let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "cannot read missing",
            "cannot write to dir",
            "cannot write to the work directory itself: name a path inside it",
            "a/.git/x lies in a .git directory, which only git steps write to: choose another path",
        ]
    );
    let printed = format!("no such file: {}/dir/x in {0}", prison.jail.path().display());
    assert_eq!(prison.jail.hide_root(&printed), "no such file: dir/x in .");
    let beside = format!("{}-private/key", prison.jail.path().display());
    assert_eq!(prison.jail.hide_root(&beside), beside);
    assert_eq!(prison.jail.relative(&prison.inside("dir/x")), Path::new("dir/x"));
    assert_eq!(prison.jail.relative(prison.jail.path()), Path::new("."));
}

#[test]
fn removal_and_replacement_take_links_for_links() {
    let prison = Prison::new();
    prison.link(prison.outside.path().join("vault"), "vault");
    prison.jail.write("tree/a/b", b"1").unwrap();
    prison.link("../../vault", "tree/link");
    assert!(prison.jail.remove("tree").unwrap());
    assert!(prison.jail.remove("vault").unwrap());
    assert!(!prison.jail.remove("vault").unwrap());
    assert!(matches!(prison.jail.remove("a/.."), Err(JailError::Root { .. })));
    prison.jail.write("old/x", b"old").unwrap();
    prison.jail.write("fresh/y", b"new").unwrap();
    prison.jail.swap_in("fresh", "old").unwrap();
    assert_eq!(prison.jail.read("old/y", 9).unwrap(), b"new");
    assert!(!prison.jail.exists("old/x").unwrap() && !prison.jail.exists("fresh").unwrap());
    prison.jail.swap_in("old", "elsewhere/new").unwrap();
    assert!(prison.jail.exists("elsewhere/new/y").unwrap());
    prison.assert_outside_is_untouched();
}

#[test]
fn a_walk_is_in_order_and_does_not_follow_links() {
    let prison = Prison::new();
    for path in ["b/2", "b/1", "a", "c/d/e"] {
        prison.jail.write(path, b"").unwrap();
    }
    prison.link("/", "b/root");
    let mut seen = Vec::new();
    prison
        .jail
        .walk("", |entry| {
            seen.push(entry.path.to_str().unwrap().to_owned());
            let descend = if entry.path == Path::new("c") { Descend::Past } else { Descend::Into };
            Ok::<_, JailError>(descend)
        })
        .unwrap();
    assert_eq!(seen, ["a", "b", "b/1", "b/2", "b/root", "c"]);
    assert!(prison.jail.walk("a", |_| Ok::<_, JailError>(Descend::Into)).is_err());
    assert!(prison.jail.read_dir("nope").unwrap_err().is_not_found());
}

#[test]
fn a_tree_is_copied_with_its_permissions_but_without_links_and_git() {
    let prison = Prison::new();
    for path in ["in/a", "in/ro/b", "in/.git/config", "in/sub/.git", "in/x.md", "out/kept"] {
        fs::create_dir_all(prison.inside(path).parent().unwrap()).unwrap();
        fs::write(prison.inside(path), path).unwrap();
    }
    prison.link(prison.outside.path().join("secret"), "in/secret");
    let modes = [("in/a", 0o754), ("in/ro/b", 0o444), ("in/ro", 0o555), ("in", 0o750)];
    for (path, mode) in modes {
        fs::set_permissions(prison.inside(path), PermissionsExt::from_mode(mode)).unwrap();
    }
    for attempt in 0..2 {
        prison.jail.copy("in", "out", &IgnoreRules::parse("*.md")).unwrap();
        assert_eq!(tree(&prison.jail, "out"), ["a", "kept", "ro", "ro/b", "sub"], "{attempt}");
        for (path, wanted) in modes {
            assert_eq!(mode(&prison.inside(&path.replacen("in", "out", 1))), wanted, "{path}");
        }
    }
    prison.jail.copy("in", "all", &IgnoreRules::parse("!.git")).unwrap();
    assert_eq!(prison.jail.read_text("all/.git/config", 99).unwrap(), "in/.git/config");
    assert_eq!(prison.jail.read_text("all/sub/.git", 99).unwrap(), "in/sub/.git");
    prison.link("../all/.git", "out/sub/linked");
    prison.jail.write("evil/linked/config", b"[core]").unwrap();
    let through_a_link = prison.jail.copy("evil", "out/sub", &IgnoreRules::parse(""));
    assert!(matches!(through_a_link, Err(JailError::GitDirectory { .. })), "{through_a_link:?}");
    let into_git = prison.jail.copy("in/a", "all/.git/hooks/x", &IgnoreRules::parse(""));
    assert!(matches!(into_git, Err(JailError::GitDirectory { .. })));
}

#[test]
fn a_copy_onto_or_into_itself_changes_nothing() {
    let prison = Prison::new();
    prison.jail.write("dir/a", b"A").unwrap();
    prison.link("dir", "same");
    let rules = IgnoreRules::parse("");
    prison.jail.copy("dir/a", "same/a", &rules).unwrap();
    prison.jail.copy("dir", "same", &rules).unwrap();
    assert_eq!(prison.jail.read_text("dir/a", 9).unwrap(), "A");
    for (from, to) in [("dir", "dir/b"), ("dir", "same/b"), ("", "out"), (".", "dir")] {
        let result = prison.jail.copy(from, to, &rules);
        assert!(matches!(result, Err(JailError::IntoItself { .. })), "{from} {to} {result:?}");
    }
    assert!(prison.jail.copy("dir", "dir/a/x", &rules).is_err());
    assert!(prison.jail.copy("missing", "x", &rules).unwrap_err().is_not_found());
    assert_eq!(tree(&prison.jail, ""), ["dir", "dir/a", "same"]);
}

#[test]
fn where_leaving_is_an_error_links_that_leave_are_told() {
    let prison = Prison::new();
    fs::create_dir_all(prison.inside("a/b")).unwrap();
    prison.link("../..", "a/up");
    prison.link("/etc", "absolute");
    prison.link(prison.inside("a"), "inside");
    let located = |path: &str| prison.jail.locate_beneath(path);
    assert_eq!(located("inside/b").unwrap(), Path::new("a/b"));
    assert_eq!(located("a/up").unwrap(), Path::new("a/up"), "the last link is kept");
    for path in ["a/up/x", "absolute/passwd", "../x", "a/../../x"] {
        assert!(matches!(located(path), Err(JailError::Outside { .. })), "{path}");
    }
}

#[test]
fn the_quota_counts_what_is_there_and_what_is_written() {
    let prison = Prison::new();
    fs::write(prison.inside("before"), [0; 60]).unwrap();
    let jail = prison.jail.clone().with_quota(100).unwrap();
    jail.write("a", &[0; 40]).unwrap();
    let refused = jail.write("b", &[0; 1]);
    assert!(matches!(refused, Err(JailError::Quota { limit: 100 })), "{refused:?}");
    assert!(!jail.exists("b").unwrap());
    jail.remove("before").unwrap();
    jail.write("b", &[0; 60]).unwrap();
    assert_eq!(jail.usage().unwrap(), 100);
    fs::write(prison.inside("by a program"), [0; 1]).unwrap();
    assert!(jail.check_quota().is_err());
    let mut file = jail.create("c").unwrap();
    let error = file.write_all(b"x").unwrap_err();
    assert!(matches!(JailError::io("write to", Path::new("c"), error), JailError::Quota { .. }));
}

#[tokio::test]
async fn work_that_nobody_waits_for_ends() {
    let prison = Prison::new();
    let (started, has_started) = std::sync::mpsc::channel();
    let (ended, has_ended) = std::sync::mpsc::channel();
    let work = prison.jail.blocking(move |jail| {
        started.send(()).unwrap();
        let result = loop {
            if let Err(error) = jail.write("again", b"") {
                break error;
            }
        };
        ended.send(matches!(result, JailError::Cancelled)).unwrap();
        Ok::<_, JailError>(())
    });
    let mut work = Box::pin(work);
    assert!(futures::poll!(&mut work).is_pending());
    has_started.recv().unwrap();
    drop(work);
    assert!(has_ended.recv().unwrap());
    prison.jail.write("still usable", b"").unwrap();
}

#[test]
fn a_directory_that_turns_into_a_link_meanwhile_leads_nowhere() {
    let prison = Prison::new();
    let (directory, link) = (prison.inside("shifty"), prison.inside("link"));
    fs::create_dir(&directory).unwrap();
    symlink(prison.outside.path().join("vault"), &link).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let exchange = rustix::fs::RenameFlags::EXCHANGE;
                let here = rustix::fs::CWD;
                rustix::fs::renameat_with(here, &directory, here, &link, exchange).unwrap();
            }
        });
        for _ in 0..1_000 {
            // Errors are fine: the path changes under our hands.
            let _ = prison.jail.write("shifty/secret", b"changed");
            let _ = prison.jail.create_dirs("shifty/new");
            if let Ok(text) = prison.jail.read_text("shifty/secret", 100) {
                assert_eq!(text, "changed");
            }
            let _ = prison.jail.remove("shifty/secret");
            let _ = prison.jail.walk("shifty", |entry| {
                assert!(entry.open_file().is_err() || entry.metadata.size != SECRET.len() as u64);
                Ok::<_, JailError>(Descend::Into)
            });
        }
        done.store(true, Ordering::Relaxed);
    });
    prison.assert_outside_is_untouched();
}

/// What a hostile program or archive may put into the work directory.
#[derive(Clone, Debug)]
enum Planted {
    File(String),
    Directory(String),
    Link(String, String),
    LinkOutside(String),
}

#[derive(Clone, Debug)]
enum Act {
    Write(String),
    CreateDirs(String),
    Remove(String),
    Rename(String, String),
    SwapIn(String, String),
    Symlink(String, String),
    SetMode(String),
    Copy(String, String),
}

fn path() -> impl Strategy<Value = String> {
    let component = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c"]),
        2 => Just(".."),
        1 => prop::sample::select(vec![".", "", "secret", "vault", "jail"]),
    ];
    prop::collection::vec(component, 1..6).prop_map(|parts| parts.join("/"))
}

fn planted() -> impl Strategy<Value = Planted> {
    prop_oneof![
        path().prop_map(Planted::File),
        path().prop_map(Planted::Directory),
        (path(), path()).prop_map(|(target, at)| Planted::Link(target, at)),
        path().prop_map(Planted::LinkOutside),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        path().prop_map(Act::Write),
        path().prop_map(Act::CreateDirs),
        path().prop_map(Act::Remove),
        (path(), path()).prop_map(|(from, to)| Act::Rename(from, to)),
        (path(), path()).prop_map(|(from, to)| Act::SwapIn(from, to)),
        (path(), path()).prop_map(|(target, at)| Act::Symlink(target, at)),
        path().prop_map(Act::SetMode),
        (path(), path()).prop_map(|(from, to)| Act::Copy(from, to)),
    ]
}

fn plant(prison: &Prison, planted: &Planted) {
    let jail = &prison.jail;
    // What does not fit the tree so far is left out.
    let _ = match planted {
        Planted::File(path) => jail.write(path, b"inside"),
        Planted::Directory(path) => jail.create_dirs(path),
        Planted::Link(target, path) => jail.symlink(target, path),
        Planted::LinkOutside(path) => jail.symlink(prison.outside.path(), path),
    };
}

fn perform(jail: &Jail, act: &Act) {
    // Refusals are fine; effects outside are not.
    let _ = match act {
        Act::Write(path) => jail.write(path, b"changed"),
        Act::CreateDirs(path) => jail.create_dirs(path),
        Act::Remove(path) => jail.remove(path).map(drop),
        Act::Rename(from, to) => jail.rename(from, to),
        Act::SwapIn(from, to) => jail.swap_in(from, to),
        Act::Symlink(target, path) => jail.symlink(target, path),
        Act::SetMode(path) => jail.set_mode(path, 0o700),
        Act::Copy(from, to) => jail.copy(from, to, &IgnoreRules::parse("!.git")),
    };
}

/// No part of a resolved path is a link, so that whoever opens it arrives there.
fn assert_has_no_links(jail: &Jail, path: &Path) {
    for part in path.ancestors() {
        let metadata = fs::symlink_metadata(jail.path().join(part));
        assert!(!metadata.is_ok_and(|metadata| metadata.is_symlink()), "{}", part.display());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn nothing_outside_is_ever_read_or_changed(
        tree in prop::collection::vec(planted(), 0..12),
        acts in prop::collection::vec((act(), path()), 1..8),
    ) {
        let prison = Prison::new();
        for part in &tree {
            plant(&prison, part);
        }
        for (act, looked_at) in &acts {
            perform(&prison.jail, act);
            if let Ok(text) = prison.jail.read_text(looked_at, 1_000) {
                prop_assert_ne!(text, SECRET);
            }
            if let Ok(place) = prison.jail.locate(looked_at) {
                prop_assert!(place.components().all(|part| matches!(part, std::path::Component::Normal(_))));
                assert_has_no_links(&prison.jail, &place);
            }
        }
        prison.assert_outside_is_untouched();
    }
}
