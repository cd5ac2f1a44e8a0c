//! How far a run, a metric or a measurement is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How far a run, a metric or a measurement is; one vocabulary serves all three.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AnalysisPhase {
    /// Nobody has taken it up: absent or the empty text.
    #[default]
    #[serde(rename = "")]
    Unset,
    /// Waiting to run.
    Pending,
    /// Running.
    Running,
    /// Ended well.
    Successful,
    /// Ended badly.
    Failed,
    /// Could not be carried out.
    Error,
    /// Ended without a verdict.
    Inconclusive,
    /// A phase this version does not know; kept as it was read.
    #[serde(untagged)]
    Other(String),
}

impl AnalysisPhase {
    /// The text of the phase on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Unset => "",
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Successful => "Successful",
            Self::Failed => "Failed",
            Self::Error => "Error",
            Self::Inconclusive => "Inconclusive",
            Self::Other(text) => text,
        }
    }

    /// Whether nothing more will happen.
    pub fn is_completed(&self) -> bool {
        matches!(self, Self::Successful | Self::Failed | Self::Error | Self::Inconclusive)
    }
}

impl fmt::Display for AnalysisPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::AnalysisPhase;

    #[test]
    fn every_phase_is_read_as_it_is_written() {
        for text in ["", "Pending", "Running", "Successful", "Failed", "Error", "Inconclusive", "X"]
        {
            let phase: AnalysisPhase = serde_json::from_value(json!(text)).unwrap();
            assert_eq!(phase.as_str(), text);
            assert_eq!(json!(phase), json!(text));
            assert_eq!(matches!(phase, AnalysisPhase::Other(_)), text == "X");
        }
    }
}
