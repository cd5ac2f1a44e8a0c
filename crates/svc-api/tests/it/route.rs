//! Every route of the table: who is let in without a login, and which are served.

use api_rest::route::{Access, Route, routes};
use http::Method;

use crate::world::World;

fn path(route: &Route) -> String {
    let parts = route.path.split('/').map(|part| if part.starts_with('{') { "x" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

fn method(route: &Route) -> Method {
    route.method.as_str().parse().unwrap()
}

#[tokio::test]
async fn nobody_gets_anywhere_without_a_login() {
    let world = World::start(vec![]).await;
    for route in routes() {
        let reply = world.send_raw(method(route), &path(route), None, &[], "").await;
        let is_refused = reply.error() == (401, "no token provided".to_owned());
        let is_public = route.access == Access::Public;
        assert_eq!(is_refused, !is_public, "{} {:?}", route.operation, reply.error());
    }
}

#[tokio::test]
async fn no_route_fails_by_a_mistake_of_ours() {
    let world = World::start(vec![]).await;
    let token = world.admin().await;
    for route in routes() {
        let reply = world.send_raw(method(route), &path(route), Some(&token), &[], "").await;
        // What an installation does not offer is no mistake.
        let is_fine = reply.status.as_u16() < 500 || reply.status == 501;
        assert!(is_fine, "{} {:?}", route.operation, reply.error());
    }
}

#[tokio::test]
async fn every_route_of_the_table_is_answered() {
    let world = World::start(vec![]).await;
    let token = world.admin().await;
    let mut missing = Vec::new();
    for route in routes() {
        let reply = world.send_raw(method(route), &path(route), Some(&token), &[], "").await;
        let (status, text) = reply.error();
        if text == "there is no such route" || status == 405 {
            missing.push(route.operation);
        }
    }
    missing.sort_unstable();
    assert!(missing.is_empty(), "{missing:?}");
}
