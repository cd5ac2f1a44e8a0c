//! What a run says about the verification that it carries out.

use api_analysis::AnalysisRun;
use api_kinds::annotations;

use super::warning::WARNING_ANNOTATION;
use crate::stage::RunView;
use crate::wire_time::from_wire;

/// What a run says about the verification that it carries out.
pub fn run_view(run: &AnalysisRun) -> RunView {
    let annotation = |key: &str| run.metadata.annotations.as_ref()?.get(key).cloned();
    let status = &run.status;
    let message = [Some(status.message.clone()), annotation(WARNING_ANNOTATION)];
    let message: Vec<_> = message.into_iter().flatten().filter(|text| !text.is_empty()).collect();
    RunView {
        phase: status.phase.as_str().to_owned(),
        message: message.join("; "),
        completed_at: status.completed_at.as_ref().map(from_wire),
        promotion: annotation(annotations::PROMOTION),
    }
}
