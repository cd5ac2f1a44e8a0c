//! What certain built-in kinds add to the generic rules, because it concerns other objects or the server itself:
//! namespaces, token Secrets, definitions.

use base64::{Engine, engine::general_purpose::STANDARD};
use core_clock::Time;
use emb_kinds::{BuiltInKind, crd};
use emb_meta::{FieldError, GroupResource, ObjectExt, Status};
use emb_store::{Expect, Key, Op, Range};
use serde_json::{Value, json};

use super::{delete::Propagation, managed, metadata};
use crate::{call::Call, registry::DEFINITIONS, state::State};

/// Namespaces that cannot be deleted.
const PROTECTED: [&str; 3] = ["default", "kube-system", "kube-public"];
/// Whoever accepts the names of a definition.
const NAMES_MANAGER: &str = "kube-apiserver";
/// Names the ServiceAccount of a token Secret.
pub(crate) const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";
/// Pins the ServiceAccount of a token Secret.
pub(crate) const ACCOUNT_UID: &str = "kubernetes.io/service-account.uid";

/// Completes a new object; returns what has to be committed with it.
pub(super) fn on_create(call: &mut Call, object: &mut Value) -> Vec<Op> {
    // A generated name was not known when the defaults were first filled in.
    call.served.resource.default_builtin(object);
    call.served.resource.prepare_create(object);
    match call.served.resource.built_in() {
        Some(BuiltInKind::Namespace) => vec![default_account(&call.state, object)],
        Some(BuiltInKind::Secret) if is_token_secret(object) => {
            let mut check = None;
            managed::by_controller(call, "tokens-controller", "", object, |call, secret| {
                check = issue_token(call, secret);
            });
            check.into_iter().collect()
        }
        Some(BuiltInKind::CustomResourceDefinition) => {
            managed::by_controller(call, NAMES_MANAGER, "status", object, |call, definition| {
                accept_names(&call.state, definition);
            });
            call.warnings.extend(crd::validate(object, None).1);
            Vec::new()
        }
        _ => {
            store_form(call, object);
            Vec::new()
        }
    }
}

/// What the reference does not keep: an empty list of rules is none in its storage, and a ServiceAccount names its Secrets
/// and nothing else about them.
fn store_form(call: &Call, object: &mut Value) {
    match call.served.resource.built_in() {
        Some(BuiltInKind::Role | BuiltInKind::ClusterRole) => {
            let rules = object.get_mut("rules");
            if let Some(rules) = rules.filter(|rules| rules.as_array().is_some_and(Vec::is_empty)) {
                *rules = Value::Null;
            }
        }
        Some(BuiltInKind::ServiceAccount) => {
            let secrets = object.get_mut("secrets").and_then(Value::as_array_mut);
            for secret in secrets.into_iter().flatten().filter_map(Value::as_object_mut) {
                secret.retain(|member, _| member == "name");
            }
        }
        _ => {}
    }
}

/// What is wrong with an object that is valid elsewhere, for reasons that only this server knows.
pub(super) fn problems(call: &Call, object: &Value) -> Vec<FieldError> {
    match call.served.resource.built_in() {
        Some(
            BuiltInKind::MutatingWebhookConfiguration | BuiltInKind::ValidatingWebhookConfiguration,
        ) => call.state.admission.hooks.problems(object),
        _ => Vec::new(),
    }
}

/// Puts back what an update may not change, and lets `/finalize` change only what it is for.
pub(super) fn on_update(call: &Call, new: &mut Value, old: &Value) {
    match call.path.subresource.as_str() {
        "finalize" => {
            let finalizers = new.pointer("/spec/finalizers").cloned();
            metadata::reset(new, old);
            let spec = match finalizers {
                Some(Value::Array(list)) if !list.is_empty() => json!({ "finalizers": list }),
                _ => json!({}),
            };
            if let Some(members) = new.as_object_mut() {
                members.insert("spec".into(), spec);
            }
        }
        "" => call.served.resource.prepare_update(new, old),
        _ => {}
    }
}

/// What else must hold of an update.
pub(super) fn complete_update(call: &mut Call, new: &mut Value, old: &Value) {
    store_form(call, new);
    let is_definition =
        call.served.resource.built_in() == Some(BuiltInKind::CustomResourceDefinition);
    if is_definition && call.path.subresource.is_empty() {
        if !new.is_terminating() {
            managed::by_controller(call, NAMES_MANAGER, "status", new, |call, definition| {
                accept_names(&call.state, definition);
            });
        }
        call.warnings.extend(crd::validate(new, Some(old)).1);
    }
}

/// Refuses to delete what must stay.
pub(super) fn check_delete(call: &Call, old: &Value) -> Result<(), Status> {
    let is_namespace = call.served.resource.built_in() == Some(BuiltInKind::Namespace);
    if is_namespace && PROTECTED.contains(&old.name()) {
        return Err(Status::forbidden(
            &call.served.group_resource,
            old.name(),
            "this namespace may not be deleted",
        ));
    }
    Ok(())
}

/// What a delete does about dependents: Events have none and wait for nothing.
pub(super) fn propagation(call: &Call, asked: Propagation) -> Propagation {
    match call.served.resource.built_in() {
        Some(BuiltInKind::Event | BuiltInKind::EventsEvent) => Propagation::Background,
        _ => asked,
    }
}

/// Adds the finalizers that a delete of this kind brings with it.
pub(super) fn add_finalizers(call: &Call, finalizers: &mut Vec<String>) {
    let is_definition =
        call.served.resource.built_in() == Some(BuiltInKind::CustomResourceDefinition);
    if is_definition && !finalizers.iter().any(|finalizer| finalizer == crd::CLEANUP_FINALIZER) {
        finalizers.push(crd::CLEANUP_FINALIZER.to_owned());
    }
}

/// Shows on the object that it is being deleted.
pub(super) fn on_delete(call: &Call, object: &mut Value, now: Time) {
    match call.served.resource.built_in() {
        Some(BuiltInKind::Namespace) => {
            object.metadata_mut().remove("deletionGracePeriodSeconds");
            if let Some(status) = object.get_mut("status").and_then(Value::as_object_mut) {
                status.insert("phase".into(), json!("Terminating"));
            }
        }
        Some(BuiltInKind::CustomResourceDefinition) => crd::mark_terminating(object, now),
        _ => {}
    }
}

/// Whether an object waits for something besides `metadata.finalizers`.
pub(crate) fn has_own_finalizers(call: &Call, object: &Value) -> bool {
    call.served.resource.built_in() == Some(BuiltInKind::Namespace)
        && object
            .pointer("/spec/finalizers")
            .and_then(Value::as_array)
            .is_some_and(|list| !list.is_empty())
}

/// Whether a Secret holds the token of a ServiceAccount.
pub(crate) fn is_token_secret(secret: &Value) -> bool {
    secret.text(&["type"]) == "kubernetes.io/service-account-token"
}

/// The ServiceAccount that every namespace has from the start.
fn default_account(state: &State, namespace: &Value) -> Op {
    let key = Key::new(&service_accounts(), namespace.name(), "default");
    let object = json!({ "metadata": {
        "name": "default", "namespace": namespace.name(), "uid": state.entropy.uuid(),
        "creationTimestamp": state.clock.now().to_rfc3339_seconds(),
    }});
    Op::Put { key, object, expect: Expect::Any }
}

/// Puts the token into a new token Secret. Without the account the controller removes the Secret again.
fn issue_token(call: &Call, secret: &mut Value) -> Option<Op> {
    let name = secret.annotation(ACCOUNT_NAME)?.to_owned();
    let key = Key::new(&service_accounts(), call.namespace(), name);
    let account = call.state.store.head(&key)?;
    let annotations = secret.metadata_mut().get_mut("annotations")?.as_object_mut()?;
    annotations.insert(ACCOUNT_UID.into(), json!(&*account.uid));
    fill_token(&call.state, secret, &account.uid);
    Some(Op::Check { key, expect: Expect::Revision(account.revision) })
}

/// Fills in what a token Secret holds.
pub(crate) fn fill_token(state: &State, secret: &mut Value, account_uid: &str) {
    let account = secret.annotation(ACCOUNT_NAME).unwrap_or_default();
    let (namespace, name) = (secret.namespace().to_owned(), secret.name());
    let token = state.tokens.issue_legacy(&namespace, account, account_uid, name);
    let Some(members) = secret.as_object_mut() else { return };
    let data = members.entry("data").or_insert_with(|| json!({}));
    if !data.is_object() {
        *data = json!({});
    }
    if let Some(data) = data.as_object_mut() {
        for (key, text) in
            [("token", &token), ("ca.crt", &state.ca_bundle), ("namespace", &namespace)]
        {
            data.insert(key.into(), json!(STANDARD.encode(text)));
        }
    }
}

/// Decides whether a definition gets its names, which makes it served. Says whether that changed anything.
pub(crate) fn accept_names(state: &State, definition: &mut Value) -> bool {
    let group = definition.text(&["spec", "group"]).to_owned();
    let others: Vec<Value> = state
        .store
        .list(&DEFINITIONS, Range::default())
        .entries
        .iter()
        .filter(|entry| &*entry.key.name != definition.name())
        .map(|entry| entry.value())
        .filter(|other| other.text(&["spec", "group"]) == group)
        .collect();
    let names = crd::names_in_use(&others);
    crd::accept_names(definition, &names, state.clock.now())
}

fn service_accounts() -> GroupResource {
    GroupResource::new("", "serviceaccounts")
}
