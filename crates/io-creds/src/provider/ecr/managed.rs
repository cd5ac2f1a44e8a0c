//! ECR by the identity of this process.
//!
//! A Project gets the permissions of a role named after it: in the account of the registry, else in
//! ours, else those of this process. Only a denial moves on to the next; anything else is an error,
//! because a Project must not get more than its role for a hiccup of the network.

use std::sync::Arc;

use core_clock::Clock;
use core_rules::credential::Credential;
use futures::FutureExt;
use io_http::outbound::aws::Keys;
use io_kube::Ports;
use tokio::sync::OnceCell;

use super::{
    TERMS,
    authorization::{Question, password},
    registry::Registry,
};
use crate::{
    Kind, Settings,
    provider::{
        Ambient, Answer, ProviderError, Request,
        aws::{
            identity,
            sts::{Role, Sts},
        },
        call::Caller,
    },
    settings::AwsIdentity,
    tokens::{Keep, Key, Loaded, Tokens},
};

/// The longest name that AWS takes for a session.
const MAX_SESSION_NAME: usize = 64;

/// For images and charts in ECR where AWS gives this process an identity.
pub(crate) struct ManagedIdentity {
    tokens: Tokens<Option<Credential>>,
    own: Option<Arc<Own>>,
}

/// Who we are in AWS.
struct Own {
    identity: AwsIdentity,
    sts: Sts,
    keys: Tokens<Keys>,
    account: OnceCell<String>,
    session: String,
    ecr_endpoint: Option<String>,
    clock: Arc<dyn Clock>,
}

impl ManagedIdentity {
    pub(crate) fn new(settings: &Settings, caller: &Caller, ports: &Ports) -> Self {
        let own = settings.aws.identity.clone().map(|identity| {
            Arc::new(Own {
                identity,
                sts: Sts::new(&settings.aws, caller),
                keys: Tokens::new(TERMS, ports),
                account: OnceCell::new(),
                session: session_name(settings.shard.as_deref()),
                ecr_endpoint: settings.aws.ecr_endpoint.clone(),
                clock: ports.clock.clone(),
            })
        });
        Self { tokens: Tokens::new(TERMS, ports), own }
    }
}

impl Ambient for ManagedIdentity {
    fn cloud(&self) -> &'static str {
        "AWS"
    }

    fn answer<'a>(&'a self, request: Request<'a>) -> Answer<'a> {
        async move {
            let Some(own) = &self.own else { return Ok(None) };
            if request.address.kind == Kind::Git {
                return Ok(None);
            }
            let Some(registry) = Registry::of(&request.address.normalized) else { return Ok(None) };
            let endpoint = registry.endpoint(&registry.region);
            let parts = [endpoint.as_str(), &registry.account, request.project];
            let key = Key::of("ecr-managed-identity", &parts);
            let load = || {
                let (own, project) = (own.clone(), request.project.to_owned());
                async move { own.password(&registry, &project).await }
            };
            self.tokens.get(&key, load).await
        }
        .boxed()
    }
}

impl Own {
    async fn password(
        self: &Arc<Self>,
        registry: &Registry,
        project: &str,
    ) -> Result<Loaded<Option<Credential>>, ProviderError> {
        let own_keys = self.keys().await?;
        let now = self.clock.now();
        let account = self.account.get_or_try_init(|| self.sts.account(&own_keys, now)).await?;
        let name = format!("kargo-project-{project}");
        for arn in role_arns(registry, account, &name) {
            let role = Role { arn: &arn, session: &self.session, external_id: &name };
            let attempt = async {
                let lease = self.sts.assume_role(&own_keys, self.clock.now(), &role).await?;
                self.ask(registry, &lease.keys).await
            };
            match attempt.await {
                Err(error) if error.is_denied() => {
                    tracing::debug!(project, role = arn, "role denied; trying the next identity");
                }
                outcome => return outcome,
            }
        }
        match self.ask(registry, &own_keys).await {
            Err(error) if error.is_denied() => {
                tracing::debug!(
                    project,
                    account = registry.account,
                    "no identity may read the registry"
                );
                Ok(Loaded { value: None, keep: Keep::No })
            }
            outcome => outcome,
        }
    }

    async fn keys(self: &Arc<Self>) -> Result<Keys, ProviderError> {
        let load = || {
            let own = self.clone();
            async move { identity::load(&own.sts, &own.identity, &own.session).await }
        };
        self.keys.get(&Key::of("aws", &[]), load).await
    }

    async fn ask(
        &self,
        registry: &Registry,
        keys: &Keys,
    ) -> Result<Loaded<Option<Credential>>, ProviderError> {
        let (endpoint, now) = (self.ecr_endpoint.as_deref(), self.clock.now());
        let question = Question { registry, region: &registry.region, endpoint, now };
        password(&self.sts.caller, question, keys).await
    }
}

/// The roles that may stand for a Project, the most particular first.
fn role_arns(registry: &Registry, own_account: &str, name: &str) -> Vec<String> {
    let partition = registry.region.partition();
    let mut accounts = vec![registry.account.as_str()];
    if registry.account != own_account {
        accounts.push(own_account);
    }
    let arn = |account| format!("arn:{partition}:iam::{account}:role/{name}");
    accounts.into_iter().map(arn).collect()
}

fn session_name(shard: Option<&str>) -> String {
    let name = shard.map_or_else(|| "kargo-controller".into(), |s| format!("kargo-controller-{s}"));
    name.chars().take(MAX_SESSION_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_a_role_in_the_account_of_the_registry_and_one_in_ours() {
        let arns = |host: &str, own| {
            role_arns(&Registry::of(&format!("{host}/a")).unwrap(), own, "kargo-project-p")
        };
        let host = "111111111111.dkr.ecr.us-east-1.amazonaws.com";
        assert_eq!(
            arns(host, "222222222222"),
            [
                "arn:aws:iam::111111111111:role/kargo-project-p",
                "arn:aws:iam::222222222222:role/kargo-project-p"
            ]
        );
        assert_eq!(arns(host, "111111111111"), ["arn:aws:iam::111111111111:role/kargo-project-p"]);
        let china = "111111111111.dkr.ecr.cn-north-1.amazonaws.com.cn";
        assert_eq!(
            arns(china, "111111111111"),
            ["arn:aws-cn:iam::111111111111:role/kargo-project-p"]
        );
    }

    #[test]
    fn a_session_is_named_after_the_shard_and_not_too_long() {
        assert_eq!(session_name(None), "kargo-controller");
        assert_eq!(session_name(Some("west")), "kargo-controller-west");
        assert_eq!(session_name(Some(&"x".repeat(100))).len(), 64);
    }
}
