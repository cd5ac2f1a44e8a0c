//! Projects, their namespaces, grants and copies of shared ConfigMaps, while people make, delete and damage them.

mod churn;
mod rules;

use core_clock::FixedEnvironment;
use core_rules::access::{self, Component};
use dev_sim::{ProcessCx, Rates, Scenario};
use emb_auth::Identity;
use io_kube::Ports;
use svc_management::{Monitor, Replicas, Settings};

use crate::support::{hold, hold_in_replay, without_descriptions};

/// The namespace of the installation.
const INSTALLATION: &str = "kargo";
/// The namespace of shared resources.
const SHARED: &str = "kargo-shared-resources";
/// The Projects that people make.
const PROJECTS: [&str; 3] = ["p0", "p1", "p2"];

#[test]
fn projects_come_and_go_whole() {
    hold("projects_come_and_go_whole", scenario);
}

#[test]
fn one_seed_gives_one_audit_log_of_projects() {
    hold_in_replay("projects", scenario);
}

fn scenario() -> Scenario {
    let options = access::Options::default();
    Scenario::new()
        .crds(without_descriptions(api_kinds::crd::crds()))
        .objects([access::namespaces(&options), access::objects(&options)].concat())
        .faults(Rates::all())
        .component("management", 2, manage)
        .actor("user", churn::user)
        .actor("operator", churn::operator)
        .always("nobody else's namespace gets grants", rules::foreign_namespaces_get_no_grants)
        .finally("every Project is complete", rules::projects_are_complete)
        .finally("no grant is lost", rules::no_grant_is_lost)
        .finally("nobody is granted more", rules::nobody_is_granted_more)
        .finally("no namespace is an orphan", rules::no_namespace_is_an_orphan)
        .finally("copies are like their sources", rules::copies_are_like_their_sources)
        .finally("nothing waits to be deleted", rules::nothing_waits_to_be_deleted)
}

async fn manage(cx: ProcessCx) {
    let ports = Ports { clock: cx.clock(), entropy: cx.entropy(), tasks: cx.tasks() };
    let account = Component::ManagementController.service_account();
    let client = cx.client_as(Identity::service_account(INSTALLATION, account, "uid"));
    let variables: FixedEnvironment =
        [("EXTERNAL_WEBHOOK_SERVER_BASE_URL", "https://hooks.example.com")].into_iter().collect();
    let settings = Settings::from_environment(&variables).unwrap();
    let replicas = Replicas::Many(format!("{}_{}", cx.name(), ports.entropy.uuid()));
    let outcome = svc_management::run(client, ports, settings, replicas, Monitor::default()).await;
    if let Err(error) = outcome {
        cx.tell(&error.to_string());
    }
}
