//! Caches, queues, workers and leader election of `io-kube` under faults: two replicas, of which one works.

use std::{collections::BTreeMap, time::Duration};

use dev_sim::{ProcessCx, Rates, Scenario, View};
use futures::future::{Either, select};
use io_kube::{
    Cache, Controller, Elector, ElectorSettings, Failure, Next, ObjectKey, Pass, Ports,
    Precondition, Queue, patch_object,
};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::{Api, Client, api::PostParams};

use crate::{
    mirror::{VALUE, churn, mirrors_agree, named},
    support::{hold, hold_in_replay},
};

#[test]
fn the_leader_keeps_everything_in_step() {
    hold("the_leader_keeps_everything_in_step", scenario);
}

#[test]
fn one_seed_gives_one_audit_log_of_the_leader() {
    hold_in_replay("leader", scenario);
}

fn scenario() -> Scenario {
    Scenario::new()
        .faults(Rates::all())
        .component("mirror", 2, lead)
        .actor("user", churn)
        .finally("every mirror says what its namespace says", mirrors_agree)
        .finally("a living replica holds the Lease", held)
}

/// What a pass works with.
#[derive(Clone)]
struct Mirror {
    client: Client,
    namespaces: Cache<Namespace>,
    maps: Cache<ConfigMap>,
}

/// Waits for the Lease, works while it holds, and gives it back when asked to stop.
async fn lead(cx: ProcessCx) {
    let ports = Ports { clock: cx.clock(), entropy: cx.entropy(), tasks: cx.tasks() };
    let identity = format!("{}_{}", cx.name(), ports.entropy.uuid());
    let settings = ElectorSettings::new("default", "mirror", identity);
    let elector = Elector::new(cx.client(), settings, &ports);
    let Some(leadership) = elector.acquire().await else { return };
    cx.tell("leads");
    let queue = Queue::new("mirror", &ports);
    let (changed, touched) = (queue.clone(), queue.clone());
    let client = cx.client();
    let namespaces = Cache::builder(client.clone())
        .on_change(move |old: Option<&Namespace>, new| {
            let name = new.or(old).and_then(|namespace| namespace.metadata.name.clone());
            changed.add(name.unwrap_or_default());
        })
        .start(&ports);
    let maps = Cache::builder(client.clone())
        .on_change(move |old: Option<&ConfigMap>, new| {
            let namespace = new.or(old).and_then(|map| map.metadata.namespace.clone());
            touched.add(namespace.unwrap_or_default());
        })
        .start(&ports);
    let mirror = Mirror { client, namespaces, maps };
    let workers = Controller::new(queue, 2).start(&ports, move |name, pass| {
        let mirror = mirror.clone();
        async move { mirror.reconcile(&name, &pass).await }
    });
    let lost = Box::pin(leadership.lost());
    let stopped = matches!(select(lost, ports.tasks.stopping()).await, Either::Right(_));
    if stopped {
        workers.stopped().await;
        leadership.release().await;
    }
}

impl Mirror {
    async fn reconcile(&self, name: &str, pass: &Pass) -> Result<Next, Failure> {
        if !self.namespaces.is_synced() || !self.maps.is_synced() {
            return Ok(Next::After(Duration::from_secs(1)));
        }
        let Some(wanted) = self.wanted(name) else { return Ok(Next::Done) };
        let written = if let Some(old) = self.maps.get(&ObjectKey::new(name, "mirror")) {
            let mut new = (*old).clone();
            new.data = Some(wanted);
            patch_object(&self.client, &*old, &new, Precondition::Version).await?
        } else {
            let mut map = named("mirror");
            map.data = Some(wanted);
            let maps: Api<ConfigMap> = Api::namespaced(self.client.clone(), name);
            Some(maps.create(&PostParams::default(), &map).await?)
        };
        if let Some(written) = written {
            pass.wrote(&self.maps, &written);
        }
        Ok(Next::Done)
    }

    /// What the mirror of a namespace should say, if it should have one.
    fn wanted(&self, name: &str) -> Option<BTreeMap<String, String>> {
        let namespace = self.namespaces.get(&ObjectKey::cluster(name))?;
        if namespace.metadata.deletion_timestamp.is_some() {
            return None;
        }
        let value = namespace.metadata.annotations.as_ref()?.get(VALUE)?;
        Some([("value".to_owned(), value.clone())].into())
    }
}

fn held(view: &View<'_>) -> Result<(), String> {
    let lease = view.get("coordination.k8s.io", "leases", "default", "mirror");
    let lease = lease.ok_or("there is no Lease")?;
    let holder = lease["spec"]["holderIdentity"].as_str().unwrap_or_default();
    let renewed: core_clock::Time = lease["spec"]["renewTime"]
        .as_str()
        .unwrap_or_default()
        .parse()
        .map_err(|error| format!("{error}"))?;
    let age = view.now().since(renewed);
    if !holder.starts_with("mirror-") || age > Duration::from_secs(15) {
        return Err(format!("{holder:?} holds it, renewed {age:?} ago"));
    }
    Ok(())
}
