//! What a push would bring, before it is made.

use dev_testkit::server::GitRepository;
use io_git::{Change, Side};

use crate::{
    promotion::{Promotion, commit},
    pushes::seeded,
    world::World,
};

fn text(text: &str) -> Side {
    Side::Text(text.to_owned())
}

fn change(path: &str, before: Side, after: Side) -> Change {
    Change { path: path.to_owned(), before, after }
}

fn tip(origin: &GitRepository) -> io_git::ObjectId {
    let id = origin.git(&["rev-parse", "main"]).unwrap();
    io_git::ObjectId::from_hex(id.as_bytes()).unwrap()
}

#[tokio::test]
async fn every_kind_of_change_is_told_with_contents_by_path() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    let base = tip(&origin);
    assert_eq!(tree.changes(Some(base), tree.head().unwrap()).await.unwrap(), []);
    promotion.write("out/a", "2\n");
    promotion.write("out/c/deep/d", "new\n");
    promotion.write("out/blob", "\0binary");
    promotion.files.remove("out/b").unwrap();
    let made = commit(&tree, "all kinds").await.unwrap();
    let changes = tree.changes(Some(base), made.id).await.unwrap();
    assert_eq!(
        changes,
        [
            change("a", text("1\n"), text("2\n")),
            change("b", text("1\n"), Side::Absent),
            change("blob", Side::Absent, Side::Opaque),
            change("c/deep/d", Side::Absent, text("new\n")),
        ]
    );
}

#[tokio::test]
async fn without_a_base_everything_is_new() {
    let world = World::new().await;
    seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    let changes = tree.changes(None, tree.head().unwrap()).await.unwrap();
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, [".gitignore", "a", "b"]);
    assert!(changes.iter().all(|change| change.before == Side::Absent));
}

#[tokio::test]
async fn a_file_that_becomes_a_directory_is_both() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    promotion.files.remove("out/a").unwrap();
    promotion.write("out/a/inner", "2\n");
    let made = commit(&tree, "deeper").await.unwrap();
    let changes = tree.changes(Some(tip(&origin)), made.id).await.unwrap();
    assert_eq!(
        changes,
        [change("a/inner", Side::Absent, text("2\n")), change("a", text("1\n"), Side::Absent)]
    );
}

#[tokio::test]
async fn only_commits_that_are_here_are_said_to_be() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    assert!(tree.has(tip(&origin)).await.unwrap());
    origin.commit("main", "later", &[("a", "9\n")]).unwrap();
    assert!(!tree.has(tip(&origin)).await.unwrap());
}
