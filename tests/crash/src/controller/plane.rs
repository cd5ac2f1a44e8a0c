//! The control plane: its data directory, and the Stage to which is promoted.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use dev_testkit::{
    Kargo, UpOptions,
    warehouse::{Project, eventually},
};
use serde_json::{Value, json};

use crate::host::{Host, Order};

const PROJECT: &str = "shop";
const WAREHOUSE: &str = "web";
/// Never looked at: Freight is made by hand.
const IMAGE: &str = "127.0.0.1:9/web";
/// What the history of a Stage has at most.
const HISTORY: usize = 10;

/// A data directory that outlives every process.
pub(super) struct Plane {
    data: PathBuf,
}

/// A Promotion and what it promotes.
pub(super) struct Promoted {
    pub(super) name: String,
    pub(super) freight: String,
}

impl Plane {
    /// Creates the Project with its Warehouse and its Stage.
    pub(super) async fn prepare(data: &Path) -> Result<Self> {
        let kargo = Kargo::up(data, &UpOptions::default()).await?;
        let project = Project::create(&kargo.client()?, PROJECT).await?;
        let warehouse = json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
            "metadata": {"name": WAREHOUSE},
            "spec": {
                "interval": "24h",
                "freightCreationPolicy": "Manual",
                "subscriptions": [{"image": {"repoURL": IMAGE, "constraint": ">=1.0.0"}}],
            },
        });
        project.add("warehouses", &warehouse).await?;
        let stage = json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage", "metadata": {"name": "dev"},
            "spec": stage_spec("", Order::MergeFirst),
        });
        project.add("stages", &stage).await?;
        kargo.kill().await?;
        Ok(Self { data: data.to_owned() })
    }

    /// Starts it so that it knows the host, which is asked for nothing before.
    pub(super) async fn start(&self, host: &Host) -> Result<(Kargo, Project)> {
        host.was_asked();
        let environment = host.environment().map(|(name, value)| (name.to_owned(), value));
        let options = UpOptions { environment: environment.into(), ..UpOptions::default() };
        let kargo = Kargo::up(&self.data, &options).await.context("start after a kill")?;
        let project = Project::of(&kargo.client()?, PROJECT);
        Ok((kargo, project))
    }

    /// The Stage knows about the end of the Promotion, and nothing is left of it. `held` is the Freight of all
    /// Promotions, the last one first.
    pub(super) async fn check(
        &self,
        project: &Project,
        promoted: &Promoted,
        held: &[String],
    ) -> Result<()> {
        let knows = async || {
            let stage = project.get("stages/dev").await?;
            let last = stage.pointer("/status/lastPromotion/name").and_then(Value::as_str);
            let is_free = stage.pointer("/status/currentPromotion").is_none_or(Value::is_null);
            Ok(is_free && last == Some(&promoted.name))
        };
        let waited = eventually("the Stage knows about the end", knows).await;
        let stage = project.get("stages/dev").await?;
        waited.with_context(|| stage.to_string())?;
        let expected = held.get(..HISTORY).unwrap_or(held);
        ensure!(history(&stage) == expected, "promoted were {expected:?}, the Stage is {stage:#}");
        let is_verified = async || {
            let freight = project.get(&format!("freights/{}", promoted.freight)).await?;
            Ok(freight.pointer("/status/verifiedIn/dev").is_some())
        };
        eventually("the Freight is verified", is_verified).await?;
        let work = self.data.join("discovery/work");
        let is_tidy = async || Ok(std::fs::read_dir(&work)?.next().is_none());
        eventually("the work directory is gone", is_tidy).await
    }
}

/// The names of the Freight that a Stage held, the last one first.
fn history<'a>(stage: &'a Value) -> Vec<&'a str> {
    let entries = stage.pointer("/status/freightHistory").and_then(Value::as_array);
    let name = |entry: &'a Value| {
        entry.get("items")?.get(format!("Warehouse/{WAREHOUSE}"))?.get("name")?.as_str()
    };
    entries.into_iter().flatten().filter_map(name).collect()
}

/// Promotes new Freight at the host.
pub(super) async fn promote(project: &Project, host: &Host, number: u32) -> Result<Promoted> {
    project.credential(&format!("host-{number}"), "git", &host.credential()).await?;
    project.patch("stages/dev", &json!({"spec": stage_spec(&host.url(), host.order)})).await?;
    let freight = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight", "metadata": {},
        "origin": {"kind": "Warehouse", "name": WAREHOUSE},
        "images": [{"repoURL": IMAGE, "tag": format!("1.0.{number}")}],
    });
    let freight = project.add("freights", &freight).await?;
    let promotion = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
        "metadata": {"generateName": "kill-"}, "spec": {"stage": "dev", "freight": freight},
    });
    let name = project.add("promotions", &promotion).await?;
    Ok(Promoted { name, freight })
}

fn stage_spec(url: &str, order: Order) -> Value {
    json!({
        "requestedFreight": [{
            "origin": {"kind": "Warehouse", "name": WAREHOUSE}, "sources": {"direct": true},
        }],
        "vars": [{"name": "url", "value": url}],
        "promotionTemplate": {"spec": {"steps": order.steps()}},
    })
}
