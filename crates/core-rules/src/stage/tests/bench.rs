//! A Stage with everything around it, and somebody who carries out what is planned.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_kinds::condition::Condition;
use api_kinds::health::{HealthCheckStep, HealthState};
use api_kinds::promotion::PromotionPhase;
use api_kinds::window::PromotionWindowStatus;
use api_kinds::{Freight, Promotion, PromotionRequest, Stage, Target};
use core_clock::Time;
use serde_json::{Value, json};

use crate::condition;
use crate::gate::PassingStages;
use crate::health::HealthFinding;
use crate::selector::SelectorError;
use crate::stage::{
    Analysis, Creation, Effect, HealthSource, Plan, RunLookup, RunSource, RunView, Settings, World,
    check, plan,
};
use crate::ulid::{Ulid, name_part};
use crate::wire_time::to_wire;

/// What health checks find, by kind.
#[derive(Debug, Default)]
pub(super) struct Findings(pub(super) BTreeMap<String, HealthFinding>);

impl HealthSource for Findings {
    fn check(&self, check: &HealthCheckStep) -> HealthFinding {
        let found = self.0.get(&check.uses).cloned();
        found.unwrap_or_else(|| HealthFinding::of_unknown_kind(&check.uses))
    }
}

/// The AnalysisRuns that exist, by name.
#[derive(Debug, Default)]
pub(super) struct Runs {
    pub(super) runs: BTreeMap<String, RunView>,
    pub(super) missing: Option<RunLookup>,
}

impl RunSource for Runs {
    fn find(&self, name: &str) -> RunLookup {
        let found = self.runs.get(name).cloned().map(RunLookup::Found);
        found.or_else(|| self.missing.clone()).unwrap_or(RunLookup::NotSeen)
    }
}

/// A Stage and its world.
#[derive(Debug)]
pub(super) struct Bench {
    pub(super) stage: Stage,
    pub(super) promotions: Vec<Arc<Promotion>>,
    pub(super) requests: Vec<Arc<PromotionRequest>>,
    pub(super) freight: Vec<Arc<Freight>>,
    pub(super) warehouses: BTreeSet<String>,
    pub(super) passing_stages: PassingStages,
    pub(super) targets: Vec<Arc<Target>>,
    pub(super) window: Option<PromotionWindowStatus>,
    pub(super) findings: Findings,
    pub(super) runs: Option<Runs>,
    pub(super) policy: Result<bool, SelectorError>,
    pub(super) settings: Settings,
    pub(super) now: Time,
    /// What whoever asks for a Promotion is told, unless it is created.
    pub(super) denial: Option<String>,
    /// Whether Promotions that end leave a health check of kind `probe`.
    pub(super) has_checks: bool,
    made: u64,
}

pub(super) fn origin(warehouse: &str) -> Value {
    json!({"kind": "Warehouse", "name": warehouse})
}

impl Bench {
    /// Stage `prod`, which takes Freight of these Warehouses directly and does not promote by itself.
    pub(super) fn new(warehouses: &[&str]) -> Self {
        let request = |name: &&str| json!({"origin": origin(name), "sources": {"direct": true}});
        let requests: Vec<Value> = warehouses.iter().map(request).collect();
        Self::with_spec(json!({
            "requestedFreight": requests,
            "promotionTemplate": {"spec": {"steps": [{"uses": "copy"}]}},
        }))
    }

    /// Stage `prod` of this spec.
    pub(super) fn with_spec(spec: Value) -> Self {
        let metadata = json!({
            "name": "prod", "namespace": "demo", "uid": "u", "generation": 1,
            "creationTimestamp": "2026-01-01T00:00:00Z",
        });
        Self {
            stage: serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap(),
            promotions: Vec::new(),
            requests: Vec::new(),
            freight: Vec::new(),
            warehouses: ["w1", "w2"].map(str::to_owned).into(),
            passing_stages: PassingStages::new(),
            targets: Vec::new(),
            window: None,
            findings: Findings::default(),
            runs: Some(Runs::default()),
            policy: Ok(false),
            settings: Settings::default(),
            now: "2026-01-10T12:00:00Z".parse().unwrap(),
            denial: None,
            has_checks: false,
            made: 0,
        }
    }

    pub(super) fn promoting_by_itself(self) -> Self {
        Self { policy: Ok(true), ..self }
    }

    pub(super) fn verifying(mut self) -> Self {
        self.stage.spec.verification = Some(serde_json::from_value(json!({})).unwrap());
        self
    }

    pub(super) fn add_freight(&mut self, name: &str, warehouse: &str) {
        self.add_freight_with(name, warehouse, json!({}));
    }

    pub(super) fn add_freight_with(&mut self, name: &str, warehouse: &str, status: Value) {
        let discovered_at = (self.now - std::time::Duration::from_hours(1)).to_rfc3339_seconds();
        let freight = json!({
            "metadata": {"name": name, "namespace": "demo"}, "origin": origin(warehouse),
            "discoveredAt": discovered_at, "status": status,
        });
        self.freight.push(Arc::new(serde_json::from_value(freight).unwrap()));
    }

    /// A person promotes; the name that the Promotion gets comes back.
    pub(super) fn promote(&mut self, freight: &str, annotations: Value) -> String {
        let name = self.next_name(freight);
        let metadata = json!({
            "name": name, "namespace": "demo", "annotations": annotations,
            "creationTimestamp": self.now.to_rfc3339_seconds(),
        });
        let promotion =
            json!({"metadata": metadata, "spec": {"stage": "prod", "freight": freight}});
        self.promotions.push(Arc::new(serde_json::from_value(promotion).unwrap()));
        name
    }

    fn next_name(&mut self, freight: &str) -> String {
        self.made += 1;
        let id = name_part(Ulid::from_parts(self.made, 0));
        format!("prod.{id}.{}", freight.get(..7).unwrap_or(freight))
    }

    /// Changes a Promotion's status.
    pub(super) fn update(&mut self, name: &str, change: impl FnOnce(&mut Promotion)) {
        let mut promotions = self.promotions.iter_mut();
        let promotion = promotions.find(|p| p.metadata.name.as_deref() == Some(name)).unwrap();
        change(Arc::make_mut(promotion));
    }

    pub(super) fn run(&mut self, name: &str) {
        let now = to_wire(self.now);
        self.update(name, |promotion| {
            promotion.status.phase = PromotionPhase::Running;
            promotion.status.started_at = Some(now);
        });
    }

    /// Lets a Promotion end after it ran, with what the Stage holds of other origins.
    pub(super) fn finish(&mut self, name: &str, phase: PromotionPhase) {
        let pieces: Vec<(String, String)> = self
            .freight
            .iter()
            .map(|f| (f.metadata.name.clone().unwrap(), f.origin.to_string()))
            .collect();
        let mut held = self.stage.status.freight_history.first().cloned().unwrap_or_default();
        held.verification_history.clear();
        let now = to_wire(self.now);
        let checks = if self.has_checks { json!([{"uses": "probe"}]) } else { json!([]) };
        self.update(name, |promotion| {
            let name = &promotion.spec.freight;
            let (_, key) = pieces.iter().find(|(freight, _)| freight == name).unwrap();
            let piece =
                json!({"name": name, "origin": origin(key.trim_start_matches("Warehouse/"))});
            crate::stage::upsert_freight(&mut held, [serde_json::from_value(piece).unwrap()]);
            let status = &mut promotion.status;
            status.phase = phase;
            status.started_at.get_or_insert_with(|| now.clone());
            status.finished_at = Some(now);
            status.freight_collection = Some(held);
            let checks: Vec<HealthCheckStep> = serde_json::from_value(checks).unwrap();
            status.health_checks.extend(checks);
        });
    }

    /// Lets a Promotion that waits be aborted.
    pub(super) fn abort(&mut self, name: &str) {
        let now = to_wire(self.now);
        self.update(name, |promotion| {
            promotion.status.phase = PromotionPhase::Aborted;
            promotion.status.finished_at = Some(now);
        });
    }

    pub(super) fn later(&mut self, seconds: u64) {
        self.now = self.now + std::time::Duration::from_secs(seconds);
    }

    pub(super) fn annotate(&mut self, key: &str, value: &str) {
        let annotations = self.stage.metadata.annotations.get_or_insert_default();
        annotations.insert(key.to_owned(), value.to_owned());
    }

    pub(super) fn world(&self) -> World<'_> {
        World {
            stage: &self.stage,
            policy: self.policy.clone(),
            promotions: &self.promotions,
            requests: &self.requests,
            freight: &self.freight,
            warehouses: &self.warehouses,
            passing_stages: &self.passing_stages,
            targets: &self.targets,
            window: self.window.as_ref(),
            health: &self.findings,
            analysis: self.runs.as_ref().map_or(Analysis::Off, |runs| Analysis::On(runs)),
            settings: self.settings,
            component: "stage-controller",
            argocd_namespace: "argocd",
        }
    }

    /// The plan as it stands, with nothing carried out.
    pub(super) fn plan(&self) -> Plan {
        let plan = plan(&self.world(), self.now);
        assert_eq!(check(&self.world(), &plan), [""; 0]);
        plan
    }

    /// Plans, carries everything out, writes the status; the plan at its end comes back.
    pub(super) fn pass(&mut self) -> Plan {
        let plan = self.pass_until_freight();
        for effect in &plan.effects {
            self.write(effect);
        }
        plan
    }

    /// A pass whose process ends before it writes the status.
    pub(super) fn pass_until_status(&mut self) -> Plan {
        let mut plan = self.plan();
        for effect in plan.effects.clone() {
            self.carry_out(&effect, &mut plan);
        }
        assert_eq!(check(&self.world(), &plan), [""; 0]);
        plan
    }

    /// A pass whose process ends before it tells Freight.
    pub(super) fn pass_until_freight(&mut self) -> Plan {
        let plan = self.pass_until_status();
        self.stage.status = plan.status.clone();
        plan
    }

    /// Passes until nothing more is to be done at once.
    pub(super) fn settle(&mut self) -> Plan {
        for _ in 0..20 {
            let before = self.stage.status.clone();
            let plan = self.pass();
            let is_pending = matches!(plan.next, crate::stage::Wake::Now { .. });
            if !is_pending && before == self.stage.status && plan.effects.is_empty() {
                return plan;
            }
        }
        panic!("it does not settle");
    }

    fn carry_out(&mut self, effect: &Effect, plan: &mut Plan) {
        match effect {
            Effect::CreatePromotion(creation) => self.create(creation, plan),
            Effect::CreatePromotionRequest(creation) => {
                self.made += 1;
                let request = creation.request(&self.stage, Ulid::from_parts(self.made, 0));
                self.requests.push(Arc::new(request.clone()));
                plan.request_created(&self.world(), &request);
            }
            Effect::StartVerification(start) => {
                let run = RunView { promotion: start.promotion.clone(), ..RunView::default() };
                let runs = self.runs.as_mut().unwrap();
                runs.runs.insert(start.run_name.clone(), run.clone());
                plan.verification_started(&self.world(), start, &run);
            }
            Effect::TerminateRun { .. } | Effect::UpdateFreight(_) | Effect::SetArgoContext(_) => {}
        }
    }

    fn create(&mut self, creation: &Creation, plan: &mut Plan) {
        if let Some(denial) = &self.denial {
            plan.creation_denied(&self.world(), creation, denial);
            return;
        }
        let mut promotion = creation.promotion(&self.stage);
        promotion.metadata.name = Some(self.next_name(&creation.freight));
        promotion.metadata.creation_timestamp = Some(to_wire(self.now));
        self.promotions.push(Arc::new(promotion.clone()));
        plan.promotion_created(&self.world(), creation, &promotion);
    }

    fn write(&mut self, effect: &Effect) {
        match effect {
            Effect::UpdateFreight(update) => {
                let mut freight = self.freight.iter_mut();
                let named = freight.find(|f| f.metadata.name.as_ref() == Some(&update.freight));
                update.apply(&mut Arc::make_mut(named.unwrap()).status, "prod");
            }
            Effect::SetArgoContext(value) => {
                let annotations = self.stage.metadata.annotations.get_or_insert_default();
                annotations.remove(api_kinds::annotations::ARGOCD_CONTEXT);
                let key = api_kinds::annotations::ARGOCD_CONTEXT.to_owned();
                annotations.extend(value.clone().map(|value| (key, value)));
            }
            _ => {}
        }
    }

    pub(super) fn current(&self) -> Option<&str> {
        self.stage.status.current_promotion.as_ref().map(|current| current.name.as_str())
    }

    pub(super) fn last(&self) -> Option<&str> {
        self.stage.status.last_promotion.as_ref().map(|last| last.name.as_str())
    }

    /// Names of the Freight of each collection that the Stage holds and held, newest first.
    pub(super) fn history(&self) -> Vec<String> {
        let history = self.stage.status.freight_history.iter();
        history
            .map(|held| {
                let names: Vec<&str> = held.freight.values().map(|p| p.name.as_str()).collect();
                names.join("+")
            })
            .collect()
    }

    pub(super) fn freight(&self, name: &str) -> &Freight {
        self.freight.iter().find(|f| f.metadata.name.as_deref() == Some(name)).unwrap()
    }

    pub(super) fn health(&self) -> Option<&HealthState> {
        self.stage.status.health.as_ref().map(|health| &health.status)
    }
}

/// A condition as `Status/Reason`.
pub(super) fn row(conditions: &[Condition], kind: &str) -> String {
    condition::find(conditions, kind)
        .map_or_else(String::new, |row| format!("{}/{}", row.status, row.reason))
}
