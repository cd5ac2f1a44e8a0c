//! Which columns the table of a kind has.

use api_kinds::{annotations, labels};
use cli_client::Object;
use core_clock::Time;
use serde_json::Value;

use super::age::age;

const SERVICE_ACCOUNT: &str = "kubernetes.io/service-account.name";

/// The tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    Projects,
    Stages,
    Warehouses,
    Freight,
    Promotions,
    PromotionRequests,
    Targets,
    Roles,
    RoleResources,
    Tokens,
    RepoCredentials,
    GenericCredentials,
    ConfigMaps,
    Events,
    NameAndAge,
}

/// How much a table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Normal,
    Wide,
}

impl Columns {
    /// The names of the columns.
    pub(crate) fn head(self, width: Width) -> Vec<&'static str> {
        let mut head: Vec<&str> = match self {
            Self::Projects => vec!["NAME", "READY", "STATUS", "AGE"],
            Self::Stages => {
                vec!["NAME", "SHARD", "CURRENT FREIGHT", "HEALTH", "READY", "STATUS", "AGE"]
            }
            Self::Warehouses => vec!["NAME", "SHARD", "AGE"],
            Self::Freight => vec!["NAME", "ALIAS", "ORIGIN", "AGE"],
            Self::Promotions => vec!["NAME", "SHARD", "STAGE", "FREIGHT", "PHASE", "AGE"],
            Self::PromotionRequests => {
                vec!["NAME", "STAGE", "FREIGHT", "PHASE", "TARGETS", "AGE"]
            }
            Self::Targets => vec!["NAME", "LABELS", "AGE"],
            Self::Roles => vec!["NAME", "KARGO MANAGED", "AGE"],
            Self::RoleResources => {
                vec!["NAME", "K8S SERVICE ACCOUNT", "K8S ROLE BINDINGS", "K8S ROLES", "AGE"]
            }
            Self::Tokens => vec!["NAME", "ROLE", "KARGO MANAGED", "AGE"],
            Self::RepoCredentials => vec!["NAME", "TYPE", "REGEX", "REPO", "AGE"],
            Self::GenericCredentials => vec!["NAME", "DESCRIPTION", "AGE"],
            Self::ConfigMaps => vec!["NAME", "DESCRIPTION", "KEYS", "AGE"],
            Self::Events => vec!["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"],
            Self::NameAndAge => vec!["NAME", "AGE"],
        };
        if width == Width::Wide {
            head.extend(self.further_head());
        }
        head
    }

    /// The cells of an object.
    pub(crate) fn row(self, object: &Object, width: Width, now: Time) -> Vec<String> {
        let text = |pointer: &str| object.text(pointer).to_owned();
        let name = object.name().to_owned();
        let mut row = match self {
            Self::Projects => with_readiness(vec![name], object),
            Self::Stages => with_readiness(
                vec![
                    name,
                    text("/spec/shard"),
                    text("/status/freightSummary"),
                    text("/status/health/status"),
                ],
                object,
            ),
            Self::Warehouses => vec![name, text("/spec/shard")],
            Self::Freight => {
                let alias = object.label(labels::ALIAS).to_owned();
                let age = age(discovered(object), now);
                vec![name, alias, origin(object), age]
            }
            Self::Promotions => vec![
                name,
                object.label(labels::SHARD).to_owned(),
                text("/spec/stage"),
                text("/spec/freight"),
                text("/status/phase"),
            ],
            Self::PromotionRequests => vec![
                name,
                text("/spec/stage"),
                text("/spec/freight"),
                text("/status/phase"),
                reached(object),
            ],
            Self::Targets => vec![name, labels_of(object)],
            Self::Roles => vec![name, flag(object, "/kargoManaged")],
            Self::RoleResources => vec![
                name,
                text("/serviceAccount/metadata/name"),
                names(object, "/roleBindings"),
                names(object, "/roles"),
            ],
            Self::Tokens => vec![
                name,
                object.annotation(SERVICE_ACCOUNT).to_owned(),
                (object.annotation(annotations::RBAC_MANAGED) == "true").to_string(),
            ],
            Self::RepoCredentials => vec![
                name,
                object.label(labels::CREDENTIALS_TYPE).to_owned(),
                (text("/stringData/repoURLIsRegex") == "true").to_string(),
                text("/stringData/repoURL"),
            ],
            Self::GenericCredentials => {
                vec![name, object.annotation(annotations::DESCRIPTION).to_owned()]
            }
            Self::ConfigMaps => {
                vec![
                    name,
                    object.annotation(annotations::DESCRIPTION).to_owned(),
                    count(object, "/data").to_string(),
                ]
            }
            Self::Events => event_row(object, now),
            Self::NameAndAge => vec![name],
        };
        if !matches!(self, Self::Freight | Self::Events) {
            row.push(age(object.created(), now));
        }
        if width == Width::Wide {
            row.extend(self.further_cells(object));
        }
        row
    }

    fn further_head(self) -> &'static [&'static str] {
        match self {
            Self::Stages => &["WAREHOUSES", "LAST PROMOTION"],
            Self::Promotions => &["STEP", "MESSAGE"],
            Self::PromotionRequests => &["PROMOTIONS"],
            Self::Targets => &["PARAMS"],
            Self::Freight => &["ARTIFACTS", "CURRENTLY IN"],
            Self::Warehouses => &["READY", "STATUS"],
            _ => &[],
        }
    }

    fn further_cells(self, object: &Object) -> Vec<String> {
        let text = |pointer: &str| object.text(pointer).to_owned();
        match self {
            Self::Stages => vec![origins(object), text("/status/lastPromotion/name")],
            Self::Promotions => vec![current_step(object), text("/status/message")],
            Self::PromotionRequests => vec![phases(object)],
            Self::Targets => vec![keys(object, "/spec/params")],
            Self::Freight => vec![artifacts(object), current_stages(object)],
            Self::Warehouses => with_readiness(Vec::new(), object),
            _ => Vec::new(),
        }
    }
}

/// Status and message of readiness.
fn with_readiness(mut row: Vec<String>, object: &Object) -> Vec<String> {
    let (status, message) = object.condition("Ready").unwrap_or(("Unknown", ""));
    row.extend([status.to_owned(), message.to_owned()]);
    row
}

fn discovered(object: &Object) -> Option<Time> {
    object.time("/discoveredAt").or_else(|| object.created())
}

fn origin(object: &Object) -> String {
    let (kind, name) = (object.text("/origin/kind"), object.text("/origin/name"));
    if name.is_empty() { String::new() } else { format!("{kind}/{name}") }
}

fn flag(object: &Object, pointer: &str) -> String {
    object.value().pointer(pointer).and_then(Value::as_bool).unwrap_or_default().to_string()
}

fn list<'a>(object: &'a Object, pointer: &str) -> impl Iterator<Item = &'a Value> {
    object.value().pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}

fn names(object: &Object, pointer: &str) -> String {
    let name = |one: &Value| one.pointer("/metadata/name")?.as_str().map(str::to_owned);
    joined(list(object, pointer).filter_map(name))
}

fn fields<'a>(object: &'a Object, pointer: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let fields = object.value().pointer(pointer).and_then(Value::as_object);
    fields.into_iter().flat_map(serde_json::Map::iter)
}

fn count(object: &Object, pointer: &str) -> usize {
    fields(object, pointer).count()
}

fn keys(object: &Object, pointer: &str) -> String {
    joined(fields(object, pointer).map(|(key, _)| key.clone()))
}

fn labels_of(object: &Object) -> String {
    let label =
        |(key, value): (&String, &Value)| format!("{key}={}", value.as_str().unwrap_or_default());
    joined(fields(object, "/metadata/labels").map(label))
}

/// How many of the Targets have what was asked for.
fn reached(object: &Object) -> String {
    let is_reached =
        |target: &&Value| target.get("phase").is_some_and(|phase| phase == "Succeeded");
    let reached = list(object, "/status/targets").filter(is_reached).count();
    format!("{reached}/{}", list(object, "/spec/targets").count())
}

/// How many of the Promotions of a request are in which phase.
fn phases(object: &Object) -> String {
    joined(fields(object, "/status/summary").map(|(phase, count)| format!("{count} {phase}")))
}

fn origins(object: &Object) -> String {
    let name = |one: &Value| one.pointer("/origin/name")?.as_str().map(str::to_owned);
    joined(list(object, "/spec/requestedFreight").filter_map(name))
}

fn current_step(object: &Object) -> String {
    let count = list(object, "/spec/steps").count();
    let current = object.value().pointer("/status/currentStep").and_then(Value::as_u64);
    match current {
        Some(current) if count > 0 => format!("{}/{count}", current.saturating_add(1)),
        _ => String::new(),
    }
}

/// Images and charts with their versions, commits by their beginning.
fn artifacts(object: &Object) -> String {
    let part = |one: &Value, field: &str| {
        one.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let last = |url: &str| url.rsplit('/').next().unwrap_or_default().to_owned();
    let images = list(object, "/images")
        .map(|image| format!("{}:{}", last(&part(image, "repoURL")), part(image, "tag")));
    let charts = list(object, "/charts").map(|chart| {
        let name = part(chart, "name");
        let name = if name.is_empty() { last(&part(chart, "repoURL")) } else { name };
        format!("{name}:{}", part(chart, "version"))
    });
    let commits = list(object, "/commits")
        .map(|commit| part(commit, "id").chars().take(7).collect::<String>());
    joined(images.chain(charts).chain(commits))
}

fn current_stages(object: &Object) -> String {
    keys(object, "/status/currentlyIn")
}

fn event_row(object: &Object, now: Time) -> Vec<String> {
    let seen = object.time("/lastTimestamp").or_else(|| object.time("/eventTime"));
    let kind = object.text("/involvedObject/kind").to_lowercase();
    let text = |pointer: &str| object.text(pointer).to_owned();
    vec![
        age(seen, now),
        text("/type"),
        text("/reason"),
        format!("{kind}/{}", object.text("/involvedObject/name")),
        text("/message"),
    ]
}
