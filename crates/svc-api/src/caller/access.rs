//! Asking Kubernetes who may do what, and remembering the answer for a moment.
//!
//! Answers are forgotten when roles, bindings or ServiceAccounts change, so that a right that was
//! given or taken counts as soon as the watch has told of it.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use core_rules::{
    access::{attributes::Attributes, candidate::candidates, user_name},
    fault::message,
};
use futures::{StreamExt, stream::FuturesUnordered};
use io_kube::{AccessRequest, Family, FamilyKind, Histogram, Ports, Subject, may};
use kube::Client;

use crate::{
    api_error::{ApiError, ApiResult},
    authentication::Identity,
    expiring::Expiring,
    mirror::qualified,
};

const ALLOWED: Duration = Duration::from_secs(10);
const DENIED: Duration = Duration::from_secs(3);
const DEADLINE: Duration = Duration::from_secs(10);
const MAX_KNOWN: usize = 50_000;

/// The questions and their last answers.
pub(crate) struct AccessReviews {
    client: Client,
    ports: Ports,
    known: Expiring<String, bool>,
    /// Counts how often answers were forgotten: one that was asked for before is not kept.
    generation: AtomicU64,
    asked: Histogram,
}

impl AccessReviews {
    pub(crate) fn new(client: Client, ports: Ports) -> Self {
        let known = Expiring::new(MAX_KNOWN);
        Self { client, ports, known, generation: AtomicU64::new(0), asked: Histogram::default() }
    }

    /// Somebody's rights may have changed.
    pub(crate) fn forget(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.known.clear();
    }

    /// How long the questions took that were asked.
    pub(crate) fn family(&self) -> Family {
        Family {
            name: "kargo_api_access_review_duration_seconds",
            help: "How long Kubernetes took to say who may do what.",
            kind: FamilyKind::Histogram,
            samples: self.asked.samples(&[]),
        }
    }

    /// Refuses whoever may not.
    pub(super) async fn check(
        &self,
        identity: &Identity,
        globals: &[String],
        asked: &Attributes,
    ) -> ApiResult<()> {
        match identity {
            Identity::Admin | Identity::Local => Ok(()),
            Identity::Oidc(person) => {
                let accounts = candidates(asked, &person.accounts, globals);
                let subjects = accounts.into_iter().map(|(namespace, name)| Subject {
                    user: user_name(namespace, name),
                    ..Subject::default()
                });
                if self.is_one_allowed(subjects.collect(), &request(asked)).await? {
                    return Ok(());
                }
                Err(ApiError::forbidden(refusal(asked)))
            }
            Identity::Kubernetes(subject) => {
                if self.is_allowed(subject, &request(asked)).await? {
                    return Ok(());
                }
                let refusal = refusal(asked);
                Err(ApiError::forbidden(format!("review subject access: {refusal}")))
            }
        }
    }

    /// Whether one of them may. A failed question counts only if nobody else may.
    async fn is_one_allowed(
        &self,
        subjects: Vec<Subject>,
        request: &AccessRequest,
    ) -> ApiResult<bool> {
        let mut answers: FuturesUnordered<_> =
            subjects.iter().map(|subject| self.is_allowed(subject, request)).collect();
        let mut failure = None;
        while let Some(answer) = answers.next().await {
            match answer {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(false), Err)
    }

    async fn is_allowed(&self, subject: &Subject, request: &AccessRequest) -> ApiResult<bool> {
        let key = format!("{subject:?} {request:?}");
        let now = self.ports.clock.monotonic();
        if let Some(answer) = self.known.get(&key, now) {
            return Ok(answer);
        }
        let generation = self.generation.load(Ordering::Acquire);
        let unknown =
            |cause: String| ApiError::unavailable("permissions cannot be checked now", cause);
        let asked = self.ports.within(DEADLINE, may(&self.client, subject, request)).await;
        self.asked.observe(self.ports.clock.monotonic().saturating_sub(now));
        let verdict = asked
            .ok_or_else(|| unknown("no reply".to_owned()))?
            .map_err(|error| unknown(message(&error)))?;
        if self.generation.load(Ordering::Acquire) == generation {
            let lasts = if verdict.allowed { ALLOWED } else { DENIED };
            self.known.put(key, verdict.allowed, now + lasts);
        }
        Ok(verdict.allowed)
    }
}

/// The question that Kubernetes understands.
fn request(asked: &Attributes) -> AccessRequest {
    AccessRequest {
        verb: asked.verb.clone(),
        group: asked.group.clone(),
        resource: asked.resource.clone(),
        subresource: asked.subresource.clone(),
        namespace: asked.namespace.clone(),
        name: asked.name.clone(),
    }
}

/// What somebody is told who may not.
fn refusal(asked: &Attributes) -> String {
    let resource = qualified(&asked.group, &asked.resource);
    format!("{resource} {:?} is forbidden: {} is not permitted", asked.name, asked.verb)
}
