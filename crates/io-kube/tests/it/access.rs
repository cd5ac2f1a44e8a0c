//! Access reviews.

use dev_testkit::engine::Identity;
use io_kube::{AccessRequest, Subject, may, may_i};

use crate::world::World;

#[tokio::test]
async fn reviews_tell_who_may_and_who_may_not() {
    let world = World::start().await;
    let request = AccessRequest {
        verb: "promote".into(),
        group: "kargo.akuity.io".into(),
        resource: "stages".into(),
        namespace: "demo".into(),
        name: "prod".into(),
        ..AccessRequest::default()
    };
    let master = Subject {
        user: "alice".into(),
        groups: vec!["system:masters".into()],
        ..Subject::default()
    };
    let stranger = Subject { user: "mallory".into(), ..Subject::default() };
    let client = &world.client;
    assert!(may(client, &master, &request).await.unwrap().allowed);
    assert!(!may(client, &stranger, &request).await.unwrap().allowed);
    assert!(may_i(client, &request).await.unwrap().allowed);
    let account = Identity::service_account("kargo", "nobody", "");
    let account = world.engine.client_as(account);
    assert!(!may_i(&account, &request).await.unwrap().allowed);
}
