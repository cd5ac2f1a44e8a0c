//! The control plane: admission in the API server, the management controller, and two replicas of the controller.

use std::{sync::Arc, time::Duration};

use api_kinds::warehouse::{DiscoveredCommit, GitDiscoveryResult, Source};
use core_clock::FixedEnvironment;
use core_rules::{
    access::{self, Component},
    subscription::Verdicts,
    warehouse::{Failure, Finding},
};
use dev_sim::{ProcessCx, ServerCx};
use emb_apiserver::Admission;
use emb_auth::Identity;
use futures::{
    FutureExt,
    future::{BoxFuture, Either, ready, select},
};
use io_kube::{Elector, ElectorSettings, Ports};
use svc_admission::{Admitter, Rules};
use svc_controller::{Monitor, Parts, Steps};
use svc_management::Replicas;
use work_discovery::{Outcome, Search, Searcher};
use work_steps::{Cluster, ClusterSettings, GitIdentity};

use super::{INSTALLATION, ground::Ground, steps::SimSteps};

/// The Lease of the controller, renewed less often than it is in earnest: renewals are most of what happens otherwise.
const LEASE: Duration = Duration::from_secs(45);
const RENEW_DEADLINE: Duration = Duration::from_secs(30);
const RENEWAL: Duration = Duration::from_secs(10);
/// How long the next Promotion waits for the verification of the last one.
pub(super) const GRACE: Duration = Duration::from_mins(1);

/// Admission, in one life of the API server.
pub(super) fn admit(cx: ServerCx) -> Arc<dyn Admission> {
    let pattern = access::control_plane_user_pattern(INSTALLATION);
    let variables: FixedEnvironment =
        [("KARGO_NAMESPACE", INSTALLATION), ("CONTROLPLANE_USER_REGEX", pattern.as_str())]
            .into_iter()
            .collect();
    let settings = svc_admission::Settings::from_environment(&variables).unwrap();
    let ports = Ports { clock: cx.clock, entropy: cx.entropy, tasks: cx.tasks };
    let rules = Rules::default();
    rules.enforce(Admitter::new(cx.client, settings, ports));
    Arc::new(rules)
}

/// The management controller, alone.
pub(super) async fn manage(cx: ProcessCx) {
    let client = cx.client_as(identity(Component::ManagementController));
    let variables: FixedEnvironment =
        [("EXTERNAL_WEBHOOK_SERVER_BASE_URL", "https://hooks.example.com")].into_iter().collect();
    let settings = svc_management::Settings::from_environment(&variables).unwrap();
    let monitor = svc_management::Monitor::default();
    let outcome = svc_management::run(client, ports(&cx), settings, Replicas::One, monitor).await;
    if let Err(error) = outcome {
        cx.tell(&error.to_string());
    }
}

/// A replica of the controller: it works while it leads.
pub(super) async fn control(cx: ProcessCx, ground: Arc<Ground>) {
    let (life, ports) = (ground.begin_life(), ports(&cx));
    let client = cx.client_as(identity(Component::Controller));
    let settings = ElectorSettings {
        lease: LEASE,
        renew_deadline: RENEW_DEADLINE,
        retry: RENEWAL,
        // The same in each life, so that a replica that died goes on at once.
        ..ElectorSettings::new(INSTALLATION, "kargo-controller-unnamed-leader", cx.name())
    };
    let elector = Elector::new(client.clone(), settings, &ports);
    let Some(leadership) = elector.acquire().await else { return };
    ground.lead(life);
    cx.tell("leads");
    let parts = parts(&cx, &ground, life, leadership.fence().guard(client));
    let work = svc_controller::run(parts).boxed();
    let is_lost = matches!(select(work, leadership.lost().boxed()).await, Either::Right(_));
    // Without the Lease the process ends, and all that it does.
    if !is_lost {
        leadership.release().await;
    }
}

fn parts(cx: &ProcessCx, ground: &Arc<Ground>, life: u64, client: kube::Client) -> Parts {
    let directory = cx.directory().unwrap();
    ground.directories.lock().insert(cx.name().to_owned(), directory.clone());
    let grace = format!("{}s", GRACE.as_secs());
    let variables: FixedEnvironment = [
        ("IS_DEFAULT_CONTROLLER", "true"),
        ("ROLLOUTS_INTEGRATION_ENABLED", "true"),
        ("VERIFICATION_GRACE_PERIOD", grace.as_str()),
    ]
    .into_iter()
    .collect();
    let nobody = GitIdentity { name: String::new(), email: String::new(), signing_key: None };
    let cluster = ClusterSettings {
        shared_namespace: None,
        system_namespace: INSTALLATION.to_owned(),
        git_identity: nobody,
    };
    let runner =
        SimSteps { clock: cx.clock(), dice: cx.dice().clone(), ground: ground.clone(), life };
    Parts {
        client: client.clone(),
        ports: ports(cx),
        settings: svc_controller::Settings::from_environment(&variables).unwrap(),
        searcher: Arc::new(Repositories(ground.clone())),
        steps: Steps {
            runner: Arc::new(runner),
            control_plane: Arc::new(Cluster::new(client, cluster, cx.clock())),
            directory,
            quota_bytes: None,
        },
        applications: None,
        monitor: Monitor::default(),
    }
}

/// The ports of a process.
pub(super) fn ports(cx: &ProcessCx) -> Ports {
    Ports { clock: cx.clock(), entropy: cx.entropy(), tasks: cx.tasks() }
}

fn identity(component: Component) -> Identity {
    Identity::service_account(INSTALLATION, component.service_account(), "uid")
}

/// Repositories in which there is always the same.
struct Repositories(Arc<Ground>);

impl Searcher for Repositories {
    fn search<'a>(&'a self, search: Search<'a>) -> BoxFuture<'a, Result<Outcome, Failure>> {
        self.0.search();
        let repo_url = match &search.subscription.source {
            Source::Git(git) => git.repo_url.clone(),
            _ => String::new(),
        };
        let commit = DiscoveredCommit { id: "0".repeat(40), ..DiscoveredCommit::default() };
        let commits = vec![commit];
        let finding = GitDiscoveryResult { commits, repo_url, ..GitDiscoveryResult::default() };
        ready(Ok(Outcome { finding: Finding::Git(finding), verdicts: Verdicts::none() })).boxed()
    }
}
