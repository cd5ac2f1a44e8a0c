//! What a delete does to an object: it goes, or it waits for its finalizers.

use core_clock::Time;
use emb_meta::{FieldError, GroupKind, GroupResource, ObjectExt, Reason, Status};
use serde_json::{Value, json};

use super::kind;
use crate::{call::Call, request::body, request::query::Query};

/// Marks an owner whose dependents go first.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";
/// Marks an owner whose dependents stay behind.
pub(crate) const ORPHAN: &str = "orphan";

/// What becomes of the dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    Unsaid,
    Background,
    Foreground,
    Orphan,
}

/// The options of a delete, from its body and its query.
#[derive(Clone, Debug)]
pub(crate) struct DeleteOptions {
    pub(crate) propagation: Propagation,
    pub(crate) uid: String,
    pub(crate) resource_version: String,
    pub(crate) dry_run: bool,
    /// The client asks by the older of two options that dependents go, too, and wants to know whether something is left.
    pub(crate) cascades: bool,
}

/// What is to be written.
pub(crate) enum Plan {
    /// The object goes.
    Remove,
    /// The object is marked and waits for its finalizers.
    Mark(Value),
    /// It is marked already.
    Keep,
}

impl DeleteOptions {
    /// Reads the options of a call.
    pub(crate) fn read(call: &Call) -> Result<Self, Status> {
        // Options in a body stand for themselves: the query counts without one only.
        let (body, query) = if call.body.is_empty() {
            (json!({}), call.info.query.clone())
        } else {
            let body = body::decode(&call.body, call.info.header("content-type"))?.value;
            (body, Query::default())
        };
        let kind = body.text(&["kind"]);
        if !body.is_object() || !matches!(kind, "" | "DeleteOptions") {
            return Err(Status::new(Reason::BadRequest, "expected DeleteOptions in the body"));
        }
        query.number("gracePeriodSeconds")?;
        let mut errors = Vec::new();
        let propagation = read_propagation(&body, &query, &mut errors);
        let dry_run = read_dry_run(&body, &query, &mut errors);
        if !errors.is_empty() {
            let kind = GroupKind::new("meta.k8s.io", "DeleteOptions");
            return Err(Status::invalid(&kind, "", &errors));
        }
        Ok(Self {
            propagation,
            uid: body.text(&["preconditions", "uid"]).to_owned(),
            resource_version: body.text(&["preconditions", "resourceVersion"]).to_owned(),
            dry_run,
            cascades: orphans(&body, &query) == Some(false),
        })
    }
}

fn read_propagation(body: &Value, query: &Query, errors: &mut Vec<FieldError>) -> Propagation {
    let policy = match body.text(&["propagationPolicy"]) {
        "" => query.get("propagationPolicy"),
        policy => policy,
    };
    let orphan = orphans(body, query);
    if orphan.is_some() && !policy.is_empty() {
        errors.push(FieldError::invalid(
            "propagationPolicy",
            &json!(policy),
            "orphanDependents and deletionPropagation cannot be both set",
        ));
    }
    match (policy, orphan) {
        ("", None) => Propagation::Unsaid,
        ("", Some(true)) | ("Orphan", _) => Propagation::Orphan,
        ("", Some(false)) | ("Background", _) => Propagation::Background,
        ("Foreground", _) => Propagation::Foreground,
        (other, _) => {
            errors.push(FieldError::not_supported(
                "propagationPolicy",
                &json!(other),
                ["Foreground", "Background", "Orphan", "nil"],
            ));
            Propagation::Unsaid
        }
    }
}

fn orphans(body: &Value, query: &Query) -> Option<bool> {
    let given = body.get("orphanDependents").and_then(Value::as_bool);
    given.or_else(|| query.find("orphanDependents").map(|_| query.flag("orphanDependents")))
}

fn read_dry_run(body: &Value, query: &Query, errors: &mut Vec<FieldError>) -> bool {
    let listed = body.get("dryRun").and_then(Value::as_array);
    let from_body = listed.into_iter().flatten().filter_map(Value::as_str);
    let mut dry = false;
    for value in from_body.chain(query.all("dryRun")).filter(|value| !value.is_empty()) {
        if value == "All" {
            dry = true;
        } else {
            errors.push(FieldError::not_supported("dryRun", &json!([value]), ["All"]));
        }
    }
    dry
}

/// Decides what a delete of `old` writes.
pub(crate) fn plan(
    call: &Call,
    old: &Value,
    options: &DeleteOptions,
    now: Time,
) -> Result<Plan, Status> {
    check_preconditions(call, old, options)?;
    kind::check_delete(call, old)?;
    let mut finalizers = finalizers_after(old, kind::propagation(call, options.propagation));
    kind::add_finalizers(call, &mut finalizers);
    if finalizers.is_empty() && !kind::has_own_finalizers(call, old) {
        return Ok(Plan::Remove);
    }
    if old.is_terminating() && old.finalizers().eq(finalizers.iter().map(String::as_str)) {
        return Ok(Plan::Keep);
    }
    let mut new = old.clone();
    let generation = old.generation() + 1;
    let tracks_generation = call.served.resource.tracks_generation || old.generation() > 0;
    let metadata = new.metadata_mut();
    if finalizers.is_empty() {
        metadata.remove("finalizers");
    } else {
        metadata.insert("finalizers".into(), json!(finalizers));
    }
    if !old.is_terminating() {
        metadata.insert("deletionTimestamp".into(), json!(now.to_rfc3339_seconds()));
        metadata.insert("deletionGracePeriodSeconds".into(), json!(0));
        if tracks_generation {
            metadata.insert("generation".into(), json!(generation));
        }
        kind::on_delete(call, &mut new, now);
    }
    Ok(Plan::Mark(new))
}

fn finalizers_after(old: &Value, propagation: Propagation) -> Vec<String> {
    let kept = |finalizer: &&str| match propagation {
        Propagation::Unsaid => true,
        Propagation::Background | Propagation::Foreground | Propagation::Orphan => {
            !matches!(*finalizer, FOREGROUND | ORPHAN)
        }
    };
    let mut finalizers: Vec<String> = old.finalizers().filter(kept).map(str::to_owned).collect();
    match propagation {
        Propagation::Foreground => finalizers.push(FOREGROUND.to_owned()),
        Propagation::Orphan => finalizers.push(ORPHAN.to_owned()),
        Propagation::Unsaid | Propagation::Background => {}
    }
    finalizers
}

fn check_preconditions(call: &Call, old: &Value, options: &DeleteOptions) -> Result<(), Status> {
    let recreated = "deleted and then recreated";
    let checks = [
        ("UID", &options.uid, old.uid(), recreated),
        ("ResourceVersion", &options.resource_version, old.resource_version(), "modified"),
    ];
    for (what, wanted, actual, happened) in checks {
        if wanted.is_empty() || wanted == actual {
            continue;
        }
        let why = format!(
            "the {what} in the precondition ({wanted}) does not match the {what} in record ({actual}). The object might have been {happened}"
        );
        let kind = call.served.resource.group_kind();
        // Unlike other conflicts, this one names the kind.
        let named = GroupResource::new(kind.group, kind.kind);
        return Err(Status::conflict(&named, old.name(), &why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_decides_which_deletion_finalizers_stand() {
        let old = json!({"metadata": {"finalizers": ["a.b/c", "orphan"]}});
        assert_eq!(finalizers_after(&old, Propagation::Unsaid), ["a.b/c", "orphan"]);
        assert_eq!(finalizers_after(&old, Propagation::Background), ["a.b/c"]);
        assert_eq!(finalizers_after(&old, Propagation::Foreground), ["a.b/c", FOREGROUND]);
    }

    #[test]
    fn an_unknown_policy_and_a_doubled_one_are_errors() {
        let mut errors = Vec::new();
        read_propagation(&json!({"propagationPolicy": "Nuke"}), &Query::default(), &mut errors);
        read_propagation(
            &json!({"propagationPolicy": "Orphan", "orphanDependents": true}),
            &Query::default(),
            &mut errors,
        );
        assert_eq!(errors.len(), 2);
        assert!(errors[0].message.contains("\"nil\""));
    }
}
