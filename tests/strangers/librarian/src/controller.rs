//! Fills Shelves with books: a finalizer, objects that it owns, a catalogue that it reads from a reflector, everything
//! applied.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams},
    runtime::{
        Controller, WatchStreamExt,
        controller::Action,
        finalizer::{self, Event, finalizer},
        reflector::{self, ObjectRef, Store},
        watcher,
    },
};
use serde_json::json;

use crate::{backoff::Steady, kind::Shelf};

pub(crate) const MANAGER: &str = "librarian";
const FINALIZER: &str = "strangers.example.com/ledger";
/// The label of books, with the name of their Shelf.
const SHELF_LABEL: &str = "strangers.example.com/shelf";
/// The label of the ConfigMap that says what a book is called in each language.
const CATALOGUE_LABEL: &str = "strangers.example.com/catalogue";
/// The ConfigMap in which each Shelf that went away is written down.
const LEDGER: &str = "ledger";
const RETRY: Duration = Duration::from_millis(300);
/// Small, so that lists come in pieces.
const PAGE: u32 = 7;

type Trouble = finalizer::Error<kube::Error>;

/// Works until it is dropped.
pub(crate) async fn run(client: Client, namespace: &str) {
    let config_maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let (catalogue, writer) = reflector::store();
    let entries = watcher(config_maps.clone(), watcher::Config::default().labels(CATALOGUE_LABEL))
        .backoff(Steady)
        .reflect(writer)
        .touched_objects();
    let librarian = Librarian {
        shelves: Api::namespaced(client, namespace),
        config_maps: config_maps.clone(),
        catalogue,
    };
    let streaming = watcher::Config::default().streaming_lists();
    let controller = Controller::new(librarian.shelves.clone(), streaming);
    let all = controller.store();
    let every_shelf = move |_| {
        let references = |shelf: Arc<Shelf>| ObjectRef::from_obj(&*shelf);
        all.state().into_iter().map(references).collect::<Vec<_>>()
    };
    controller
        .trigger_backoff(Steady)
        .owns(config_maps, watcher::Config::default().labels(SHELF_LABEL).page_size(PAGE))
        .watches_stream(entries, every_shelf)
        .run(reconcile, |_, _, _| Action::requeue(RETRY), Arc::new(librarian))
        // What fails is tried again: the server is away now and then.
        .for_each(|_| std::future::ready(()))
        .await;
}

async fn reconcile(shelf: Arc<Shelf>, librarian: Arc<Librarian>) -> Result<Action, Trouble> {
    finalizer(&librarian.shelves, FINALIZER, shelf, |event| librarian.attend(event)).await
}

/// Who sees to the Shelves of a namespace.
struct Librarian {
    shelves: Api<Shelf>,
    config_maps: Api<ConfigMap>,
    catalogue: Store<ConfigMap>,
}

impl Librarian {
    async fn attend(&self, event: Event<Shelf>) -> kube::Result<Action> {
        match event {
            Event::Apply(shelf) => self.fill(&shelf).await?,
            Event::Cleanup(shelf) => self.write_down(&shelf.name_any()).await?,
        }
        Ok(Action::await_change())
    }

    /// Puts in what is missing, takes out what is too much, and says so in the status.
    async fn fill(&self, shelf: &Shelf) -> kube::Result<()> {
        let names = (0..shelf.spec.books).map(|number| format!("{}-{number}", shelf.name_any()));
        let wanted: Vec<String> = names.collect();
        for name in &wanted {
            self.apply(&self.book(shelf, name)).await?;
        }
        let own = ListParams::default().labels(&format!("{SHELF_LABEL}={}", shelf.name_any()));
        for surplus in self.config_maps.list(&own).await? {
            if !wanted.contains(&surplus.name_any()) {
                let (name, params) = (surplus.name_any(), DeleteParams::default());
                self.config_maps.delete(&name, &params).await.map(drop).or_else(gone)?;
            }
        }
        let status = json!({
            "apiVersion": Shelf::api_version(&()), "kind": Shelf::kind(&()),
            "status": {"books": wanted.len(), "observedGeneration": shelf.meta().generation},
        });
        let (name, params) = (shelf.name_any(), PatchParams::apply(MANAGER).force());
        self.shelves.patch_status(&name, &params, &Patch::Apply(status)).await.map(drop)
    }

    /// Adds an entry to the ledger. Each entry is applied by a manager of its own, so that none takes away another's.
    async fn write_down(&self, shelf: &str) -> kube::Result<()> {
        let entry = ConfigMap {
            metadata: ObjectMeta { name: Some(LEDGER.to_owned()), ..ObjectMeta::default() },
            data: Some(BTreeMap::from([(shelf.to_owned(), "gone".to_owned())])),
            ..ConfigMap::default()
        };
        let params = PatchParams::apply(shelf).force();
        self.config_maps.patch(LEDGER, &params, &Patch::Apply(entry)).await.map(drop)
    }

    async fn apply(&self, book: &ConfigMap) -> kube::Result<()> {
        let params = PatchParams::apply(MANAGER).force();
        self.config_maps.patch(&book.name_any(), &params, &Patch::Apply(book)).await.map(drop)
    }

    fn book(&self, shelf: &Shelf, name: &str) -> ConfigMap {
        let language = &shelf.spec.language;
        ConfigMap {
            metadata: ObjectMeta {
                name: Some(name.to_owned()),
                labels: Some(BTreeMap::from([(SHELF_LABEL.to_owned(), shelf.name_any())])),
                owner_references: shelf.controller_owner_ref(&()).map(|owner| vec![owner]),
                ..ObjectMeta::default()
            },
            data: Some(BTreeMap::from([
                ("language".to_owned(), language.clone()),
                ("title".to_owned(), self.title(language)),
            ])),
            ..ConfigMap::default()
        }
    }

    /// What a book is called in a language.
    fn title(&self, language: &str) -> String {
        let catalogues = self.catalogue.state();
        let titles = catalogues.iter().filter_map(|catalogue| catalogue.data.as_ref());
        titles.filter_map(|titles| titles.get(language)).next().cloned().unwrap_or_default()
    }
}

/// What is gone already does not have to go.
fn gone(error: kube::Error) -> kube::Result<()> {
    match error {
        kube::Error::Api(status) if status.code == 404 => Ok(()),
        other => Err(other),
    }
}
