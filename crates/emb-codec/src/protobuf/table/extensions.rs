//! Kinds of `apiextensions.k8s.io`. Schemas hold schemas.

use super::{
    Kind::{Bool, Bytes, Double, Int, Message, RawJson, Text, Time},
    Table, filled, kept, list, map, meta, object, one_of,
};

/// The kinds that are read.
pub(super) static KINDS: &[(&str, &Table)] =
    &[("CustomResourceDefinition", &CUSTOM_RESOURCE_DEFINITION)];

static CUSTOM_RESOURCE_DEFINITION_NAMES: Table = object(&[
    kept(1, "plural", Text),
    filled(2, "singular", Text),
    list(3, "shortNames", Text),
    kept(4, "kind", Text),
    filled(5, "listKind", Text),
    list(6, "categories", Text),
]);

static JSON_SCHEMA_PROPS_OR_ARRAY: Table = one_of(&[
    list(2, "JSONSchemas", Message(&JSON_SCHEMA_PROPS)),
    kept(1, "Schema", Message(&JSON_SCHEMA_PROPS)),
]);

static JSON_SCHEMA_PROPS_OR_BOOL: Table =
    one_of(&[kept(2, "Schema", Message(&JSON_SCHEMA_PROPS)), kept(1, "Allows", Bool)]);

static JSON_SCHEMA_PROPS_OR_STRING_ARRAY: Table =
    one_of(&[list(2, "Property", Text), kept(1, "Schema", Message(&JSON_SCHEMA_PROPS))]);

static EXTERNAL_DOCUMENTATION: Table =
    object(&[filled(1, "description", Text), filled(2, "url", Text)]);

static VALIDATION_RULE: Table = object(&[
    kept(1, "rule", Text),
    filled(2, "message", Text),
    filled(3, "messageExpression", Text),
    kept(4, "reason", Text),
    filled(5, "fieldPath", Text),
    kept(6, "optionalOldSelf", Bool),
]);

static JSON_SCHEMA_PROPS: Table = object(&[
    filled(1, "id", Text),
    filled(2, "$schema", Text),
    kept(3, "$ref", Text),
    filled(4, "description", Text),
    filled(5, "type", Text),
    filled(6, "format", Text),
    filled(7, "title", Text),
    kept(8, "default", RawJson),
    kept(9, "maximum", Double),
    filled(10, "exclusiveMaximum", Bool),
    kept(11, "minimum", Double),
    filled(12, "exclusiveMinimum", Bool),
    kept(13, "maxLength", Int),
    kept(14, "minLength", Int),
    filled(15, "pattern", Text),
    kept(16, "maxItems", Int),
    kept(17, "minItems", Int),
    filled(18, "uniqueItems", Bool),
    kept(19, "multipleOf", Double),
    list(20, "enum", RawJson),
    kept(21, "maxProperties", Int),
    kept(22, "minProperties", Int),
    list(23, "required", Text),
    kept(24, "items", Message(&JSON_SCHEMA_PROPS_OR_ARRAY)),
    list(25, "allOf", Message(&JSON_SCHEMA_PROPS)),
    list(26, "oneOf", Message(&JSON_SCHEMA_PROPS)),
    list(27, "anyOf", Message(&JSON_SCHEMA_PROPS)),
    kept(28, "not", Message(&JSON_SCHEMA_PROPS)),
    map(29, "properties", Message(&JSON_SCHEMA_PROPS)),
    kept(30, "additionalProperties", Message(&JSON_SCHEMA_PROPS_OR_BOOL)),
    map(31, "patternProperties", Message(&JSON_SCHEMA_PROPS)),
    map(32, "dependencies", Message(&JSON_SCHEMA_PROPS_OR_STRING_ARRAY)),
    kept(33, "additionalItems", Message(&JSON_SCHEMA_PROPS_OR_BOOL)),
    map(34, "definitions", Message(&JSON_SCHEMA_PROPS)),
    kept(35, "externalDocs", Message(&EXTERNAL_DOCUMENTATION)),
    kept(36, "example", RawJson),
    filled(37, "nullable", Bool),
    kept(38, "x-kubernetes-preserve-unknown-fields", Bool),
    filled(39, "x-kubernetes-embedded-resource", Bool),
    filled(40, "x-kubernetes-int-or-string", Bool),
    list(41, "x-kubernetes-list-map-keys", Text),
    kept(42, "x-kubernetes-list-type", Text),
    kept(43, "x-kubernetes-map-type", Text),
    list(44, "x-kubernetes-validations", Message(&VALIDATION_RULE)),
]);

static CUSTOM_RESOURCE_VALIDATION: Table =
    object(&[kept(1, "openAPIV3Schema", Message(&JSON_SCHEMA_PROPS))]);

static CUSTOM_RESOURCE_SUBRESOURCE_STATUS: Table = object(&[]);

static CUSTOM_RESOURCE_SUBRESOURCE_SCALE: Table = object(&[
    kept(1, "specReplicasPath", Text),
    kept(2, "statusReplicasPath", Text),
    kept(3, "labelSelectorPath", Text),
]);

static CUSTOM_RESOURCE_SUBRESOURCES: Table = object(&[
    kept(1, "status", Message(&CUSTOM_RESOURCE_SUBRESOURCE_STATUS)),
    kept(2, "scale", Message(&CUSTOM_RESOURCE_SUBRESOURCE_SCALE)),
]);

static CUSTOM_RESOURCE_COLUMN_DEFINITION: Table = object(&[
    kept(1, "name", Text),
    kept(2, "type", Text),
    filled(3, "format", Text),
    filled(4, "description", Text),
    filled(5, "priority", Int),
    kept(6, "jsonPath", Text),
]);

static SELECTABLE_FIELD: Table = object(&[kept(1, "jsonPath", Text)]);

static CUSTOM_RESOURCE_DEFINITION_VERSION: Table = object(&[
    kept(1, "name", Text),
    kept(2, "served", Bool),
    kept(3, "storage", Bool),
    kept(4, "schema", Message(&CUSTOM_RESOURCE_VALIDATION)),
    kept(5, "subresources", Message(&CUSTOM_RESOURCE_SUBRESOURCES)),
    list(6, "additionalPrinterColumns", Message(&CUSTOM_RESOURCE_COLUMN_DEFINITION)),
    filled(7, "deprecated", Bool),
    kept(8, "deprecationWarning", Text),
    list(9, "selectableFields", Message(&SELECTABLE_FIELD)),
]);

static SERVICE_REFERENCE: Table = object(&[
    kept(1, "namespace", Text),
    kept(2, "name", Text),
    kept(3, "path", Text),
    kept(4, "port", Int),
]);

static WEBHOOK_CLIENT_CONFIG: Table = object(&[
    kept(1, "service", Message(&SERVICE_REFERENCE)),
    filled(2, "caBundle", Bytes),
    kept(3, "url", Text),
]);

static WEBHOOK_CONVERSION: Table = object(&[
    kept(2, "clientConfig", Message(&WEBHOOK_CLIENT_CONFIG)),
    list(3, "conversionReviewVersions", Text),
]);

static CUSTOM_RESOURCE_CONVERSION: Table =
    object(&[kept(1, "strategy", Text), kept(2, "webhook", Message(&WEBHOOK_CONVERSION))]);

static CUSTOM_RESOURCE_DEFINITION_SPEC: Table = object(&[
    kept(1, "group", Text),
    kept(3, "names", Message(&CUSTOM_RESOURCE_DEFINITION_NAMES)),
    kept(4, "scope", Text),
    list(7, "versions", Message(&CUSTOM_RESOURCE_DEFINITION_VERSION)),
    kept(9, "conversion", Message(&CUSTOM_RESOURCE_CONVERSION)),
    filled(10, "preserveUnknownFields", Bool),
]);

static CUSTOM_RESOURCE_DEFINITION_CONDITION: Table = object(&[
    kept(1, "type", Text),
    kept(2, "status", Text),
    filled(3, "lastTransitionTime", Time),
    filled(4, "reason", Text),
    filled(5, "message", Text),
    filled(6, "observedGeneration", Int),
]);

static CUSTOM_RESOURCE_DEFINITION_STATUS: Table = object(&[
    list(1, "conditions", Message(&CUSTOM_RESOURCE_DEFINITION_CONDITION)),
    kept(2, "acceptedNames", Message(&CUSTOM_RESOURCE_DEFINITION_NAMES)),
    list(3, "storedVersions", Text),
    filled(4, "observedGeneration", Int),
]);

static CUSTOM_RESOURCE_DEFINITION: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    kept(2, "spec", Message(&CUSTOM_RESOURCE_DEFINITION_SPEC)),
    filled(3, "status", Message(&CUSTOM_RESOURCE_DEFINITION_STATUS)),
]);
