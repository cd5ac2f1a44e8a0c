//! One history on both servers, step by step.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{
    compare::{Difference, differences},
    exception::explanation,
    generator::History,
    operation::Operation,
    player::Player,
    server::{Pair, Server},
};

/// How a history went.
#[derive(Default)]
pub(crate) struct Verdict {
    /// How many steps were compared, by kube-apiserver's status code.
    pub(crate) steps: BTreeMap<u64, usize>,
    /// How often each allowed difference was met, by its place in the specification.
    pub(crate) explained: BTreeMap<&'static str, usize>,
    /// The first step that nothing explains.
    pub(crate) mismatch: Option<Mismatch>,
}

/// A step that differs.
pub(crate) struct Mismatch {
    pub(crate) position: usize,
    /// What the embedded server did.
    ours: Value,
    pub(crate) differences: Vec<Difference>,
    /// Mismatches of one cause have the same.
    pub(crate) signature: String,
}

/// What became of one step.
#[derive(PartialEq, Eq)]
enum Outcome {
    /// Both servers did the same, or a mismatch is noted.
    Told,
    /// They differ as they may.
    Explained,
    /// They differ as they may, and go on differing.
    Parted,
}

/// Plays the steps of `history` whose positions are in `keep`.
pub(crate) async fn play(
    pair: &Pair,
    worker: usize,
    run: &str,
    history: &History,
    keep: &[usize],
) -> Result<Verdict> {
    let (mut cluster, mut embedded) = tokio::try_join!(
        Player::new(pair.cluster.clone(), worker, run, history),
        Player::new(pair.embedded.clone(), worker, run, history),
    )?;
    let mut verdict = Verdict::default();
    for position in keep.iter().copied() {
        let operation = history.operations.get(position).context("no such step")?;
        let known = (cluster.known(), embedded.known());
        let (theirs, ours) = tokio::try_join!(
            cluster.play(position, operation),
            embedded.play(position, operation)
        )?;
        match verdict.take(position, operation, &theirs, &ours) {
            Outcome::Told => {}
            Outcome::Explained => {
                cluster.forget_since(known.0);
                embedded.forget_since(known.1);
            }
            Outcome::Parted => return Ok(verdict),
        }
        if verdict.mismatch.is_some() {
            return Ok(verdict);
        }
    }
    let (theirs, ours) = tokio::try_join!(cluster.finish(), embedded.finish())?;
    for ((position, theirs), (_, ours)) in theirs.iter().zip(&ours) {
        let operation = history.operations.get(*position).context("no such step")?;
        verdict.take(*position, operation, theirs, ours);
    }
    Ok(verdict)
}

/// Plays the same steps on one server and tells what came of the one at `position`. A watch is told at its end.
pub(crate) async fn play_alone(
    server: &Arc<Server>,
    worker: usize,
    run: &str,
    history: &History,
    (keep, position): (&[usize], usize),
) -> Result<Value> {
    let mut player = Player::new(server.clone(), worker, run, history).await?;
    let mut told = Value::Null;
    for at in keep.iter().copied() {
        let operation = history.operations.get(at).context("no such step")?;
        let outcome = player.play(at, operation).await?;
        if at == position {
            told = outcome;
        }
    }
    let at_end = player.finish().await?.into_iter().find(|(at, _)| *at == position);
    Ok(at_end.map_or(told, |(_, events)| events))
}

impl Mismatch {
    /// Whether an outcome of the step that differs is what the embedded server did.
    pub(crate) fn is_ours(&self, outcome: &Value) -> bool {
        differences(outcome, &self.ours).is_empty()
    }

    /// Whether all that differs is what kube-apiserver alone warns of.
    pub(crate) fn is_of_their_warnings(&self) -> bool {
        self.differences
            .iter()
            .all(|place| place.pointer.starts_with("/warnings") && place.embedded.is_none())
    }
}

impl Verdict {
    fn take(
        &mut self,
        position: usize,
        operation: &Operation,
        cluster: &Value,
        embedded: &Value,
    ) -> Outcome {
        let status = cluster.get("status").and_then(Value::as_u64).unwrap_or(0);
        *self.steps.entry(status).or_default() += 1;
        let differences = differences(cluster, embedded);
        if differences.is_empty() || self.mismatch.is_some() {
            return Outcome::Told;
        }
        if let Some(exception) = explanation(operation, cluster, embedded) {
            *self.explained.entry(exception.place).or_default() += 1;
            return if exception.parts { Outcome::Parted } else { Outcome::Explained };
        }
        let signature = signature(operation, cluster, embedded, &differences);
        self.mismatch = Some(Mismatch { position, ours: embedded.clone(), differences, signature });
        Outcome::Told
    }
}

/// What was asked, the status codes, and the first place that differs.
fn signature(
    operation: &Operation,
    cluster: &Value,
    embedded: &Value,
    differences: &[Difference],
) -> String {
    let asked = match operation {
        Operation::Request(request) => {
            let plural = request.path.split('/').find(|part| {
                part.ends_with('s') && !["apis", "namespaces", "status"].contains(part)
            });
            let media_type = request.content_type.unwrap_or_default();
            format!("{} {} {media_type}", request.method, plural.unwrap_or_default())
        }
        Operation::Watch(watch) => format!("WATCH {}", watch.last.plural),
        Operation::Restart => "RESTART".into(),
    };
    let status = |outcome: &Value| outcome.get("status").cloned().unwrap_or_default();
    let place = differences.first().map(|difference| difference.pointer.as_str());
    let place: String = place
        .unwrap_or_default()
        .chars()
        .map(|letter| if letter.is_ascii_digit() { '#' } else { letter })
        .collect();
    format!("{asked} {}/{} {place}", status(cluster), status(embedded))
}
