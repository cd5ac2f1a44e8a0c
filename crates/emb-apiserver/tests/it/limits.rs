//! Bounds on requests.

use std::{sync::Arc, time::Duration};

use emb_apiserver::{Admission, AdmissionRequest, Limits, Verdict};
use futures::future::{BoxFuture, FutureExt, pending};
use serde_json::{Value, json};

use crate::world::{CONFIG_MAPS, Setup, config_map, test_with};

/// Never answers for ConfigMaps.
struct Stuck;

impl Admission for Stuck {
    fn validate<'a>(
        &'a self,
        request: &'a AdmissionRequest,
        _: Option<&'a Value>,
    ) -> BoxFuture<'a, Verdict> {
        if &*request.resource == "configmaps" {
            pending().boxed()
        } else {
            async { Ok(Vec::new()) }.boxed()
        }
    }
}

#[test]
fn a_request_that_takes_too_long_is_ended() {
    let setup = Setup { admission: vec![Arc::new(Stuck)], ..Setup::default() };
    test_with(setup, |api| async move {
        let body = config_map("a", json!({}));
        let waiting = api.post(CONFIG_MAPS, &body);
        let passing = async {
            tokio::task::yield_now().await;
            api.clock.advance(Duration::from_secs(61));
        };
        let (reply, ()) = futures::join!(waiting, passing);
        let reply = reply.expect(504);
        assert_eq!(reply.message(), "request did not complete within the allotted timeout");
        api.get(&format!("{CONFIG_MAPS}/a")).await.expect(404);
    });
}

#[test]
fn network_callers_cannot_starve_those_in_process() {
    let limits = Limits { network_reads: 0, ..Limits::default() };
    test_with(Setup { limits, ..Setup::default() }, |api| async move {
        let refused = api.network().get("/version").await.expect(429);
        assert_eq!(refused.headers["retry-after"], "1");
        assert_eq!(refused.json["reason"], "TooManyRequests");
        api.get("/version").await.expect(200);
    });
}

#[test]
fn long_addresses_are_refused() {
    test_with(Setup::default(), |api| async move {
        let long = format!("{CONFIG_MAPS}?labelSelector={}", "x".repeat(17_000));
        api.get(&long).await.expect(414);
    });
}
