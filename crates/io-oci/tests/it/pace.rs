//! How questions to a registry are spread over time, by a clock that the test moves.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use core_clock::{ManualClock, Time};
use futures::future::join_all;
use io_oci::{Access, Pace, Repository, Want};

use crate::{
    anonymous,
    double::Double,
    images::{Shelf, serve},
    registries,
};

const TAGS: usize = 100;

struct World {
    server: Double,
    shelf: Arc<std::sync::Mutex<Shelf>>,
    clock: ManualClock,
    repository: Repository,
    tags: Vec<String>,
}

impl World {
    /// A repository of which all tags are known.
    async fn known() -> Self {
        let mut shelf = Shelf::default();
        for number in 0..TAGS {
            shelf.image(&format!("v{number:02}"), "2024-01-01T00:00:00Z", "");
        }
        let (server, shelf) = serve(shelf).await;
        let clock = ManualClock::new(Time::default());
        let repository =
            registries().image_repository(&server.repository("app"), &anonymous()).unwrap();
        let tags = repository.tags().await.unwrap();
        let world = Self { server, shelf, clock, repository, tags };
        let world = world.paced();
        // What is new does not wait.
        let images = world.repository.images(&world.tags, Want::default()).await.unwrap();
        assert_eq!((images.len(), world.heads()), (TAGS, 0));
        world.paced()
    }

    /// Begins to spread what comes over 50 s.
    fn paced(self) -> Self {
        let pace = Pace::over(Duration::from_secs(50), Arc::new(self.clock.clone()));
        Self { repository: self.repository.at_pace(pace), ..self }
    }

    fn search(&self) -> Pin<Box<dyn Future<Output = usize> + '_>> {
        Box::pin(async { self.repository.images(&self.tags, Want::default()).await.unwrap().len() })
    }

    /// How often tags were asked for by HEAD.
    fn heads(&self) -> usize {
        self.server.seen().iter().filter(|seen| seen.method == "HEAD").count()
    }

    /// Searches once, and returns the tag that is asked for as the eleventh.
    async fn eleventh(&self) -> String {
        let mut search = self.search();
        let clock = async {
            loop {
                self.clock.advance(Duration::from_millis(500));
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::select! {
            _ = &mut search => {}
            () = clock => {}
        }
        let seen = self.server.seen();
        let mut heads = seen.iter().filter(|seen| seen.method == "HEAD");
        heads.nth(10).unwrap().target.rsplit('/').next().unwrap().to_owned()
    }

    /// Waits until the registry was asked that often, and then a little for what should not come.
    async fn asked(&self, count: usize) {
        while self.heads() < count {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(self.heads(), count);
    }
}

#[tokio::test]
async fn unchanged_tags_are_asked_for_one_after_the_other() {
    let world = World::known().await;
    let mut search = world.search();
    for (seconds, count) in [(0, 1), (10, 21), (30, 81), (9, 99)] {
        world.clock.advance(Duration::from_secs(seconds));
        tokio::select! {
            _ = &mut search => panic!("done after {count}"),
            () = world.asked(count) => {}
        }
    }
    world.clock.advance(Duration::from_millis(500));
    assert_eq!((search.await, world.heads()), (TAGS, TAGS));
}

#[tokio::test]
async fn once_a_tag_has_moved_the_rest_does_not_wait() {
    let world = World::known().await;
    let eleventh = world.eleventh().await;
    let world = world.paced();
    world.shelf.lock().unwrap().image(&eleventh, "2025-01-01T00:00:00Z", r#""a":"b""#);
    let mut search = world.search();
    world.clock.advance(Duration::from_millis(4_999));
    tokio::select! {
        _ = &mut search => panic!("too early"),
        () = world.asked(TAGS + 10) => {}
    }
    world.clock.advance(Duration::from_millis(1));
    assert_eq!((search.await, world.heads()), (TAGS, 2 * TAGS));
}

#[tokio::test]
async fn what_is_believed_by_its_tag_is_not_waited_for() {
    let world = World::known().await;
    let want = Want { cached_by_tag: true, ..Want::default() };
    assert_eq!(world.repository.images(&world.tags, want).await.unwrap().len(), TAGS);
    assert_eq!(world.heads(), 0);
}

#[tokio::test]
async fn searches_of_the_same_tags_share_what_they_are_told() {
    let mut shelf = Shelf::default();
    for number in 0..TAGS {
        shelf.image(&format!("v{number:02}"), "2024-01-01T00:00:00Z", "");
    }
    let (server, shelf) = serve(shelf).await;
    let registries = registries();
    let search = |number: usize| {
        let access = Access { warehouse: format!("w{number}"), ..anonymous() };
        let repository = registries.image_repository(&server.repository("app"), &access).unwrap();
        let repository = repository.at_pace(Pace::at_once());
        async move {
            let tags = repository.tags().await.unwrap();
            let images = repository.images(&tags, Want::default()).await.unwrap();
            assert!(images.iter().map(|(tag, _)| tag).eq(&tags));
            images.into_iter().map(|(_, image)| image.unwrap().digest).collect::<Vec<_>>()
        }
    };
    let found = join_all((0..10).map(search)).await;
    assert!(found.iter().all(|images| *images == found[0]));
    // Each for itself would take twice as many. Some are asked for by several that were all under way.
    let cold = server.seen().len();
    assert!(cold < 10 + 2 * TAGS * 5, "{cold} requests");
    // What was known before a search is asked for anew.
    shelf.lock().unwrap().image("v10", "2025-01-01T00:00:00Z", r#""a":"b""#);
    let before = server.seen().len();
    let later = search(0).await;
    assert_eq!(server.seen().len() - before, 1 + TAGS + 2);
    assert_eq!(later.iter().zip(&found[0]).filter(|(new, old)| new != old).count(), 1);
}
