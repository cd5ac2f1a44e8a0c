//! What is odd about the arguments of a verification, but does not keep it from running.
//!
//! The run carries it in an annotation, because the message of its status belongs to its executor;
//! the verification shows both.

use api_analysis::Argument;

use super::EvaluatedArgument;

/// Annotation of an AnalysisRun: what is odd about the arguments it was made from.
pub const WARNING_ANNOTATION: &str = "kargo.akuity.io/verification-warning";

/// The whole of it is for people, and is not longer than they read.
const MAX_BYTES: usize = 1024;

pub(super) fn warning(declared: &[Argument], given: &[EvaluatedArgument]) -> Option<String> {
    let sentences: Vec<_> = given.iter().filter_map(|given| sentence(declared, given)).collect();
    let mut text = sentences.join("; ");
    text.truncate(text.floor_char_boundary(MAX_BYTES));
    Some(text).filter(|text| !text.is_empty())
}

fn sentence(declared: &[Argument], given: &EvaluatedArgument) -> Option<String> {
    let name = &given.name;
    if !declared.iter().any(|argument| argument.name == *name) {
        return Some(format!("argument {name:?} is declared by no analysis template and not used"));
    }
    given.is_secret.then(|| {
        format!(
            "argument {name:?} shows a value of a Secret to all who may read AnalysisRuns: let the analysis template read it with valueFrom"
        )
    })
}
