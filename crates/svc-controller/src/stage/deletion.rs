//! A Stage goes: Freight forgets it, and its AnalysisRuns go with it.

use std::sync::Arc;

use api_analysis::AnalysisRun;
use api_kinds::{Freight, Stage, finalizer::FINALIZER, labels};
use core_rules::stage;
use io_kube::{Failure, Next, ObjectKey, Pass, remove_finalizer};
use kube::{
    Api, ResourceExt,
    api::{DeleteParams, ListParams},
};

use super::{Context, observe::freight_mentioning};

/// Goes on as far as possible. Once no Freight mentions the Stage any more, it may go.
pub(super) async fn go_on(cx: &Context, pass: &Pass, stage: &Stage) -> Result<Next, Failure> {
    let freight = freight_mentioning(&cx.shared.caches, stage);
    let is_analysis_on = cx.runs.cache().is_some();
    let Some(deletion) = stage::deletion(stage, &freight, is_analysis_on) else {
        return Ok(Next::Done);
    };
    let mut is_woken = false;
    for update in &deletion.freight {
        let named = |freight: &&Arc<Freight>| freight.name_any() == update.freight;
        if let Some(freight) = freight.iter().find(named) {
            is_woken |= cx.update_freight(pass, stage, freight, update);
        }
    }
    if is_woken {
        return Ok(Next::Done);
    }
    if let Some(label) = deletion.runs {
        delete_runs(cx, stage, &label).await?;
    }
    let shared = &cx.shared;
    if let Some(left) = remove_finalizer(&shared.client, &shared.ports, stage, FINALIZER).await? {
        pass.wrote(&shared.caches.stages, &left);
    }
    Ok(Next::Done)
}

async fn delete_runs(cx: &Context, stage: &Stage, label: &str) -> Result<(), Failure> {
    let namespace = ObjectKey::of(stage).namespace;
    let runs: Api<AnalysisRun> = Api::namespaced(cx.shared.client.clone(), &namespace);
    let of_stage = ListParams::default().labels(&format!("{}={label}", labels::STAGE));
    runs.delete_collection(&DeleteParams::default(), &of_stage).await?;
    Ok(())
}
