//! Reads a control plane as it was at one moment.
//!
//! Both engines count all changes in one sequence and can list the past, so every kind is listed at the revision of the
//! first list: no Promotion without its Stage, no Freight that is younger than the Promotion of it. When the past is
//! forgotten before all is read, it is read again; a server that is too fast for that gives each kind as it is.

use futures::{StreamExt, TryStreamExt, stream};
use io_kube::status_code;
use kube::api::{ListParams, VersionMatch};
use serde_json::Value;

use crate::{
    Collection, Error, LeftOut, Namespaces, Origin, RESOURCES, Resource,
    object::{self, Key},
    requests::Requests,
    resource::{ANALYSIS_RUNS, NAMESPACES, PROJECTS},
    selection::{Selection, Verdict},
};

/// How many objects are asked for at once.
const PAGE: u32 = 500;
/// How many lists are under way at once.
const CONCURRENCY: usize = 8;
/// How often the past may be forgotten.
const MOMENTS: usize = 3;

/// What to read.
#[derive(Clone, Debug)]
pub struct CollectOptions {
    /// The namespaces of the installation.
    pub namespaces: Namespaces,
    /// Whether AnalysisRuns come along; nothing needs them.
    pub analysis_runs: bool,
    /// The version of this program.
    pub kargo: String,
    /// What is read, as a person knows it.
    pub source: String,
}

/// When objects are read.
#[derive(Clone, Debug)]
enum Moment {
    Now,
    At(String),
}

/// Reads everything that belongs to the control plane.
pub async fn collect(
    client: &kube::Client,
    clock: &dyn core_clock::Clock,
    options: &CollectOptions,
) -> Result<Collection, Error> {
    let requests = Requests::new(client, clock);
    let version = client.apiserver_version().await;
    let version = version.map_err(Error::api("ask the API server for its version"))?;
    let origin = Origin {
        kargo: options.kargo.clone(),
        created_at: clock.now().to_rfc3339_seconds(),
        source: options.source.clone(),
        server: version.git_version,
        resource_version: String::new(),
        namespaces: options.namespaces.clone(),
    };
    for _ in 0..MOMENTS {
        let reading = Reading { requests: &requests, options, origin: &origin };
        match reading.at_one_moment().await {
            Err(Error::Api { source, .. }) if status_code(&source) == Some(410) => {
                tracing::info!("the past was forgotten before all was read; reading again");
            }
            done => return done,
        }
    }
    tracing::warn!(
        "objects change while they are read: each kind is saved as it is when it is read"
    );
    Reading { requests: &requests, options, origin: &origin }.one_after_the_other().await
}

struct Reading<'a> {
    requests: &'a Requests<'a>,
    options: &'a CollectOptions,
    origin: &'a Origin,
}

impl Reading<'_> {
    async fn at_one_moment(&self) -> Result<Collection, Error> {
        let (namespaces, version) = self.namespaces().await?;
        let moment = Moment::At(version.clone());
        let origin = Origin { resource_version: version, ..self.origin.clone() };
        self.read(namespaces, &moment, origin).await
    }

    async fn one_after_the_other(&self) -> Result<Collection, Error> {
        let (namespaces, _) = self.namespaces().await?;
        self.read(namespaces, &Moment::Now, self.origin.clone()).await
    }

    /// All namespaces, and the moment at which they were so.
    async fn namespaces(&self) -> Result<(Vec<Value>, String), Error> {
        let mut version = String::new();
        let found = self.pages(&NAMESPACES, "", &Moment::Now, &mut version).await?;
        Ok((found.unwrap_or_default(), version))
    }

    async fn read(
        &self,
        namespaces: Vec<Value>,
        moment: &Moment,
        origin: Origin,
    ) -> Result<Collection, Error> {
        let selection = Selection::new(&self.options.namespaces, &namespaces);
        let rest = RESOURCES.iter().filter(|one| **one != NAMESPACES);
        let wanted = rest.filter(|one| **one != ANALYSIS_RUNS || self.options.analysis_runs);
        let places = wanted.flat_map(|resource| places(resource, &selection));
        let mut lists: Vec<(&Resource, Vec<Value>)> = stream::iter(places.collect::<Vec<_>>())
            .map(async |(resource, namespace)| {
                let found = self.pages(resource, &namespace, moment, &mut String::new()).await?;
                if found.is_none() && *resource == PROJECTS {
                    return Err(Error::NoKargo);
                }
                Ok((resource, found.unwrap_or_default()))
            })
            .buffered(CONCURRENCY)
            .try_collect()
            .await?;
        lists.insert(0, (&NAMESPACES, namespaces));
        Ok(gather(origin, &selection, lists))
    }

    /// A whole list; `None` when the kind is not served.
    async fn pages(
        &self,
        resource: &Resource,
        namespace: &str,
        moment: &Moment,
        version: &mut String,
    ) -> Result<Option<Vec<Value>>, Error> {
        let mut objects = Vec::new();
        let mut parameters = ListParams::default().limit(PAGE);
        if let Moment::At(version) = moment {
            parameters = parameters.at(version).matching(VersionMatch::Exact);
        }
        loop {
            let page = match self.requests.list(resource, namespace, &parameters).await {
                Err(error) if status_code(&error) == Some(404) => return Ok(None),
                page => page.map_err(Error::api(format!("list {}", resource.full_name())))?,
            };
            object::text(&page, "/metadata/resourceVersion").clone_into(version);
            let next = object::text(&page, "/metadata/continue").to_owned();
            if let Value::Object(mut page) = page
                && let Some(Value::Array(items)) = page.remove("items")
            {
                objects.extend(items.into_iter().map(|item| as_read(resource, item)));
            }
            if next.is_empty() {
                return Ok(Some(objects));
            }
            parameters = parameters.continue_token(&next);
        }
    }
}

/// Where to look for a kind. The Secrets of others are not even asked for.
fn places<'r>(resource: &'r Resource, selection: &Selection<'_>) -> Vec<(&'r Resource, String)> {
    if resource.is_namespaced && !resource.is_ours() {
        return selection.namespaces().map(|one| (resource, one.to_owned())).collect();
    }
    vec![(resource, String::new())]
}

/// The object as `kubectl get -o yaml` shows it: items of a list do not always name their kind.
fn as_read(resource: &Resource, mut item: Value) -> Value {
    if let Value::Object(members) = &mut item {
        members.insert("apiVersion".to_owned(), resource.api_version().into());
        members.insert("kind".to_owned(), resource.kind.into());
    }
    if let Some(metadata) = object::metadata_mut(&mut item) {
        for noise in ["managedFields", "resourceVersion", "selfLink"] {
            metadata.remove(noise);
        }
    }
    item
}

fn gather(
    origin: Origin,
    selection: &Selection<'_>,
    lists: Vec<(&Resource, Vec<Value>)>,
) -> Collection {
    let mut collection = Collection::new(origin);
    for (resource, found) in lists {
        for object in found {
            match selection.judge(resource, &object) {
                Verdict::Foreign => {}
                Verdict::Stray(why) => {
                    let object = Key::of(resource, &object).to_string();
                    collection.left_out.push(LeftOut { object, why: why.to_owned() });
                }
                Verdict::Moved => {
                    let rank = RESOURCES.iter().position(|one| one == resource);
                    if let Some(objects) = rank.and_then(|rank| collection.objects.get_mut(rank)) {
                        objects.push(object);
                    }
                }
            }
        }
    }
    for objects in &mut collection.objects {
        objects.sort_by_cached_key(age);
    }
    collection
}

/// Older objects are put back first, so that they stay the older ones.
fn age(object: &Value) -> [String; 3] {
    let created = object::text(object, "/metadata/creationTimestamp");
    [created, object::namespace(object), object::name(object)].map(str::to_owned)
}
