//! Whether the cluster reaches the webhooks: two writes that change nothing, as a person would send them.
//!
//! A new Project must come back with the name of its creator, which only the mutating webhook puts there; a ClusterConfig
//! under a wrong name must be refused, which only the validating one does.

use std::time::Duration;

use api_kinds::{ClusterConfig, Kind, Project, annotations};
use kube::{Api, Client, api::PostParams};

use super::failure::explain;
use crate::{
    exit::{Exit, Failure},
    up::World,
};

/// How long the API server may take to learn of new roles, kinds and webhooks.
const PATIENCE: Duration = Duration::from_secs(30);
/// When calls still fail after this long, they will not get better.
const SETTLING: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(200);

/// What one try found.
enum Finding {
    Reached,
    /// The API server does not ask us yet.
    NotAsked(String),
    /// It asks and gets no answer.
    Unreachable(String),
}

/// Tries until both webhooks answer. `client` is a person, not a component.
pub(super) async fn probe(client: &Client, url: &str, world: &World) -> Result<(), Failure> {
    let name = format!("kargo-probe-{:08x}", world.entropy.below(1 << 32));
    let begin = world.clock.monotonic();
    loop {
        let (mutated, validated) =
            futures::join!(try_mutation(client, &name), try_validation(client, &name));
        let past = world.clock.monotonic().saturating_sub(begin);
        match worse(mutated, validated) {
            Finding::Reached => return Ok(()),
            Finding::Unreachable(why) if past >= SETTLING => return Err(unreachable(url, &why)),
            Finding::NotAsked(why) if past >= PATIENCE => return Err(unreachable(url, &why)),
            _ => world.clock.sleep(PAUSE).await,
        }
    }
}

fn unreachable(url: &str, why: &str) -> Failure {
    let told = format!("the cluster does not reach the webhooks at {url}: {why}");
    Failure::new(Exit::WebhooksUnreachable, told).hint(
        "pass --webhook-host with a name or address of this machine that the API server can connect to, and open \
         --webhook-port for it; for a cluster in containers on this machine that is the gateway of their network. \
         Nothing was left registered",
    )
}

async fn try_mutation(client: &Client, name: &str) -> Finding {
    match create(client, &Project::named(name)).await {
        Ok(project) => {
            let annotations = project.metadata.annotations.unwrap_or_default();
            if annotations.contains_key(annotations::CREATE_ACTOR) {
                Finding::Reached
            } else {
                Finding::NotAsked("a write went past the mutating webhooks".to_owned())
            }
        }
        Err(error) => failed(&error),
    }
}

async fn try_validation(client: &Client, name: &str) -> Finding {
    match create(client, &ClusterConfig::named(name)).await {
        Ok(_) => Finding::NotAsked("a write went past the validating webhooks".to_owned()),
        Err(error) if explain(&error).contains("denied the request") => Finding::Reached,
        Err(error) => failed(&error),
    }
}

async fn create<K>(client: &Client, object: &K) -> Result<K, kube::Error>
where
    K: Kind + kube::Resource<DynamicType = ()> + Clone + std::fmt::Debug,
    K: serde::Serialize + serde::de::DeserializeOwned,
{
    let parameters = PostParams { dry_run: true, ..PostParams::default() };
    Api::<K>::all(client.clone()).create(&parameters, object).await
}

fn failed(error: &kube::Error) -> Finding {
    let why = explain(error);
    if why.contains("failed calling webhook") {
        Finding::Unreachable(why)
    } else {
        // Roles, kinds and webhooks take a moment to be seen everywhere.
        Finding::NotAsked(why)
    }
}

fn worse(one: Finding, other: Finding) -> Finding {
    match (one, other) {
        (Finding::Unreachable(why), _) | (_, Finding::Unreachable(why)) => {
            Finding::Unreachable(why)
        }
        (Finding::NotAsked(why), _) | (_, Finding::NotAsked(why)) => Finding::NotAsked(why),
        (Finding::Reached, Finding::Reached) => Finding::Reached,
    }
}
