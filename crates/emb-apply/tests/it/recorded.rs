//! Replays histories that were recorded on kube-apiserver: after every write the entries, their times, the merged object
//! and the texts of refusals must be what that server answered.

use std::sync::LazyLock;

use core_clock::Time;
use emb_apply::{ObjectType, Writer, keep_times};
use emb_codec::patch;
use emb_kinds::{Resource, builtins};
use emb_meta::{FieldPath, ObjectExt, Status};
use emb_schema::Schema;
use serde_json::{Value, json};

/// What was asked and answered. The fields of metadata that a server makes up were left out.
static RECORDED: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("recorded.json")).unwrap());

/// A kind as the replay needs it.
enum Kind {
    Custom { fields: ObjectType, schema: Schema, has_status: bool },
    BuiltIn(std::sync::Arc<Resource>),
}

impl Kind {
    fn find(name: &str) -> Self {
        let custom = |schema: &Value, has_status| Self::Custom {
            fields: ObjectType::of_custom(schema),
            schema: Schema::compile(schema, &FieldPath::root()).unwrap().0,
            has_status,
        };
        match name {
            "Widget" => custom(&RECORDED["widget"], true),
            "Bare" => custom(
                &json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
                false,
            ),
            _ => {
                let (group, kind) = match name {
                    "EventsEvent" => ("events.k8s.io", "Event"),
                    "Event" => ("", "Event"),
                    other => ("*", other),
                };
                let found = builtins().into_iter().find(|resource| {
                    &*resource.gvk.kind == kind && (group == "*" || &*resource.gvk.group == group)
                });
                Self::BuiltIn(found.unwrap())
            }
        }
    }

    fn fields(&self) -> &ObjectType {
        match self {
            Self::Custom { fields, .. } => fields,
            Self::BuiltIn(resource) => &resource.fields,
        }
    }

    fn ignored(&self, subresource: &str) -> &'static [&'static str] {
        let has_status = match self {
            Self::Custom { has_status, .. } => *has_status,
            Self::BuiltIn(resource) => resource.has_status,
        };
        match (subresource, self) {
            ("status", Self::BuiltIn(resource)) if &*resource.gvk.kind == "Namespace" => &["spec"],
            ("status", _) => &["metadata", "spec"],
            _ if has_status => &["status"],
            _ => &[],
        }
    }

    /// Decoding and defaults.
    fn conform(&self, object: &mut Value) {
        match self {
            Self::Custom { schema, .. } => {
                object.metadata_mut().retain(|_, value| !value.is_null() && value != &json!({}));
                schema.prune(object);
                schema.drop_nulls_and_default(object);
            }
            Self::BuiltIn(resource) => {
                resource.decode_builtin(object).unwrap();
                resource.default_builtin(object);
            }
        }
    }
}

/// One step of a history and what came before it.
struct Step<'a> {
    kind: &'a Kind,
    api_version: &'a str,
    recorded: &'a Value,
    live: Option<&'a Value>,
}

impl Step<'_> {
    fn run(&self) -> Result<Value, Status> {
        let subresource = self.recorded.text(&["sub"]);
        let writer = Writer {
            manager: self.recorded.text(&["manager"]),
            api_version: self.api_version,
            subresource,
            time: Time::from_seconds(self.recorded["at"].as_i64().unwrap()),
            ignored: self.kind.ignored(subresource),
        };
        let fields = self.kind.fields();
        if self.recorded["op"] == "apply" {
            let force = self.recorded["force"] == true;
            let mut merged = fields.apply(self.live, &self.recorded["body"], &writer, force)?;
            self.kind.conform(&mut merged);
            self.separate_status(&mut merged);
            match (self.live, self.kind) {
                (Some(live), _) => keep_times(live, &mut merged),
                (None, Kind::BuiltIn(resource)) => resource.prepare_create(&mut merged),
                (None, Kind::Custom { .. }) => {}
            }
            return Ok(merged);
        }
        let mut new = self.written();
        self.kind.conform(&mut new);
        match self.live {
            None => fields.create(&mut new, &writer),
            Some(live) => fields.update(live, &mut new, &writer),
        }
        self.separate_status(&mut new);
        Ok(new)
    }

    /// The object that a plain write asks for.
    fn written(&self) -> Value {
        let body = &self.recorded["body"];
        let mut object = self.live.unwrap_or(body).clone();
        match self.recorded["op"].as_str().unwrap() {
            "create" => {
                let name = self.recorded["object"]["metadata"]["name"].clone();
                object.metadata_mut().insert("name".to_owned(), name);
            }
            "put" => {
                let identity = object["metadata"].clone();
                object = body.clone();
                for name in ["name", "namespace"] {
                    object.metadata_mut().insert(name.to_owned(), identity[name].clone());
                }
            }
            "merge" => patch::merge(&mut object, body),
            "json" => {
                patch::json_patch_parse(body).unwrap().apply(&mut object).unwrap();
            }
            other => panic!("{other}"),
        }
        object
    }

    /// What the endpoint does not write stays as it was.
    fn separate_status(&self, new: &mut Value) {
        let status = self.recorded.text(&["sub"]) == "status";
        let ignored = self.kind.ignored(self.recorded.text(&["sub"]));
        let entries = new["metadata"].get("managedFields").cloned();
        for name in ignored.iter().copied().chain(status.then_some("extra")) {
            let members = new.as_object_mut().unwrap();
            match self.live.and_then(|live| live.get(name)) {
                Some(value) => members.insert(name.to_owned(), value.clone()),
                None => members.remove(name),
            };
        }
        new.metadata_mut().remove("managedFields");
        if let Some(entries) = entries {
            new.metadata_mut().insert("managedFields".to_owned(), entries);
        }
    }
}

fn compare(title: &str, step: &Step<'_>) -> Vec<String> {
    let recorded = step.recorded;
    let code = recorded["code"].as_i64().unwrap();
    match step.run() {
        Ok(object) if code < 300 => {
            let of = |object: &Value| object["metadata"].get("managedFields").cloned();
            let mut problems = Vec::new();
            if of(&object) != of(&recorded["object"]) {
                problems.push(format!(
                    "{title}: entries\n  ours {}\n  want {}",
                    of(&object).unwrap_or_default(),
                    of(&recorded["object"]).unwrap_or_default()
                ));
            }
            if recorded["op"] == "apply" && content(&object) != content(&recorded["object"]) {
                problems.push(format!(
                    "{title}: object\n  ours {}\n  want {}",
                    content(&object),
                    content(&recorded["object"])
                ));
            }
            problems
        }
        Err(status) if code >= 400 => {
            let causes = status.to_value()["details"]["causes"].clone();
            let same_causes = sorted(&causes) == sorted(&recorded["causes"]);
            if recorded["message"] == status.message.as_str() && same_causes {
                return Vec::new();
            }
            vec![format!(
                "{title}: refusal\n  ours {} {causes}\n  want {} {}",
                status.message, recorded["message"], recorded["causes"]
            )]
        }
        Ok(_) => vec![format!("{title}: should be refused: {}", recorded["message"])],
        Err(status) => vec![format!("{title}: should pass: {}", status.message)],
    }
}

/// The object without its entries and without what servers add of their own.
fn content(object: &Value) -> Value {
    let mut object = object.clone();
    let metadata = object.metadata_mut();
    metadata.remove("managedFields");
    metadata.remove("namespace");
    object
}

fn sorted(causes: &Value) -> Vec<String> {
    let mut texts: Vec<String> =
        causes.as_array().into_iter().flatten().map(ToString::to_string).collect();
    texts.sort();
    texts
}

#[test]
fn every_recorded_write_leaves_what_the_reference_server_left() {
    let mut problems = Vec::new();
    let mut steps = 0;
    for case in RECORDED["cases"].as_array().unwrap() {
        let kind = Kind::find(case["kind"].as_str().unwrap());
        let mut live: Option<&Value> = None;
        for (index, recorded) in case["steps"].as_array().unwrap().iter().enumerate() {
            let title = format!("{} [{index}]", case["title"].as_str().unwrap());
            let api_version = case["apiVersion"].as_str().unwrap();
            let step = Step { kind: &kind, api_version, recorded, live };
            problems.extend(compare(&title, &step));
            live = recorded.get("object").or(live);
            steps += 1;
        }
    }
    assert!(problems.is_empty(), "{} of {steps}:\n{}", problems.len(), problems.join("\n"));
}
