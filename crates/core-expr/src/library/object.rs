//! The types of objects that functions return, and how objects are made.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_kinds::Time;
use api_kinds::artifact::{ArtifactReference, Chart, GitCommit, Image};
use api_kinds::promotion::StepExecutionMetadata;
use api_kinds::warehouse::{DiscoveredCommit, DiscoveredImageReference};

use crate::text::Text;
use crate::time::Moment;
use crate::value::{Data, Field, FieldType, Map, Object, ObjectType, Value};

const fn field(
    name: &'static str,
    json_name: &'static str,
    omit_empty: bool,
    holds: FieldType,
) -> Field {
    Field { name, json_name, omit_empty, holds }
}

const fn text(name: &'static str, json_name: &'static str) -> Field {
    field(name, json_name, true, FieldType::Text)
}

macro_rules! object_type {
    ($name:ident, $title:literal, $path:literal, $is_reference:literal, [$($field:expr),* $(,)?]) => {
        pub(crate) static $name: ObjectType = ObjectType {
            name: $title,
            path: $path,
            is_reference: $is_reference,
            fields: &[$($field),*],
        };
    };
}

object_type!(
    ORIGIN,
    "v1alpha1.FreightOrigin",
    "github.com/akuity/kargo/api/v1alpha1.FreightOrigin",
    false,
    [field("Kind", "kind", false, FieldType::Word), field("Name", "name", false, FieldType::Text),]
);

object_type!(
    COMMIT,
    "v1alpha1.GitCommit",
    "",
    true,
    [
        text("RepoURL", "repoURL"),
        text("ID", "id"),
        text("Branch", "branch"),
        text("Tag", "tag"),
        text("Message", "message"),
        text("Author", "author"),
        text("Committer", "committer"),
        text("SubscriptionName", "subscriptionName"),
    ]
);

object_type!(
    IMAGE,
    "v1alpha1.Image",
    "",
    true,
    [
        text("RepoURL", "repoURL"),
        text("Tag", "tag"),
        text("Digest", "digest"),
        field("Annotations", "annotations", true, FieldType::TextMap),
        text("SubscriptionName", "subscriptionName"),
    ]
);

object_type!(
    CHART,
    "v1alpha1.Chart",
    "",
    true,
    [
        text("RepoURL", "repoURL"),
        text("Name", "name"),
        text("Version", "version"),
        text("SubscriptionName", "subscriptionName"),
    ]
);

object_type!(
    DISCOVERED_CHART,
    "v1alpha1.Chart",
    "github.com/akuity/kargo/api/v1alpha1.Chart",
    false,
    [
        text("RepoURL", "repoURL"),
        text("Name", "name"),
        text("Version", "version"),
        text("SubscriptionName", "subscriptionName"),
    ]
);

object_type!(
    ARTIFACT,
    "function.expressionFriendlyArtifactReference",
    "github.com/akuity/kargo/pkg/expressions/function.expressionFriendlyArtifactReference",
    false,
    [
        field("ArtifactType", "ArtifactType", false, FieldType::Text),
        field("SubscriptionName", "SubscriptionName", false, FieldType::Text),
        field("Version", "Version", false, FieldType::Text),
        field("Metadata", "Metadata", false, FieldType::Map),
    ]
);

object_type!(
    DISCOVERED_COMMIT,
    "v1alpha1.DiscoveredCommit",
    "github.com/akuity/kargo/api/v1alpha1.DiscoveredCommit",
    false,
    [
        text("ID", "id"),
        text("Branch", "branch"),
        text("Tag", "tag"),
        text("Subject", "subject"),
        text("Author", "author"),
        text("Committer", "committer"),
        field("CreatorDate", "creatorDate", true, FieldType::Time),
    ]
);

object_type!(
    DISCOVERED_IMAGE,
    "v1alpha1.DiscoveredImageReference",
    "github.com/akuity/kargo/api/v1alpha1.DiscoveredImageReference",
    false,
    [
        field("Tag", "tag", false, FieldType::Text),
        field("Digest", "digest", false, FieldType::Text),
        field("Annotations", "annotations", true, FieldType::TextMap),
        field("CreatedAt", "createdAt", true, FieldType::Time),
    ]
);

object_type!(
    STEP_RECORD,
    "v1alpha1.StepExecutionMetadata",
    "github.com/akuity/kargo/api/v1alpha1.StepExecutionMetadata",
    false,
    [
        text("Alias", "alias"),
        field("StartedAt", "startedAt", true, FieldType::Time),
        field("FinishedAt", "finishedAt", true, FieldType::Time),
        field("ErrorCount", "errorCount", true, FieldType::Uint),
        field("Status", "status", true, FieldType::Word),
        text("Message", "message"),
        field("ContinueOnError", "continueOnError", true, FieldType::Bool),
    ]
);

fn time(time: Option<&Time>) -> Value {
    time.map_or(Value::NIL, |time| Value::moment(Moment::utc(time.0)))
}

/// No entries are no map, because that is how they are stored.
fn texts(map: &BTreeMap<String, String>) -> Value {
    if map.is_empty() {
        return Data::Map(Arc::new(Map::nil_of_texts())).into();
    }
    Value::text_map(map.iter().map(|(key, value)| (key.as_str(), value.as_str())))
}

fn values<const N: usize>(fields: [&str; N]) -> Vec<Value> {
    fields.into_iter().map(Value::text).collect()
}

pub(super) fn origin(name: &Text) -> Value {
    Object::value(&ORIGIN, vec![Value::text("Warehouse"), Value::text(name.clone())])
}

pub(super) fn commit(commit: &GitCommit) -> Value {
    let fields = values([
        &commit.repo_url,
        &commit.id,
        &commit.branch,
        &commit.tag,
        &commit.message,
        &commit.author,
        &commit.committer,
        &commit.subscription_name,
    ]);
    Object::value(&COMMIT, fields)
}

pub(super) fn image(image: &Image) -> Value {
    let mut fields = values([&image.repo_url, &image.tag, &image.digest]);
    fields.extend([texts(&image.annotations), Value::text(image.subscription_name.as_str())]);
    Object::value(&IMAGE, fields)
}

pub(super) fn chart(chart: &Chart) -> Value {
    let fields = values([&chart.repo_url, &chart.name, &chart.version, &chart.subscription_name]);
    Object::value(&CHART, fields)
}

pub(super) fn discovered_chart(repository: &str, name: &str, version: &str) -> Value {
    Object::value(&DISCOVERED_CHART, values([repository, name, version, ""]))
}

pub(super) fn artifact(artifact: &ArtifactReference) -> Value {
    let mut fields =
        values([&artifact.artifact_type, &artifact.subscription_name, &artifact.version]);
    let metadata = artifact.metadata.as_ref().filter(|metadata| metadata.is_object());
    fields.push(metadata.map_or_else(|| Value::map::<Text>([]), Value::from_json));
    Object::value(&ARTIFACT, fields)
}

pub(super) fn discovered_commit(commit: &DiscoveredCommit) -> Value {
    let mut fields = values([
        &commit.id,
        &commit.branch,
        &commit.tag,
        &commit.subject,
        &commit.author,
        &commit.committer,
    ]);
    fields.push(time(commit.creator_date.as_ref()));
    Object::value(&DISCOVERED_COMMIT, fields)
}

pub(super) fn discovered_image(image: &DiscoveredImageReference) -> Value {
    let mut fields = values([&image.tag, &image.digest]);
    fields.extend([texts(&image.annotations), time(image.created_at.as_ref())]);
    Object::value(&DISCOVERED_IMAGE, fields)
}

/// The record of a step as the variable `stepMetas` holds it, under the step's alias.
pub(crate) fn step_record(record: &StepExecutionMetadata) -> Value {
    let fields = vec![
        Value::text(record.alias.as_str()),
        time(record.started_at.as_ref()),
        time(record.finished_at.as_ref()),
        Data::Uint(u64::from(record.error_count)).into(),
        Value::text(record.status.as_str()),
        Value::text(record.message.as_str()),
        Data::Bool(record.continue_on_error).into(),
    ];
    Object::value(&STEP_RECORD, fields)
}
