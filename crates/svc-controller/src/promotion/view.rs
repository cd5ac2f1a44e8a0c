//! What a pass over a Promotion looks at.

use std::sync::Arc;

use api_kinds::{Freight, Promotion, Stage, Target};
use core_rules::{
    gate::PassingStages,
    promotion::{self as rules, Decision, Observation},
    stage::is_control_flow,
};
use io_kube::ObjectKey;

use super::Context;

/// A Promotion and what it depends on, as the caches show it.
pub(super) struct View {
    pub(super) key: ObjectKey,
    pub(super) promotion: Arc<Promotion>,
    pub(super) stage: Option<Arc<Stage>>,
    pub(super) freight: Option<Arc<Freight>>,
    pub(super) target: Option<Arc<Target>>,
}

impl View {
    pub(super) fn of(cx: &Context, key: &ObjectKey, promotion: Arc<Promotion>) -> Self {
        let caches = &cx.shared.caches;
        let beside = |name: &String| ObjectKey::new(&key.namespace, name);
        Self {
            stage: caches.stages.get(&beside(&promotion.spec.stage)),
            freight: caches.freight.get(&beside(&promotion.spec.freight)),
            target: caches.targets.get(&beside(&promotion.spec.target)),
            key: key.clone(),
            promotion,
        }
    }

    /// Which of the Stages before its own only pass Freight on.
    fn passing_stages(&self, cx: &Context) -> PassingStages {
        let requests = self.stage.iter().flat_map(|stage| &stage.spec.requested_freight);
        let before = requests.flat_map(|request| &request.sources.stages);
        let passes = |name: &&String| {
            let stage = cx.shared.caches.stages.get(&ObjectKey::new(&self.key.namespace, *name));
            stage.is_some_and(|stage| is_control_flow(&stage))
        };
        before.filter(passes).cloned().collect()
    }

    /// What is to be done about it.
    pub(super) fn decide(&self, cx: &Context) -> Decision {
        let passing_stages = self.passing_stages(cx);
        rules::decide(&Observation {
            promotion: &self.promotion,
            stage: self.stage.as_deref(),
            freight: self.freight.as_deref(),
            target: self.target.as_deref(),
            passing_stages: &passing_stages,
            is_running_here: cx.sessions.get(&self.key).is_some(),
            component: &cx.component,
            now: cx.shared.now(),
        })
    }
}
