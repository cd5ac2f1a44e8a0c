//! The ConfigMap that tells of a restore: what is under way, what was taken out for it, that it ended.
//!
//! It stays when all is done, so that the same restore can be run again and finds nothing to do.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Collection, Error, object,
    requests::{Requests, failure},
    resource::{CONFIG_MAPS, NAMESPACES},
};

/// The name of the ConfigMap, in the namespace of the installation.
pub(crate) const MARKER: &str = "kargo-restore";

/// What becomes of objects that the target has already and that say something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Existing {
    /// They become what the collection says: the target had none of its own when the restore began.
    BroughtIntoLine,
    /// They stay.
    Kept,
}

/// How far a restore is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Progress {
    UnderWay,
    Complete,
}

/// What the ConfigMap tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Told {
    /// Which collection.
    pub(super) backup: String,
    /// When that was made, for a person.
    pub(super) made_at: String,
    pub(super) progress: Progress,
    pub(super) existing: Existing,
    /// The webhook configurations that were taken out.
    pub(super) webhooks: Vec<Value>,
}

/// The ConfigMap of a restore that is under way.
pub(super) struct Marker {
    namespace: String,
    pub(super) told: Told,
}

impl Marker {
    /// What the target tells; `None` when nothing was ever restored here.
    pub(super) async fn find(
        requests: &Requests<'_>,
        namespace: &str,
    ) -> Result<Option<Told>, Error> {
        let found = requests.get(&CONFIG_MAPS, namespace, MARKER).await;
        let found = found.map_err(Error::api(format!("read ConfigMap {namespace}/{MARKER}")))?;
        Ok(found.and_then(|found| serde_json::from_str(object::text(&found, "/data/restore")).ok()))
    }

    /// Tells that the restore of a collection begins, or goes on.
    pub(super) async fn begin(
        requests: &Requests<'_>,
        collection: &Collection,
        existing: Existing,
    ) -> Result<Self, Error> {
        let namespace = collection.origin.namespaces.release.clone();
        make_namespace(requests, &namespace).await?;
        let backup = collection.id();
        let earlier = Self::find(requests, &namespace).await?;
        // What an earlier one has taken out is not put back yet.
        let webhooks = earlier
            .filter(|told| told.progress == Progress::UnderWay)
            .map(|told| told.webhooks)
            .unwrap_or_default();
        let made_at = collection.origin.created_at.clone();
        let told = Told { backup, made_at, progress: Progress::UnderWay, existing, webhooks };
        let marker = Self { namespace, told };
        marker.write(requests).await?;
        Ok(marker)
    }

    /// Keeps webhook configurations before they are taken out.
    pub(super) async fn keep(
        &mut self,
        requests: &Requests<'_>,
        webhooks: Vec<Value>,
    ) -> Result<(), Error> {
        self.told.webhooks = webhooks;
        self.write(requests).await
    }

    /// Tells the end.
    pub(super) async fn complete(mut self, requests: &Requests<'_>) -> Result<(), Error> {
        self.told.progress = Progress::Complete;
        self.told.webhooks = Vec::new();
        self.write(requests).await
    }

    async fn write(&self, requests: &Requests<'_>) -> Result<(), Error> {
        let failed = |error| failure(format!("write ConfigMap {}/{MARKER}", self.namespace), error);
        let told = serde_json::to_string(&self.told).unwrap_or_default();
        let body = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": MARKER, "namespace": self.namespace},
            "data": {"restore": told},
        });
        match requests.create(&CONFIG_MAPS, &body).await {
            Err(error) if io_kube::is_already_exists(&error) => {
                requests.patch(&CONFIG_MAPS, &body, &body).await.map(drop).map_err(failed)
            }
            written => written.map(drop).map_err(failed),
        }
    }
}

async fn make_namespace(requests: &Requests<'_>, name: &str) -> Result<(), Error> {
    let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    match requests.create(&NAMESPACES, &body).await {
        Err(error) if io_kube::is_already_exists(&error) => Ok(()),
        made => made.map(drop).map_err(|error| failure(format!("create Namespace {name}"), error)),
    }
}
