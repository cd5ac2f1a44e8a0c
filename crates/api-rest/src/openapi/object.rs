//! Objects within bodies: their schemas are handed in, so only their names are known.

use schemars::{Schema, SchemaGenerator, json_schema};

/// What references to schemas begin with.
pub(super) const PREFIX: &str = "#/components/schemas/";

fn one(name: &str) -> Schema {
    json_schema!({ "$ref": format!("{PREFIX}{name}") })
}

fn many(name: &str) -> Schema {
    json_schema!({ "type": "array", "items": one(name) })
}

pub(crate) fn freight(_: &mut SchemaGenerator) -> Schema {
    many("Freight")
}

pub(crate) fn projects(_: &mut SchemaGenerator) -> Schema {
    many("Project")
}

pub(crate) fn promotions(_: &mut SchemaGenerator) -> Schema {
    many("Promotion")
}

pub(crate) fn promotion_requests(_: &mut SchemaGenerator) -> Schema {
    many("PromotionRequest")
}

pub(crate) fn policy_rules(_: &mut SchemaGenerator) -> Schema {
    many("V1PolicyRule")
}

pub(crate) fn metadata(_: &mut SchemaGenerator) -> Schema {
    one("V1ObjectMeta")
}

pub(crate) fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": true })
}
