//! Commits and refs through GitHub's API.

use dev_testkit::server::scm::Service;
use io_scm::{NewCommit, RefUpdate, RemotePerson, Standing};

use crate::world::World;

#[tokio::test]
async fn branches_are_read_created_moved_and_deleted() {
    let world = World::of(Service::Github).await;
    let commits = world.commits();
    let main = world.tip("main");
    assert_eq!(commits.branch("main").await.unwrap(), Some(main.clone()));
    assert_eq!(commits.branch("feature/none").await.unwrap(), None);
    assert_eq!(commits.create_branch("feature/x", &main).await.unwrap(), RefUpdate::Done);
    let again = commits.create_branch("feature/x", &main).await.unwrap();
    assert!(matches!(again, RefUpdate::Refused(_)));
    let moved = commits.move_branch("feature/x", &world.head, false).await.unwrap();
    assert_eq!((moved, world.tip("feature/x")), (RefUpdate::Done, world.head.clone()));
    let back = commits.move_branch("feature/x", &main, false).await.unwrap();
    assert!(matches!(back, RefUpdate::Refused(_)));
    let forced = commits.move_branch("feature/x", &main, true).await.unwrap();
    assert_eq!((forced, world.tip("feature/x")), (RefUpdate::Done, main));
    commits.delete_ref("heads/feature/x").await.unwrap();
    commits.delete_ref("heads/feature/x").await.unwrap();
    assert_eq!(commits.branch("feature/x").await.unwrap(), None);
}

#[tokio::test]
async fn commits_are_compared_page_by_page() {
    let world = World::of(Service::Github).await;
    world.server.limit_pages(2);
    let main = world.tip("main");
    let repository = world.server.repository();
    for number in 2..=5 {
        let text = number.to_string();
        repository.commit("work", &format!("change {number}"), &[("n", &text)]).unwrap();
    }
    let head = world.tip("work");
    let compare = world.commits().compare(&main, &head, 10).await.unwrap();
    assert_eq!((compare.standing, compare.total), (Standing::Ahead, 5));
    assert_eq!(compare.merge_base, main);
    let messages: Vec<&str> =
        compare.commits.iter().map(|commit| commit.message.as_str()).collect();
    assert_eq!(messages, ["change", "change 2", "change 3", "change 4", "change 5"]);
    assert_eq!(compare.commits[0].parents, std::slice::from_ref(&main));
    assert_eq!(compare.commits[0].author.as_ref().unwrap().email, "ada@example.com");
    let too_many = world.commits().compare(&main, &head, 4).await.unwrap();
    assert_eq!((too_many.total, too_many.commits.len()), (5, 0));
    let back = world.commits().compare(&head, &main, 10).await.unwrap();
    assert_eq!((back.standing, back.total), (Standing::Behind, 0));
    let same = world.commits().compare(&head, &head, 10).await.unwrap();
    assert_eq!(same.standing, Standing::Identical);
}

#[tokio::test]
async fn a_commit_is_made_with_people_or_signed_by_github() {
    let world = World::of(Service::Github).await;
    let main = world.tip("main");
    let ada = RemotePerson {
        name: "Ada".to_owned(),
        email: "ada@example.com".to_owned(),
        date: Some("2026-01-02T03:04:05Z".to_owned()),
    };
    let mut new = NewCommit {
        tree: world.tip("work^{tree}"),
        message: "replayed\n\nbody".to_owned(),
        parents: vec![main],
        people: Some((ada.clone(), ada)),
    };
    let made = world.commits().create_commit(&new).await.unwrap();
    let shown = |id: &str| {
        let format = "--format=%an <%ae> %aI %s";
        world.server.repository().git(&["show", "--no-patch", format, id]).unwrap()
    };
    insta::assert_snapshot!(shown(&made), @"Ada <ada@example.com> 2026-01-02T03:04:05+00:00 replayed");
    new.people = None;
    let signed = world.commits().create_commit(&new).await.unwrap();
    insta::assert_snapshot!(shown(&signed), @"the-token[bot] <bot@users.noreply.example.com> 2026-01-01T00:00:00+00:00 replayed");
    let text = world.server.repository().git(&["cat-file", "commit", &signed]).unwrap();
    assert!(text.contains("gpgsig"));
}
