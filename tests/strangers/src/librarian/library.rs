//! What people do with Shelves, and what they find on them.

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, eventually};
use serde_json::{Value, json};

use crate::PATIENCE;

/// Where the Shelves are.
pub(super) const NAMESPACE: &str = "library";
const GROUP: &str = "strangers.example.com";
const MAPS: &str = "/api/v1/namespaces/library/configmaps";
const SHELVES: &str = "/apis/strangers.example.com/v1/namespaces/library/shelves";
const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/library/leases/librarian";
const COUNT: usize = 12;

/// The namespace, with the hands of a person.
pub(super) struct Library {
    client: Client,
}

impl Library {
    /// Makes the namespace, with a catalogue that is empty.
    pub(super) async fn open(client: Client) -> Result<Self> {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        client.create("/api/v1/namespaces", &namespace).await?;
        let labels = json!({format!("{GROUP}/catalogue"): "true"});
        let catalogue = json!({"metadata": {"name": "catalogue", "labels": labels}});
        client.create(MAPS, &catalogue).await?;
        Ok(Self { client })
    }

    /// Waits until this replica leads.
    pub(super) async fn await_leader(&self, identity: &str) -> Result<()> {
        let leads = async || {
            let lease = self.client.get(LEASE).await?.json();
            Ok(lease["spec"]["holderIdentity"] == identity)
        };
        eventually(PATIENCE, &format!("{identity} leads"), leads).await
    }

    /// Writes into the catalogue what a book is called in a language.
    pub(super) async fn name_books(&self, language: &str, title: &str) -> Result<()> {
        let patch = json!({"data": {language: title}});
        self.client.merge(&format!("{MAPS}/catalogue"), &patch).await.map(drop)
    }

    pub(super) async fn put_up(&self, language: &str, books: usize) -> Result<()> {
        for number in 0..COUNT {
            let shelf = json!({
                "apiVersion": format!("{GROUP}/v1"), "kind": "Shelf",
                "metadata": {"name": format!("shelf-{number}")},
                "spec": {"language": language, "books": books},
            });
            self.client.create(SHELVES, &shelf).await?;
        }
        Ok(())
    }

    pub(super) async fn change(&self, language: &str, books: usize) -> Result<()> {
        let patch = json!({"spec": {"language": language, "books": books}});
        for number in 0..COUNT {
            self.client.merge(&format!("{SHELVES}/shelf-{number}"), &patch).await?;
        }
        Ok(())
    }

    /// Waits until every Shelf says that it is as asked for, and holds that and nothing else.
    pub(super) async fn await_books(
        &self,
        language: &str,
        title: &str,
        books: usize,
    ) -> Result<()> {
        let content = json!({"language": language, "title": title});
        let is_done = async || {
            // A server that was just started may know the kind a moment later.
            let Ok(shelves) = self.items(SHELVES).await else { return Ok(false) };
            let stock = self.books().await?;
            let says_so = |shelf: &Value| {
                shelf["status"]["books"] == books
                    && shelf["status"]["observedGeneration"] == shelf["metadata"]["generation"]
            };
            Ok(shelves.len() == COUNT
                && shelves.iter().all(says_so)
                && stock.len() == COUNT * books
                && stock.iter().all(|book| book["data"] == content))
        };
        eventually(PATIENCE, &format!("every Shelf has {books} of {content}"), is_done).await?;
        for book in self.books().await? {
            self.is_kept(&book).await?;
        }
        Ok(())
    }

    /// The book belongs to its Shelf, and its fields to the controller alone.
    async fn is_kept(&self, book: &Value) -> Result<()> {
        let shelf = book["metadata"]["labels"][format!("{GROUP}/shelf")].as_str();
        let shelf = self.client.read(&format!("{SHELVES}/{}", shelf.context("no Shelf")?)).await?;
        let owners = &book["metadata"]["ownerReferences"];
        ensure!(owners[0]["uid"] == shelf["metadata"]["uid"], "another owns it: {owners}");
        let entries = book["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        let managers: Vec<&Value> = entries.iter().map(|entry| &entry["manager"]).collect();
        ensure!(managers == ["librarian"], "it is managed by {managers:?}");
        Ok(())
    }

    /// A book that somebody takes comes back.
    pub(super) async fn lose_a_book(&self) -> Result<()> {
        let path = format!("{MAPS}/shelf-0-0");
        let before = self.client.read(&path).await?;
        self.client.delete(&path).await?;
        let is_back = async || {
            let now = self.client.get(&path).await?.json();
            let uid = &now["metadata"]["uid"];
            Ok(uid.is_string() && *uid != before["metadata"]["uid"])
        };
        eventually(PATIENCE, "a book that was taken is back", is_back).await
    }

    /// What somebody writes into a book is put right, and theirs no longer.
    pub(super) async fn deface_a_book(&self) -> Result<()> {
        let path = format!("{MAPS}/shelf-1-1");
        let before = self.client.read(&path).await?["data"].clone();
        let patch = json!({"data": {"title": "mine"}});
        self.client.merge(&format!("{path}?fieldManager=somebody"), &patch).await?;
        let is_right = async || Ok(self.client.read(&path).await?["data"] == before);
        eventually(PATIENCE, "a book that was defaced is put right", is_right).await?;
        self.is_kept(&self.client.read(&path).await?).await
    }

    /// Shelves go when the controller has written that down, and their books go with them.
    pub(super) async fn take_down(&self) -> Result<()> {
        self.client.delete(SHELVES).await?;
        let is_gone =
            async || Ok(self.items(SHELVES).await?.is_empty() && self.books().await?.is_empty());
        eventually(PATIENCE, "Shelves and books are gone", is_gone).await?;
        let ledger = self.client.read(&format!("{MAPS}/ledger")).await?;
        let entries = ledger["data"].as_object().map_or(0, serde_json::Map::len);
        ensure!(entries == COUNT, "{entries} Shelves are written down: {}", ledger["data"]);
        Ok(())
    }

    async fn books(&self) -> Result<Vec<Value>> {
        self.items(&format!("{MAPS}?labelSelector={GROUP}/shelf")).await
    }

    async fn items(&self, path: &str) -> Result<Vec<Value>> {
        let list = self.client.read(path).await?;
        Ok(list["items"].as_array().cloned().unwrap_or_default())
    }
}
