//! Subscriptions of a Warehouse.
//!
//! On the wire a subscription is an object with one field that names its type and holds its
//! settings, and an optional `name` beside it: `{"name": "ui", "image": {…}}`. The schema lets any
//! JSON through, so the form is checked here, when it is decoded.

mod chart;
mod git;
mod image;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
    ser::SerializeMap,
};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::omit::is_zero;

pub use chart::ChartSubscription;
pub use git::{CommitSelectionStrategy, GitSubscription};
pub use image::{ImageSelectionStrategy, ImageSubscription};

/// The field beside the type; no type may have this name.
const NAME: &str = "name";

/// One thing that a Warehouse watches.
#[derive(Clone, Debug, PartialEq)]
pub struct RepoSubscription {
    /// Name of the subscription, unique within the Warehouse; empty when it has none.
    pub name: String,
    /// What is watched.
    pub source: Source,
}

/// What a subscription watches.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Commits of a Git repository.
    Git(GitSubscription),
    /// Versions of a container image.
    Image(ImageSubscription),
    /// Versions of a Helm chart.
    Chart(ChartSubscription),
    /// Something of another type.
    Other(Subscription),
}

/// Settings of a subscription whose type is not built in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Subscription {
    /// The type. Always equal to the field under which the settings are found.
    pub subscription_type: String,
    /// Settings in the form the type expects.
    #[serde(skip_serializing_if = "is_zero")]
    pub config: Option<Value>,
    /// How many versions to find at most; 0 stands for the default.
    #[serde(skip_serializing_if = "is_zero")]
    pub discovery_limit: i32,
}

/// Why a list entry is not a subscription. Messages go on after "subscription at index N".
#[derive(Debug, Error)]
enum Malformed {
    #[error("must be an object")]
    NotAnObject,
    #[error(
        "must have exactly one top-level field naming its type, apart from an optional \"name\" \
         field, but has {0}"
    )]
    Types(usize),
    #[error("has an invalid \"{field}\" field: {reason}")]
    Field { field: String, reason: serde_json::Error },
}

impl Source {
    /// The field under which the settings are found.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Git(_) => "git",
            Self::Image(_) => "image",
            Self::Chart(_) => "chart",
            Self::Other(subscription) => &subscription.subscription_type,
        }
    }
}

impl RepoSubscription {
    fn decode(value: Value) -> Result<Self, Malformed> {
        let Value::Object(mut fields) = value else { return Err(Malformed::NotAnObject) };
        let name = take_name(&mut fields)?;
        let types = fields.len();
        let mut fields = fields.into_iter();
        let (Some((type_name, settings)), None) = (fields.next(), fields.next()) else {
            return Err(Malformed::Types(types));
        };
        Ok(Self { name, source: decode_source(type_name, settings)? })
    }
}

fn take_name(fields: &mut Map<String, Value>) -> Result<String, Malformed> {
    match fields.remove(NAME) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(name) => decode(NAME, name),
    }
}

fn decode_source(type_name: String, settings: Value) -> Result<Source, Malformed> {
    Ok(match type_name.as_str() {
        "git" => Source::Git(decode(&type_name, settings)?),
        "image" => Source::Image(decode(&type_name, settings)?),
        "chart" => Source::Chart(decode(&type_name, settings)?),
        _ => {
            let settings: Subscription = decode(&type_name, settings)?;
            Source::Other(Subscription { subscription_type: type_name, ..settings })
        }
    })
}

fn decode<T: DeserializeOwned>(field: &str, value: Value) -> Result<T, Malformed> {
    serde_json::from_value(value)
        .map_err(|reason| Malformed::Field { field: field.to_owned(), reason })
}

impl Serialize for RepoSubscription {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        if !self.name.is_empty() {
            fields.serialize_entry(NAME, &self.name)?;
        }
        let type_name = self.source.type_name();
        match &self.source {
            Source::Git(settings) => fields.serialize_entry(type_name, settings)?,
            Source::Image(settings) => fields.serialize_entry(type_name, settings)?,
            Source::Chart(settings) => fields.serialize_entry(type_name, settings)?,
            Source::Other(settings) => fields.serialize_entry(type_name, settings)?,
        }
        fields.end()
    }
}

/// Decodes the list as a whole, so that an error can say which entry it is about.
pub(super) fn deserialize_list<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<RepoSubscription>, D::Error> {
    Vec::<Value>::deserialize(deserializer)?
        .into_iter()
        .enumerate()
        .map(|(index, value)| {
            RepoSubscription::decode(value).map_err(|reason| {
                D::Error::custom(format!("subscription at index {index} {reason}"))
            })
        })
        .collect()
}
