//! Chart subscriptions: the index of a repository, or the tags of a registry.

use api_kinds::warehouse::ChartSubscription;
use core_rules::{
    subscription::{ChartRepository, ChartSelector},
    warehouse::Finding,
};
use io_creds::Kind;

use crate::{Discovery, Outcome, Search, problem::Problem};

pub(crate) async fn search(
    discovery: &Discovery,
    search: &Search<'_>,
    subscription: &ChartSubscription,
) -> Result<Outcome, Problem> {
    let (url, insecure) = (&subscription.repo_url, subscription.insecure_skip_tls_verify);
    let access = discovery.access(search, Kind::Helm, url, insecure).await?;
    let selector = ChartSelector::new(subscription)?;
    let registries = &discovery.sources.registries;
    let listed = match selector.repository() {
        ChartRepository::Http { index_url, chart } => {
            registries.chart_versions(index_url, chart, &access).await?.versions
        }
        ChartRepository::Oci(oci) => {
            registries.chart_repository(oci.registry(), oci.repository(), &access)?.tags().await?
        }
    };
    let (versions, verdicts) = selector.select(listed, search.verdicts());
    Ok(Outcome { finding: Finding::Chart(selector.result(search.name(), versions)), verdicts })
}
