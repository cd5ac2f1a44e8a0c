//! A testbed beside a hosting service whose branch `work` is one commit ahead of `main`.

use std::sync::Arc;

use api_kinds::promotion::PromotionStepStatus as Status;
use core_rules::credential::Credential;
use dev_testkit::server::scm::{ScmServer, Service, TOKEN};
use io_scm::Provider;
use serde_json::{Value, json};
use work_steps::{
    Settings,
    testbed::{Attempt, Testbed},
};

/// The two of them.
pub(crate) struct Hosting {
    pub(crate) server: ScmServer,
    pub(crate) testbed: Testbed,
    /// The commit of `work`.
    pub(crate) head: String,
}

impl Hosting {
    pub(crate) async fn at(service: Service) -> Self {
        let server = ScmServer::start(service).await.unwrap();
        let repository = server.repository();
        repository.commit("main", "base", &[("a.txt", "A")]).unwrap();
        repository.git(&["branch", "work", "main"]).unwrap();
        let message = "Use v2\n\nBecause of the fix.\n";
        let head = repository.commit("work", message, &[("b.txt", "B")]).unwrap();
        let mut testbed = Testbed::new().await;
        testbed.ports.settings = Arc::new(settings(&server, service));
        let credential = Credential::basic("git", TOKEN);
        testbed.credentials.put(&server.repo_url(), credential);
        Self { server, testbed, head }
    }

    /// Another Promotion, of which nothing is known yet.
    pub(crate) fn fresh(&self) -> Testbed {
        self.testbed.fresh()
    }

    pub(crate) fn with_url(&self, mut config: Value) -> Value {
        let members = config.as_object_mut().unwrap();
        members.insert("repoURL".to_owned(), self.server.repo_url().into());
        config
    }

    pub(crate) async fn open_with(&self, config: Value) -> Attempt {
        self.testbed.run("git-open-pr", self.open_config(config)).await
    }

    pub(crate) async fn open(&self) -> Attempt {
        self.open_with(json!({})).await
    }

    pub(crate) fn open_config(&self, config: Value) -> Value {
        let mut whole = self.with_url(json!({ "sourceBranch": "work", "targetBranch": "main" }));
        whole.as_object_mut().unwrap().extend(config.as_object().unwrap().clone());
        whole
    }

    pub(crate) async fn wait(&self, config: Value) -> Attempt {
        let mut config = self.with_url(config);
        config.as_object_mut().unwrap().insert("prNumber".to_owned(), 1.into());
        self.testbed.run("git-wait-for-pr", config).await
    }

    pub(crate) async fn merge(&self, config: Value) -> Attempt {
        let mut config = self.with_url(config);
        config.as_object_mut().unwrap().insert("prNumber".to_owned(), 1.into());
        self.testbed.run("git-merge-pr", config).await
    }

    pub(crate) fn tip(&self, name: &str) -> String {
        self.server.repository().git(&["rev-parse", name]).unwrap()
    }
}

/// Where the service is, as an operator tells it.
pub(crate) fn settings(server: &ScmServer, service: Service) -> Settings {
    let provider = match service {
        Service::Azure => Provider::Azure,
        Service::Bitbucket => Provider::Bitbucket,
        Service::Gitea => Provider::Gitea,
        Service::Github => Provider::Github,
        Service::Gitlab => Provider::Gitlab,
    };
    let hosts = io_scm::Settings::default();
    let scm = hosts.with_host(&server.host(), provider, Some(&server.api_url()));
    Settings { scm, ..Settings::default() }
}

/// Checks a status, and shows the message if it is another.
pub(crate) fn check(attempt: &Attempt, status: Status) {
    assert_eq!(attempt.status, status, "{}", attempt.message);
    assert!(!attempt.message.contains(TOKEN), "{}", attempt.message);
}
