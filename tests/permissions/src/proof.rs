//! Asks everything and compares.

use std::{fmt, time::Duration};

use anyhow::Result;
use futures::{StreamExt, TryStreamExt, stream};
use io_kube::{AccessRequest, Subject, may};
use kube::Client;

use crate::{
    catalog::{self, PLACES, RELEASE, RESOURCES, VERBS},
    named::NAMED_ROWS,
    table::ROWS,
};

const CONCURRENCY: usize = 16;
/// How often what differs is asked again: kube-apiserver takes a moment to see new bindings.
const ROUNDS: usize = 5;
const PAUSE: Duration = Duration::from_secs(1);
/// How many differences are printed.
const SHOWN: usize = 40;

/// One question with the answer it should get.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    namespace: &'static str,
    account: &'static str,
    request: AccessRequest,
    is_allowed: bool,
}

/// What came out.
pub(crate) struct Outcome {
    pub(crate) allowed: usize,
    pub(crate) refused: usize,
    /// Questions that got the other answer.
    pub(crate) differences: Vec<Question>,
}

/// Asks every question of the tables.
pub(crate) async fn prove(client: &Client) -> Result<Outcome> {
    let questions = questions();
    let allowed = questions.iter().filter(|question| question.is_allowed).count();
    let refused = questions.len() - allowed;
    let mut differences = ask(client, questions).await?;
    for _ in 1..ROUNDS {
        if differences.is_empty() {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        differences = ask(client, differences).await?;
    }
    Ok(Outcome { allowed, refused, differences })
}

fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    for row in ROWS {
        for (place, resource) in product(PLACES, RESOURCES) {
            questions.extend(VERBS.iter().map(|verb| Question {
                namespace: RELEASE,
                account: row.account,
                request: catalog::request(verb, resource, place, ""),
                is_allowed: row.grants.iter().any(|grant| grant.allows(verb, resource, place)),
            }));
        }
    }
    questions.extend(NAMED_ROWS.iter().map(|row| Question {
        namespace: row.namespace,
        account: row.account,
        request: catalog::request(row.verb, row.resource, row.place, row.name),
        is_allowed: row.is_allowed,
    }));
    questions
}

fn product<'a>(
    places: &'a [&'a str],
    resources: &'a [&'a str],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    places.iter().flat_map(|&place| resources.iter().map(move |&resource| (place, resource)))
}

/// The questions that got the other answer.
async fn ask(client: &Client, questions: Vec<Question>) -> Result<Vec<Question>> {
    let answered = stream::iter(questions).map(async |question: Question| {
        let verdict = may(client, &question.subject(), &question.request).await?;
        let is_right = verdict.allowed == question.is_allowed;
        anyhow::Ok((!is_right).then_some(question))
    });
    let differences: Vec<Option<Question>> =
        answered.buffer_unordered(CONCURRENCY).try_collect().await?;
    Ok(differences.into_iter().flatten().collect())
}

impl Question {
    fn subject(&self) -> Subject {
        Subject {
            user: core_rules::access::user_name(self.namespace, self.account),
            groups: vec![
                "system:serviceaccounts".to_owned(),
                format!("system:serviceaccounts:{}", self.namespace),
                "system:authenticated".to_owned(),
            ],
            ..Subject::default()
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AccessRequest { verb, group, resource, subresource, namespace, name } = &self.request;
        let expected = if self.is_allowed { "must" } else { "must not" };
        write!(f, "{} {expected} {verb} {group}/{resource}/{subresource}", self.account)?;
        write!(f, " in {namespace:?} named {name:?}")
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = self.differences.len();
        let (allowed, refused) = (self.allowed, self.refused);
        write!(
            f,
            "permissions: {allowed} to allow, {refused} to refuse, {wrong} answered wrongly"
        )?;
        for question in self.differences.iter().take(SHOWN) {
            write!(f, "\n  {question}")?;
        }
        Ok(())
    }
}
