//! Kills of `kargo up` in the middle of Promotions: each goes on after the restart, and does nothing twice.
//!
//! One Stage on one data directory gets one Promotion after the other, each from a clone to a merged pull request on a
//! host of its own. How long a Promotion takes to go on after a restart is told; it decides nothing here.

mod life;
mod plane;

use std::{fmt, path::Path, time::Duration};

use anyhow::{Context, Result, ensure};
use core_clock::Entropy;

use self::{
    life::Life,
    plane::{Plane, Promoted},
};
use crate::{
    host::{Host, Order},
    moment::Moment,
};

/// Most kills of one Promotion.
const KILLS: u64 = 6;

/// What happened in all.
pub(crate) struct Survived {
    promotions: u32,
    /// From readiness after a restart to the next sign of the Promotion. Where the next kill came first, it came within
    /// a second.
    resumed: Vec<Duration>,
}

impl fmt::Display for Survived {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut resumed = self.resumed.clone();
        resumed.sort_unstable();
        let at = |index: usize| resumed.get(index).map_or(0, Duration::as_millis);
        let (median, slowest) = (at(resumed.len() / 2), at(resumed.len().saturating_sub(1)));
        write!(
            out,
            "{} Promotions, each with one commit and one pull request, merged once; after {} restarts \
             they were seen to go on, half within {median} ms of readiness, all within {slowest} ms; after the others \
             they had ended, or the next kill came first",
            self.promotions,
            resumed.len(),
        )
    }
}

/// Kills `count` times on one data directory.
pub(crate) async fn run(data: &Path, count: u32, entropy: &dyn Entropy) -> Result<Survived> {
    let plane = Plane::prepare(data).await?;
    let mut survived = Survived { promotions: 0, resumed: Vec::new() };
    let (mut kills, mut held) = (0, Vec::new());
    while kills < count {
        let most = (1 + entropy.below(KILLS)).min(u64::from(count - kills));
        let order = Order::of(survived.promotions);
        survived.promotions += 1;
        let number = survived.promotions;
        let told = || format!("Promotion {number} after {kills} kills, {order:?}");
        let round = Round { plane: &plane, host: Host::start(order).await?, number };
        let lives = round.run(most, &mut held, entropy).await.with_context(told)?;
        kills += lives.kills;
        survived.resumed.extend(lives.resumed);
    }
    Ok(survived)
}

/// One Promotion and its host.
struct Round<'a> {
    plane: &'a Plane,
    host: Host,
    number: u32,
}

/// What one Promotion went through.
#[derive(Default)]
struct Lives {
    kills: u32,
    resumed: Vec<Duration>,
}

impl Round<'_> {
    /// Kills up to `most` times and lets the Promotion end. `held` is the Freight of the Promotions so far, the last
    /// one first.
    async fn run(&self, most: u64, held: &mut Vec<String>, entropy: &dyn Entropy) -> Result<Lives> {
        let _person = self.host.person(entropy.below(400));
        let (kargo, project) = self.plane.start(&self.host).await?;
        let promoted = plane::promote(&project, &self.host, self.number).await?;
        let first = Life::begin(kargo, project, &self.host, &promoted);
        let lives = self.kill(first, &promoted, most, entropy).await?;
        held.insert(0, promoted.freight.clone());
        self.finish(&promoted, held, lives).await
    }

    /// Kills until it is enough or the Promotion has ended.
    async fn kill<'b>(
        &'b self,
        first: Life<'b>,
        promoted: &'b Promoted,
        most: u64,
        entropy: &dyn Entropy,
    ) -> Result<Lives> {
        let (mut life, mut lives, mut step) = (first, Lives::default(), 0);
        loop {
            let seen = life.await_moment(Moment::choose(step, entropy)).await?;
            step = seen.step;
            // Nothing was interrupted in the first life.
            lives.resumed.extend(life.resumed().filter(|_| lives.kills > 0));
            life.kill().await?;
            lives.kills += 1;
            if u64::from(lives.kills) == most || seen.has_ended {
                return Ok(lives);
            }
            life = self.restart(promoted).await?;
        }
    }

    async fn finish(
        &self,
        promoted: &Promoted,
        held: &[String],
        mut lives: Lives,
    ) -> Result<Lives> {
        let mut life = self.restart(promoted).await?;
        let was_under_way = !life.look().await?.has_ended;
        life.await_end().await?;
        lives.resumed.extend(life.resumed().filter(|_| was_under_way));
        self.plane.check(&life.project, promoted, held).await?;
        self.host.check()?;
        ensure!(life.stop().await? == Some(0), "a clean stop exits with 0");
        Ok(lives)
    }

    async fn restart<'b>(&'b self, promoted: &'b Promoted) -> Result<Life<'b>> {
        let (kargo, project) = self.plane.start(&self.host).await?;
        Ok(Life::begin(kargo, project, &self.host, promoted))
    }
}
