//! What is read from a mirror.

use std::ops::ControlFlow;

use io_git::Error;

use crate::world::{World, fetch, subjects};

#[tokio::test]
async fn commits_are_read_along_first_parents_without_file_contents() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    origin.commit("main", "one\n\nbody", &[("x", "1")]).unwrap();
    let side = origin.commit("main", "two", &[("x", "2")]).unwrap();
    let tree = origin.git(&["rev-parse", &format!("{side}^{{tree}}")]).unwrap();
    let first = origin.git(&["rev-parse", "main~1"]).unwrap();
    let merge =
        origin.git(&["commit-tree", &tree, "-p", &first, "-p", &side, "-m", "merge"]).unwrap();
    origin.git(&["update-ref", "refs/heads/main", &merge]).unwrap();
    let snapshot = fetch(&world.repository("a"), "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&snapshot, "refs/heads/main").await.unwrap(), ["merge", "one"]);
    let commit = snapshot.read(move |reader| reader.commit(reader.tip("refs/heads/main")?)).await;
    let commit: io_git::Commit = commit.unwrap();
    assert_eq!((commit.parents.len(), commit.signed), (2, false));
    assert_eq!(commit.committer.to_string(), "Test <test@example.com>");
    let mirror = &world.mirrors()[0];
    let blobs = std::process::Command::new("git")
        .arg("-C")
        .arg(mirror)
        .args(["cat-file", "--batch-all-objects", "--batch-check=%(objecttype)"])
        .output()
        .unwrap();
    assert!(
        !String::from_utf8(blobs.stdout).unwrap().contains("blob"),
        "file contents were fetched"
    );
}

#[tokio::test]
async fn changed_paths_are_those_against_the_first_parent() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    origin.commit("main", "root", &[("a/b/c", "1"), ("a/d", "1"), ("top", "1")]).unwrap();
    origin.commit("main", "edit", &[("a/b/c", "2"), ("new/café file", "1")]).unwrap();
    // A move: the old path goes, the new one comes; a file becomes a directory.
    origin
        .git_with(
            &["fast-import", "--quiet"],
            "commit refs/heads/main\ncommitter T <t@e> 1700000999 +0000\ndata 4\nmove\nfrom refs/heads/main^0\n\
             R a/d moved\nD top\nM 100644 inline top/inner\ndata 1\nx\n",
        )
        .unwrap();
    let snapshot = fetch(&world.repository("a"), "refs/heads/main").await.unwrap();
    let changed = snapshot.read(|reader| -> Result<Vec<Vec<String>>, Error> {
        let commits = reader.first_parents(reader.tip("refs/heads/main")?);
        commits
            .map(|commit| {
                let mut paths = reader.changed_paths(&commit?)?;
                paths.sort();
                Ok(paths)
            })
            .collect()
    });
    assert_eq!(
        changed.await.unwrap(),
        [
            vec!["a/d", "moved", "top", "top/inner"],
            vec!["a/b/c", "new/café file"],
            vec!["a/b/c", "a/d", "top"],
        ]
    );
    let stopped = snapshot.read(|reader| -> Result<usize, Error> {
        let mut count = 0;
        let commit = reader.commit(reader.tip("refs/heads/main")?)?;
        reader.each_changed_path(&commit, &mut |_| {
            count += 1;
            ControlFlow::Break(())
        })?;
        Ok(count)
    });
    assert_eq!(stopped.await.unwrap(), 1);
}

#[tokio::test]
async fn tags_lead_to_commits_and_others_are_left_out() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    let commit = origin.commit("main", "one", &[("x", "1")]).unwrap();
    origin.git(&["tag", "light", &commit]).unwrap();
    origin.git(&["tag", "-a", "heavy", "-m", "first\nline\n\nbody", &commit]).unwrap();
    origin.git(&["tag", "-a", "nested", "-m", "outer", "heavy"]).unwrap();
    origin.git(&["tag", "tree", &format!("{commit}^{{tree}}")]).unwrap();
    origin.git(&["tag", "-a", "blob", "-m", "file", &format!("{commit}:x")]).unwrap();
    let repository = world.repository("a");
    let refs = repository.list_refs(&["refs/tags/"]).await.unwrap();
    let names: Vec<&str> = refs.iter().map(|found| found.name.as_str()).collect();
    let snapshot = repository.fetch(&refs, &names).await.unwrap();
    let tags = snapshot.read(|reader| -> Result<Vec<_>, Error> {
        ["heavy", "light", "nested", "tree", "blob"]
            .map(|name| reader.tag(&format!("refs/tags/{name}")))
            .into_iter()
            .collect()
    });
    let tags = tags.await.unwrap();
    let heavy = tags[0].as_ref().unwrap();
    assert_eq!((heavy.name.as_str(), heavy.annotation.as_str()), ("heavy", "first line"));
    assert_eq!(heavy.tagger.as_ref().unwrap().to_string(), "Test <test@example.com>");
    assert_eq!(heavy.commit.id.to_string(), commit);
    let light = tags[1].as_ref().unwrap();
    assert_eq!((light.tagger.clone(), light.created_at), (None, light.commit.committed_at));
    assert_eq!(tags[2].as_ref().unwrap().commit.id.to_string(), commit);
    assert_eq!((&tags[3], &tags[4]), (&None, &None));
}

#[tokio::test]
async fn a_shallow_repository_ends_where_it_was_cut() {
    let world = World::new().await;
    let deep = world.server.repository("deep").unwrap();
    deep.grow("main", 20).unwrap();
    let shallow = world.server.repository("shallow").unwrap();
    let url = format!("file://{}", deep.path().display());
    shallow
        .git(&["fetch", "--quiet", "--depth=3", &url, "+refs/heads/main:refs/heads/main"])
        .unwrap();
    let snapshot = fetch(&world.repository("shallow"), "refs/heads/main").await.unwrap();
    assert_eq!(
        subjects(&snapshot, "refs/heads/main").await.unwrap(),
        ["change 19", "change 18", "change 17"]
    );
}

#[tokio::test]
async fn a_repository_with_sha256_ids_is_read() {
    let world = World::new().await;
    let origin = world.server.repository("wide").unwrap();
    std::fs::remove_dir_all(origin.path()).unwrap();
    std::process::Command::new("git")
        .args(["init", "--quiet", "--bare", "--object-format=sha256", "--initial-branch=main"])
        .arg(origin.path())
        .status()
        .unwrap();
    let tip = origin.commit("main", "one", &[("x", "1")]).unwrap();
    assert_eq!(tip.len(), 64);
    let snapshot = fetch(&world.repository("wide"), "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&snapshot, "refs/heads/main").await.unwrap(), ["one"]);
}
