//! Tables and metadata alone (rows 110 to 112).

use anyhow::{Context, Result, ensure};
use dev_testkit::repository;
use serde_json::{Value, json};

use crate::{
    cases::Cases,
    difference::Difference,
    expect::{at, equal, matches, revision, text},
    fixture::{CRDS, served},
    namespace::{Namespace, config_map, widget, widget_with},
    watch::Event,
    world::World,
};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const METADATA: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

pub(crate) async fn watches(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widgets();
    world.create(&path, &widget("a")).await?;
    let query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut tables = world.watch_as(&path, query, TABLE).await?;
    let mut metadata = world.watch_as(&path, query, METADATA).await?;
    let updated =
        world.merge(&namespace.widget("a"), &json!({"spec": {"count": 7}})).await?.is(200)?;

    let first = tables.next().await?;
    one_row(&first, "ADDED")?;
    ensure!(columns(&first.object).len() == 6, "columns in {first:?}");
    let bookmark = tables.next().await?;
    one_row(&bookmark, "BOOKMARK")?;
    at(&bookmark.object, "/rows/0/cells/0", "")?;
    at(
        &bookmark.object,
        "/rows/0/object/metadata/annotations",
        json!({"k8s.io/initial-events-end": "true"}),
    )?;
    let changed = tables.next().await?;
    one_row(&changed, "MODIFIED")?;
    at(&changed.object, "/rows/0/cells/2", 7)?;
    equal("revision", &revision(&changed.object)?, &revision(&updated)?)?;
    for event in [&bookmark, &changed] {
        ensure!(columns(&event.object).is_empty(), "columns again in {event:?}");
    }
    for (kind, name) in [("ADDED", "a"), ("BOOKMARK", ""), ("MODIFIED", "a")] {
        only_metadata(&metadata.expect(kind, name).await?.object)?;
    }
    let yaml = world.get_as(&format!("{path}?watch=true"), "application/yaml").await?;
    yaml.is(406)?;
    ensure!(yaml.text().contains("reason: NotAcceptable"), "{yaml}, want it in YAML");
    Ok(())
}

fn one_row(event: &Event, kind: &str) -> Result<()> {
    equal("type", &event.kind.as_str(), &kind)?;
    at(&event.object, "/kind", "Table")?;
    at(&event.object, "/apiVersion", "meta.k8s.io/v1")?;
    at(&event.object, "/rows/0/object/kind", "PartialObjectMetadata")?;
    equal("rows", &event.object["rows"].as_array().map(Vec::len), &Some(1))
}

fn only_metadata(object: &Value) -> Result<()> {
    at(object, "/kind", "PartialObjectMetadata")?;
    at(object, "/apiVersion", "meta.k8s.io/v1")?;
    let fields: Vec<_> = object
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.keys().map(String::as_str))
        .collect();
    equal("fields", &fields, &vec!["apiVersion", "kind", "metadata"])
}

/// Columns as `name:type:format:priority`.
#[rustfmt::skip]
const BUILT_IN: &[(&str, &str)] = &[
    ("/api/v1/namespaces", "Name:string:name:0 Status:string::0 Age:string::0"),
    ("/api/v1/secrets", "Name:string:name:0 Type:string::0 Data:string::0 Age:string::0"),
    ("/api/v1/configmaps", "Name:string:name:0 Data:string::0 Age:string::0"),
    ("/api/v1/serviceaccounts", "Name:string:name:0 Age:string::0"),
    ("/api/v1/events", EVENT),
    ("/apis/events.k8s.io/v1/events", EVENT),
    ("/apis/rbac.authorization.k8s.io/v1/roles", "Name:string:name:0 Created_At:date::0"),
    ("/apis/rbac.authorization.k8s.io/v1/rolebindings", BINDING),
    ("/apis/rbac.authorization.k8s.io/v1/clusterroles", "Name:string:name:0 Created_At:date::0"),
    ("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", BINDING),
    ("/apis/coordination.k8s.io/v1/leases", "Name:string:name:0 Holder:string::0 Age:string::0"),
    (CRDS, "Name:string:name:0 Created_At:date::0"),
    ("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", WEBHOOK),
    ("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", WEBHOOK),
    ("/apis/apiregistration.k8s.io/v1/apiservices", "Name:string:name:0 Service:string::0 Available:string::0 Age:string::0"),
    ("/apis/conf.example.com/v1/gadgets", "Name:string:name:0 Age:date::0"),
    ("/apis/conf.example.com/v1/widgets",
        "Name:string:name:0 Color:string::0 Count:integer::0 Ready:string::0 Note:string::1 Age:date::0"),
];
const EVENT: &str = "Last_Seen:string::0 Type:string::0 Reason:string::0 Object:string::0 Subobject:string::1 \
    Source:string::1 Message:string::0 First_Seen:string::1 Count:string::1 Name:string:name:1";
const BINDING: &str = "Name:string:name:0 Role:string::0 Age:string::0 Users:string::1 Groups:string::1 \
    ServiceAccounts:string::1";
const WEBHOOK: &str = "Name:string:name:0 Webhooks:integer::0 Age:string::0";

pub(crate) async fn columns_of_kinds(world: &World<'_>) -> Result<()> {
    let mut cases = Cases::default();
    for (path, want) in BUILT_IN {
        let reply = world.get_as(path, TABLE).await?;
        cases.note(
            path,
            reply
                .is(200)
                .and_then(|table| equal("columns", &columns(&table).join(" ").as_str(), want)),
        );
    }
    columns_of_kargo(world, &mut cases).await?;
    cases.note("cells", cells(world).await);
    cases.finish()
}

/// Every definition in the chart: its table has the columns that it declares.
async fn columns_of_kargo(world: &World<'_>, cases: &mut Cases) -> Result<()> {
    let folder = repository().join("charts/kargo/resources/crds");
    for file in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let definition = std::fs::read(file?.path())?;
        let created = world.post_as(CRDS, "application/yaml", definition).await?;
        ensure!([201, 409].contains(&created.status.as_u16()), "{created}, want 201 or 409");
    }
    let list = world.read(CRDS).await?;
    let all = list["items"].as_array().into_iter().flatten();
    let ours: Vec<_> = all.filter(|crd| crd["spec"]["group"] == "kargo.akuity.io").collect();
    equal("kinds of Kargo", &ours.len(), &11)?;
    for crd in ours {
        let version = &crd["spec"]["versions"][0];
        let plural = text(crd, "/spec/names/plural")?;
        let path = format!("/apis/kargo.akuity.io/{}/{plural}", text(version, "/name")?);
        served(world, &path).await?;
        let table = world.get_as(&path, TABLE).await?.is(200)?;
        cases.note(plural, equal("columns", &columns(&table), &declared(version)));
    }
    Ok(())
}

fn declared(version: &Value) -> Vec<String> {
    let columns = version["additionalPrinterColumns"].as_array();
    let default = vec![json!({"name": "Age", "type": "date"})];
    let name = json!({"name": "Name", "type": "string", "format": "name"});
    std::iter::once(&name).chain(columns.unwrap_or(&default)).map(column).collect()
}

fn columns(table: &Value) -> Vec<String> {
    table["columnDefinitions"].as_array().into_iter().flatten().map(column).collect()
}

fn column(definition: &Value) -> String {
    let text = |field: &str| definition[field].as_str().unwrap_or_default().replace(' ', "_");
    let priority = definition["priority"].as_i64().unwrap_or_default();
    format!("{}:{}:{}:{priority}", text("name"), text("type"), text("format"))
}

async fn cells(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widgets();
    let full = widget_with("a", json!({"color": "red", "count": 3, "note": "abc"}));
    let created = world.create(&path, &full).await?;
    let conditions = json!({"status": {"conditions": [{"type": "Other", "status": "no"}, {"type": "Ready", "status": "yes"}]}});
    world.merge(&format!("{}/status", namespace.widget("a")), &conditions).await?.is(200)?;
    world.create(&path, &widget("b")).await?;

    let table = world.get_as(&path, &format!("{TABLE},application/json")).await?.is(200)?;
    at(&table, "/kind", "Table")?;
    ensure!(revision(&table)? > revision(&created)?, "revision of {table}");
    at(
        &table,
        "/columnDefinitions/1/description",
        "Custom resource definition column (in JSONPath format): .spec.color",
    )?;
    at(&table, "/columnDefinitions/2/description", "How many")?;
    let cells = |row: usize| table["rows"][row]["cells"].as_array().cloned().unwrap_or_default();
    for (row, want) in [
        (0, vec![json!("a"), json!("red"), json!(3), json!("yes"), json!("abc")]),
        (1, vec![json!("b"), json!("red"), json!(null), json!(null), json!(null)]),
    ] {
        let mut got = cells(row);
        let age = got.pop().unwrap_or_default();
        equal("cells", &got, &want)?;
        matches("age", age.as_str().unwrap_or_default(), r"\d+s")?;
        at(&table, &format!("/rows/{row}/object/kind"), "PartialObjectMetadata")?;
        at(&table, &format!("/rows/{row}/object/apiVersion"), "meta.k8s.io/v1")?;
        at(&table, &format!("/rows/{row}/object/metadata/name"), want[0].clone())?;
        at(&table, &format!("/rows/{row}/object/spec"), Value::Null)?;
    }
    forms_of_tables(world, &namespace).await
}

async fn forms_of_tables(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let path = namespace.widgets();
    let single = world.get_as(&namespace.widget("a"), TABLE).await?.is(200)?;
    equal("rows of one", &single["rows"].as_array().map(Vec::len), &Some(1))?;
    at(&single, "/rows/0/cells/0", "a")?;
    let page = world.get_as(&format!("{path}?limit=1"), TABLE).await?.is(200)?;
    text(&page, "/metadata/continue")?;
    at(&page, "/metadata/remainingItemCount", 1)?;
    let beta = world.get_as(&path, &TABLE.replace("v=v1", "v=v1beta1")).await?.is(200)?;
    at(&beta, "/apiVersion", "meta.k8s.io/v1beta1")?;
    let none = world.get_as(&format!("{path}?includeObject=None"), TABLE).await?.is(200)?;
    at(&none, "/rows/0/object", Value::Null)?;
    let object = world.get_as(&format!("{path}?includeObject=Object"), TABLE).await?.is(200)?;
    at(&object, "/rows/0/object/kind", "Widget")?;
    at(&object, "/rows/0/object/spec/color", "red")?;
    let message = "Unable to convert to Table as requested: includeObject: Invalid value: \"Foo\": must be 'Metadata', \
                   'Object', 'None', or empty";
    let refused = world.get_as(&format!("{path}?includeObject=Foo"), TABLE).await?;
    refused.fails_saying(400, "BadRequest", message)?;
    world.get_as(&namespace.widget("nope"), TABLE).await?.fails(404, "NotFound")?;
    let unknown = TABLE.replace("Table", "Chair");
    world.get_as(&path, &unknown).await?.fails(406, "NotAcceptable")?;
    let fallback = world.get_as(&path, &format!("{unknown},application/json")).await?.is(200)?;
    at(&fallback, "/kind", "WidgetList")
}

pub(crate) async fn metadata_only(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let created = world.create(&namespace.widgets(), &widget("a")).await?;
    let config_maps = namespace.core("configmaps");
    world.create(&config_maps, &config_map("a", json!({"k": "v"}))).await?;
    for path in [namespace.widgets(), config_maps] {
        let list = world.get_as(&path, METADATA_LIST).await?.is(200)?;
        at(&list, "/kind", "PartialObjectMetadataList")?;
        at(&list, "/apiVersion", "meta.k8s.io/v1")?;
        revision(&list)?;
        only_metadata(&list["items"][0])?;
        at(&list, "/items/0/metadata/name", "a")?;
        let single = world.get_as(&format!("{path}/a"), METADATA).await?.is(200)?;
        equal("single", &single, &list["items"][0])?;
        let message = "you requested PartialObjectMetadata, but the requested object is a list";
        world.get_as(&path, METADATA).await?.fails_with(406, "NotAcceptable", message)?;
    }
    let single = world.get_as(&namespace.widget("a"), METADATA).await?.is(200)?;
    equal("metadata", &single["metadata"], &created["metadata"])?;
    let list_of_one = world.get_as(&namespace.widget("a"), METADATA_LIST).await?;
    list_of_one.is(world.differs(Difference::ServerErrorForClientMistake, 406, 500)).map(drop)
}
