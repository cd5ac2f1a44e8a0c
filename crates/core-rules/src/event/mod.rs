//! What happened, in the form in which others read it from Kubernetes Events.

use std::{borrow::Cow, collections::BTreeMap};

use api_kinds::{API_VERSION, Freight, Promotion, annotations};
use k8s_openapi::{api::core::v1::ObjectReference, apimachinery::pkg::apis::meta::v1::Time};
use serde::Serialize;
use serde_json::Value;

use crate::admission::metadata::{annotation, name, namespace};

/// The step whose Applications an event names.
const ARGOCD_UPDATE: &str = "argocd-update";
/// What a text holds that is not known before the steps run.
const EXPRESSION: &str = "${{";

/// One event about one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What happened, in one word.
    pub reason: &'static str,
    /// What happened, for people.
    pub message: String,
    /// Who tells it.
    pub component: Cow<'static, str>,
    /// The kind of the object.
    pub kind: &'static str,
    /// The object's namespace, which is the Project.
    pub namespace: String,
    /// The object's name.
    pub name: String,
    /// The payload, by full annotation key.
    pub annotations: BTreeMap<String, String>,
}

impl Event {
    /// The object, as an Event of the API names it.
    pub fn object(&self) -> ObjectReference {
        ObjectReference {
            api_version: Some(API_VERSION.to_owned()),
            kind: Some(self.kind.to_owned()),
            namespace: Some(self.namespace.clone()),
            name: Some(self.name.clone()),
            ..ObjectReference::default()
        }
    }
}

/// Somebody created a Promotion. Without a namespace of its own for Applications, Argo CD's is
/// meant.
pub fn promotion_created(
    promotion: &Promotion,
    freight: Option<&Freight>,
    actor: &str,
    argocd_namespace: &str,
    now: &str,
) -> Event {
    let stage = &promotion.spec.stage;
    let mut payload = Payload::default();
    payload.put("project", namespace(&promotion.metadata));
    let creator = annotation(&promotion.metadata, annotations::CREATE_ACTOR).unwrap_or(actor);
    payload.put("actor", creator);
    payload.put("promotion-name", name(&promotion.metadata));
    let created = promotion.metadata.creation_timestamp.as_ref().map_or(now.into(), text_of);
    payload.put("promotion-create-time", &created);
    payload.put("stage-name", stage);
    if annotation(&promotion.metadata, annotations::ROLLBACK) == Some("true") {
        payload.put("rollback", "true");
    }
    payload.put_list("applications", &applications(promotion, argocd_namespace));
    if let Some(freight) = freight {
        payload.put_freight(freight);
    }
    Event {
        reason: "PromotionCreated",
        message: format!("Promotion created for Stage {stage:?} by {actor:?}"),
        component: "promotion-webhook".into(),
        kind: "Promotion",
        namespace: namespace(&promotion.metadata).to_owned(),
        name: name(&promotion.metadata).to_owned(),
        annotations: payload.0,
    }
}

/// Somebody approved Freight for a Stage.
pub fn freight_approved(freight: &Freight, stage: &str, actor: &str) -> Event {
    let mut payload = Payload::default();
    payload.put("project", namespace(&freight.metadata));
    payload.put("actor", actor);
    payload.put("stage-name", stage);
    payload.put_freight(freight);
    Event {
        reason: "FreightApproved",
        message: format!("Freight approved for Stage {stage:?} by {actor:?}"),
        component: "freight-webhook".into(),
        kind: "Freight",
        namespace: namespace(&freight.metadata).to_owned(),
        name: name(&freight.metadata).to_owned(),
        annotations: payload.0,
    }
}

/// Freight was created. No Stage is concerned, and the payload says so.
pub fn freight_created(freight: &Freight, message: &str, component: &str, actor: &str) -> Event {
    let mut payload = Payload::default();
    payload.put("project", namespace(&freight.metadata));
    payload.put("actor", actor);
    payload.put("stage-name", "");
    payload.put_freight(freight);
    Event {
        reason: "FreightCreated",
        message: message.to_owned(),
        component: component.to_owned().into(),
        kind: "Freight",
        namespace: namespace(&freight.metadata).to_owned(),
        name: name(&freight.metadata).to_owned(),
        annotations: payload.0,
    }
}

/// An Application as the payload names it; the capitals are the wire format.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Application {
    namespace: String,
    name: String,
}

/// The Applications that the steps name in plain text.
fn applications(promotion: &Promotion, argocd_namespace: &str) -> Vec<Application> {
    let steps = promotion.spec.steps.iter().filter(|step| step.uses == ARGOCD_UPDATE);
    let apps = steps.filter_map(|step| step.config.as_ref()?.get("apps")?.as_array()).flatten();
    let mut applications: Vec<Application> =
        apps.filter_map(|app| application(app, argocd_namespace)).collect();
    applications.sort_unstable();
    applications.dedup();
    applications
}

fn application(app: &Value, argocd_namespace: &str) -> Option<Application> {
    let text = |key: &str| match app.get(key) {
        None => Some(""),
        Some(value) => value.as_str().filter(|text| !text.contains(EXPRESSION)),
    };
    let (namespace, name) = (text("namespace")?, text("name")?);
    let namespace = if namespace.is_empty() { argocd_namespace } else { namespace };
    (!name.is_empty())
        .then(|| Application { namespace: namespace.to_owned(), name: name.to_owned() })
}

#[derive(Default)]
struct Payload(BTreeMap<String, String>);

impl Payload {
    fn put(&mut self, suffix: &str, value: &str) {
        self.0.insert(format!("{}{suffix}", annotations::EVENT_PREFIX), value.to_owned());
    }

    fn put_if_any(&mut self, suffix: &str, value: &str) {
        if !value.is_empty() {
            self.put(suffix, value);
        }
    }

    fn put_list<T: Serialize>(&mut self, suffix: &str, list: &[T]) {
        if let (false, Ok(json)) = (list.is_empty(), serde_json::to_string(list)) {
            self.put(suffix, &json);
        }
    }

    fn put_freight(&mut self, freight: &Freight) {
        self.put("freight-name", name(&freight.metadata));
        let created =
            freight.discovered_at.as_ref().or(freight.metadata.creation_timestamp.as_ref());
        if let Some(created) = created {
            self.put("freight-create-time", &text_of(created));
        }
        self.put_if_any("freight-alias", &freight.alias);
        self.put_if_any("freight-warehouse-name", &freight.origin.name);
        self.put_list("freight-commits", &freight.commits);
        self.put_list("freight-images", &freight.images);
        self.put_list("freight-charts", &freight.charts);
        self.put_list("freight-artifacts", &freight.artifacts);
    }
}

/// The time as the wire writes it.
fn text_of(time: &Time) -> String {
    let value = serde_json::to_value(time).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use api_kinds::{Freight, Promotion};
    use serde_json::json;

    use super::{freight_approved, promotion_created};
    use crate::admission::fixture::object;

    #[test]
    fn an_approval_names_freight_stage_and_actor() {
        let freight: Freight = object(
            "f1",
            json!({"alias": "quiet-otter", "origin": {"kind": "Warehouse", "name": "w"}, "discoveredAt": "2026-01-02T03:04:05Z",
                "images": [{"repoURL": "x", "tag": "1"}]}),
        );
        let event = freight_approved(&freight, "prod", "kubernetes:alice");
        assert_eq!(event.message, r#"Freight approved for Stage "prod" by "kubernetes:alice""#);
        let payload: Vec<_> = event
            .annotations
            .iter()
            .map(|(key, value)| {
                format!("{}={value}", key.trim_start_matches("event.kargo.akuity.io/"))
            })
            .collect();
        assert_eq!(
            payload,
            [
                "actor=kubernetes:alice",
                "freight-alias=quiet-otter",
                "freight-create-time=2026-01-02T03:04:05Z",
                r#"freight-images=[{"repoURL":"x","tag":"1"}]"#,
                "freight-name=f1",
                "freight-warehouse-name=w",
                "project=demo",
                "stage-name=prod",
            ]
        );
    }

    #[test]
    fn a_promotion_names_the_applications_it_will_update() {
        let promotion: Promotion = object(
            "p",
            json!({"metadata": {"annotations": {"kargo.akuity.io/create-actor": "email:x", "kargo.akuity.io/rollback": "true"}},
                "spec": {"stage": "prod", "steps": [
                    {"uses": "argocd-update", "config": {"apps": [{"name": "b"}, {"name": "a", "namespace": "n"}, {"name": "b"}, {"name": "${{ vars.x }}"}, 7]}},
                    {"uses": "argocd-wait", "config": {"apps": [{"name": "c"}]}}]}}),
        );
        let event =
            promotion_created(&promotion, None, "kubernetes:u", "argocd", "2026-01-02T03:04:05Z");
        let payload = |suffix: &str| {
            event.annotations.get(&format!("event.kargo.akuity.io/{suffix}")).map(String::as_str)
        };
        assert_eq!(
            payload("applications"),
            Some(r#"[{"Namespace":"argocd","Name":"b"},{"Namespace":"n","Name":"a"}]"#)
        );
        assert_eq!(payload("actor"), Some("email:x"));
        assert_eq!(payload("rollback"), Some("true"));
        assert_eq!(payload("freight-name"), None);
        assert_eq!(event.message, r#"Promotion created for Stage "prod" by "kubernetes:u""#);
    }
}
