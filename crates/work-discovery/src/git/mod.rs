//! Git subscriptions: references over the wire first, history from the mirror only when they moved.

mod history;

use api_kinds::warehouse::{GitDiscoveryRefs, GitSubscription};
use core_rules::{
    subscription::{GitSelector, Verdicts},
    warehouse::Finding,
};
use io_creds::Kind;
use io_git::{Refs, Remote};
use io_http::outbound::Tls;

use self::history::History;
use crate::{Discovery, Outcome, Search, problem::Problem};

pub(crate) async fn search(
    discovery: &Discovery,
    search: &Search<'_>,
    subscription: &GitSubscription,
) -> Result<Outcome, Problem> {
    let url = &subscription.repo_url;
    let credential = discovery.credential(search.project, Kind::Git, url).await?;
    let selector = GitSelector::new(subscription)?;
    let tls = Tls::skip_verify(subscription.insecure_skip_tls_verify);
    let remote = Remote { url: url.clone(), credential, tls };
    let repository = discovery.sources.git.repository(&remote)?;
    search.progress.follow(&repository);

    let refs = repository.list_refs(&[selector.refs_to_ask().prefix()]).await?;
    let observed = observe(&selector, &refs);
    let unchanged = search.previous.filter(|last| selector.reuse(Some(last), observed.as_ref()));
    let (commits, verdicts) = if let Some(last) = unchanged {
        (last.commits.clone(), Verdicts::none())
    } else {
        // What an earlier state led to is looked at only where the answer does not depend on the time.
        let earlier =
            search.previous.filter(|last| selector.reuse(Some(last), last.observed_refs.as_ref()));
        let history = History { repository, refs, earlier, now: discovery.now() };
        history.select(&selector, search.verdicts()).await?
    };
    let result = selector.result(search.name(), commits, observed);
    Ok(Outcome { finding: Finding::Git(result), verdicts })
}

fn observe(selector: &GitSelector, refs: &Refs) -> Option<GitDiscoveryRefs> {
    let ids: Vec<(&str, String)> =
        refs.iter().map(|found| (found.name.as_str(), found.id.to_string())).collect();
    selector.observe(ids.iter().map(|(name, id)| (*name, id.as_str())))
}
