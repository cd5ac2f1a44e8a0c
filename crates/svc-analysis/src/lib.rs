//! Carries out AnalysisRuns where no Argo Rollouts does.
