//! CustomResourceDefinitions of all kinds.

mod schema;
#[cfg(feature = "yaml")]
mod yaml;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    ClusterConfig, ClusterPromotionTask, Freight, Project, ProjectConfig, Promotion,
    PromotionRequest, PromotionTask, Stage, Target, Warehouse,
    kind::{Column, Definition, GROUP, Kind, Scope, VERSION},
    warehouse::{ChartSubscription, GitSubscription, ImageSubscription},
};

#[cfg(feature = "yaml")]
pub use yaml::{YamlError, crds_yaml, to_yaml};

/// The generator whose output the definitions are compatible with. Tools look for the annotation.
const GENERATOR: &str = "v0.19.0";

/// The CustomResourceDefinitions of all kinds, sorted by name.
pub fn crds() -> Vec<Value> {
    vec![
        crd::<ClusterConfig>(),
        crd::<ClusterPromotionTask>(),
        crd::<Freight>(),
        crd::<ProjectConfig>(),
        crd::<Project>(),
        crd::<PromotionRequest>(),
        crd::<Promotion>(),
        crd::<PromotionTask>(),
        crd::<Stage>(),
        crd::<Target>(),
        crd::<Warehouse>(),
    ]
}

/// The schemas of the settings of subscriptions, by the field that names their type. The definition of Warehouses lets
/// any JSON through there.
pub fn subscriptions() -> BTreeMap<&'static str, Value> {
    let mut schemas = BTreeMap::from([
        ("chart", schema::of_part::<ChartSubscription>()),
        ("git", schema::of_part::<GitSubscription>()),
        ("image", schema::of_part::<ImageSubscription>()),
    ]);
    schemas.values_mut().for_each(Value::sort_all_objects);
    schemas
}

/// The CustomResourceDefinition of one kind.
pub fn crd<K: Kind>() -> Value {
    let definition = K::DEFINITION;
    let subresources = if definition.status { json!({ "status": {} }) } else { json!({}) };
    let mut crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{}.{GROUP}", definition.plural),
            "annotations": { "controller-gen.kubebuilder.io/version": GENERATOR },
        },
        "spec": {
            "group": GROUP,
            "names": names(&definition),
            "scope": match definition.scope {
                Scope::Cluster => "Cluster",
                Scope::Namespaced => "Namespaced",
            },
            "versions": [{
                "name": VERSION,
                "served": true,
                "storage": true,
                "additionalPrinterColumns":
                    definition.columns.iter().map(column).collect::<Vec<_>>(),
                "schema": { "openAPIV3Schema": schema::of::<K>() },
                "subresources": subresources,
            }],
        },
    });
    // Another crate may have turned on insertion order; files must not depend on that.
    crd.sort_all_objects();
    crd
}

fn names(definition: &Definition) -> Value {
    let mut names = json!({
        "kind": definition.kind,
        "listKind": format!("{}List", definition.kind),
        "plural": definition.plural,
        "singular": definition.kind.to_lowercase(),
    });
    if let (Some(names), false) = (names.as_object_mut(), definition.short_names.is_empty()) {
        names.insert("shortNames".to_owned(), json!(definition.short_names));
    }
    names
}

fn column(column: &Column) -> Value {
    json!({ "name": column.name, "jsonPath": column.json_path, "type": column.value_type })
}
