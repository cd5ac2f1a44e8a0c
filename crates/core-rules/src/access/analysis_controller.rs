//! The analysis controller: it carries out AnalysisRuns. Secrets and Jobs it reaches in Projects
//! only, by a binding that the management controller keeps there.

use serde_json::Value;

use super::identity::Component;
use super::object::{RoleRef, cluster_role, cluster_role_binding, role, role_binding};
use super::options::Options;
use super::rule::{Rule, group, rule, values};

/// The ClusterRole that is bound to the analysis controller in each Project.
pub const ANALYSIS_ROLE: &str = "kargo-project-analysis";

const RULES: &[Rule] = &[
    rule(group::CORE, &["events"], &["create", "patch"]),
    // The status of a run is no subresource. Runs that have lived as long as they should go.
    rule(group::ARGO, &["analysisruns"], &["delete", "get", "list", "patch", "watch"]),
    // One watch for the Jobs of all runs.
    rule(group::BATCH, &["jobs"], &["list", "watch"]),
];

/// The election of a leader among replicas.
const LEASES: &[Rule] =
    &[rule(group::COORDINATION, &["leases"], &["get", "create", "update", "patch", "delete"])];

/// Arguments name their Secrets, so that nobody has to list them.
const IN_PROJECTS: &[Rule] = &[
    rule(group::CORE, &["secrets"], &["get"]),
    rule(group::BATCH, &["jobs"], &["create", "delete", "get"]),
];

pub(super) fn objects(options: &Options) -> Vec<Value> {
    // Projects refer to it, whether or not anybody uses it.
    let mut objects = vec![cluster_role(ANALYSIS_ROLE, values(IN_PROJECTS))];
    if options.rollouts {
        let name = Component::AnalysisController.service_account();
        let subjects = [options.subject(name)];
        objects.extend([
            Component::AnalysisController.account(options),
            cluster_role(name, values(RULES)),
            cluster_role_binding(name, name, &subjects),
            role(&options.namespace, name, values(LEASES)),
            role_binding(&options.namespace, name, RoleRef::Namespaced(name), &subjects),
        ]);
    }
    objects
}
