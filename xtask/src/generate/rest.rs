//! The OpenAPI document of the REST API.

use anyhow::Context;
use api_rest::openapi::{self, Schemas};
use k8s_openapi::{
    api::{
        core::v1::{ConfigMap, Event, Secret},
        rbac::v1::PolicyRule,
    },
    apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta},
};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};

use super::Folder;

/// What references to schemas begin with.
const PREFIX: &str = "#/components/schemas/";

/// The document, under the name that it is served by.
pub(super) fn files() -> anyhow::Result<Folder> {
    let mut schemas = built_in();
    for crd in api_kinds::crd::crds() {
        add(&mut schemas, "", &crd)?;
    }
    for crd in api_analysis::crds() {
        // Upstream's prefix.
        add(&mut schemas, "Rollouts", &crd)?;
    }
    let document = serde_json::to_string_pretty(&openapi::document(schemas))?;
    Ok(Folder::from([("openapi.json".to_owned(), format!("{document}\n"))]))
}

/// Adds the schema of a kind from its definition.
fn add(schemas: &mut Schemas, prefix: &str, crd: &Value) -> anyhow::Result<()> {
    let kind = crd.pointer("/spec/names/kind").and_then(Value::as_str).context("no kind")?;
    let schema = crd.pointer("/spec/versions/0/schema/openAPIV3Schema").context("no schema")?;
    let mut schema = schema.clone();
    if let Some(metadata) = schema.pointer_mut("/properties/metadata") {
        *metadata = json!({ "$ref": format!("{PREFIX}V1ObjectMeta") });
    }
    schemas.insert(format!("{prefix}{kind}"), schema);
    Ok(())
}

/// Kinds of Kubernetes, and what they and ours are made of.
fn built_in() -> Schemas {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.definitions_path = "/components/schemas".into();
    });
    let mut generator: SchemaGenerator = settings.into_generator();
    generator.subschema_for::<ConfigMap>();
    generator.subschema_for::<Event>();
    generator.subschema_for::<Secret>();
    generator.subschema_for::<PolicyRule>();
    generator.subschema_for::<ListMeta>();
    generator.subschema_for::<ObjectMeta>();
    let named = generator.take_definitions(true).into_iter();
    named.map(|(name, schema)| (short(&name), with_short_names(schema))).collect()
}

/// `io.k8s.api.core.v1.Secret` as `V1Secret`.
fn short(name: &str) -> String {
    let mut parts = name.rsplit('.');
    match (parts.next(), parts.next()) {
        (Some(kind), Some(version)) => format!("{}{kind}", version.replacen('v', "V", 1)),
        _ => name.to_owned(),
    }
}

fn with_short_names(mut schema: Value) -> Value {
    openapi::tidy(&mut schema);
    shorten_references(&mut schema);
    schema
}

fn shorten_references(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get_mut("$ref")
                && let Some(name) = reference.strip_prefix(PREFIX)
            {
                *reference = format!("{PREFIX}{}", short(name));
            }
            fields.values_mut().for_each(shorten_references);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_references),
        _ => {}
    }
}
