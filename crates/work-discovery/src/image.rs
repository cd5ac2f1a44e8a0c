//! Image subscriptions: tags first, then the details of those whose turn comes.

use api_kinds::warehouse::ImageSubscription;
use core_rules::{
    subscription::{Answer, ImageMetadata, ImageSearch, ImageSelector, Listing},
    warehouse::Finding,
};
use io_creds::Kind;
use io_oci::{Repository, Scope, Want};

use crate::{Discovery, Outcome, Search, problem::Problem};

pub(crate) async fn search(
    discovery: &Discovery,
    search: &Search<'_>,
    subscription: &ImageSubscription,
) -> Result<Outcome, Problem> {
    let (url, insecure) = (&subscription.repo_url, subscription.insecure_skip_tls_verify);
    let access = discovery.access(search, Kind::Image, url, insecure).await?;
    let selector = ImageSelector::new(subscription)?;
    let want = Want {
        cached_by_tag: selector.caches_by_tag(discovery.sources.cache_by_tag)?,
        platforms: !subscription.platform.is_empty(),
    };
    let repository = discovery.sources.registries.image_repository(url, &access)?;
    let repository = repository.at_pace(search.pace.clone());
    let tags = list(&repository, selector.listing()).await?;
    let mut images = selector.search(tags, search.verdicts());
    look_up(&repository, want, &mut images).await?;
    let (references, verdicts) = images.finish();
    Ok(Outcome { finding: Finding::Image(selector.result(search.name(), references)), verdicts })
}

async fn list(repository: &Repository, listing: Listing<'_>) -> Result<Vec<String>, Problem> {
    Ok(match listing {
        Listing::All => repository.tags().await?,
        Listing::One(tag) => vec![tag.to_owned()],
        Listing::Nothing => Vec::new(),
    })
}

/// None of the tags that were looked at could be read.
#[derive(Debug, thiserror::Error)]
#[error("no image can be read; tag {tag:?}: {problem}")]
struct NothingReadable {
    tag: String,
    problem: String,
}

/// Asks for the details of tags until the search wants no more of them. Some may be unreadable, but
/// when all are, that is what is wrong, and not that there are no images.
async fn look_up(
    repository: &Repository,
    want: Want,
    images: &mut ImageSearch,
) -> Result<(), Problem> {
    let mut first_problem = None;
    let mut is_any_readable = false;
    loop {
        let wanted = images.wanted();
        if wanted.is_empty() {
            break;
        }
        for (tag, outcome) in repository.images(&wanted, want).await? {
            let answer = answer(outcome);
            match &answer {
                Answer::Found(_) => is_any_readable = true,
                Answer::Unreadable(problem) if first_problem.is_none() => {
                    first_problem =
                        Some(NothingReadable { tag: tag.clone(), problem: problem.clone() });
                }
                _ => {}
            }
            images.answer(&tag, answer);
        }
    }
    match first_problem.filter(|_| !is_any_readable) {
        Some(problem) => Err(Problem::discovery(problem)),
        None => Ok(()),
    }
}

/// One broken tag is passed over; it must not hide the others.
fn answer(outcome: Result<ImageMetadata, io_oci::Error>) -> Answer {
    match outcome {
        Ok(metadata) => Answer::Found(metadata),
        Err(error) if error.scope() == Scope::Missing => Answer::Missing,
        Err(error) => Answer::Unreadable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use core_rules::subscription::Verdicts;
    use dev_testkit::server::{
        ToxicProxy, Toxin,
        registry::{Door, Image, Registry},
    };
    use io_http::outbound::{self, Outbound, Tls};
    use io_oci::{Access, Ports, Registries, Settings};
    use io_runtime::{SystemClock, SystemEntropy, TaskGroup};

    use super::*;

    /// A repository with one image, through a proxy that changes manifests on their way.
    async fn forged(server: &Registry) -> (ToxicProxy, Repository) {
        server.push("app", "1.0.0", &Image::built("2024-01-01T00:00:00Z")).await.unwrap();
        let proxy = ToxicProxy::start(server.address()).await.unwrap();
        proxy.poison(Toxin::Forged("schemaVersion", "SchemaVersion"));
        let ports = Ports {
            clock: Arc::new(SystemClock::new()),
            entropy: Arc::new(SystemEntropy),
            tasks: Arc::new(TaskGroup::new()),
        };
        let outbound = Outbound::new(outbound::Settings::default());
        let registries = Registries::new(Settings::default(), outbound, ports);
        let (project, warehouse) = ("demo".to_owned(), "web".to_owned());
        let access = Access { project, warehouse, credential: None, tls: Tls::default() };
        let address = format!("{}/app", proxy.address());
        let repository = registries.image_repository(&address, &access).unwrap();
        (proxy, repository)
    }

    fn search(tags: &[&str]) -> ImageSearch {
        let subscription = ImageSubscription { discovery_limit: 5, ..ImageSubscription::default() };
        let tags = tags.iter().map(|tag| (*tag).to_owned());
        ImageSelector::new(&subscription).unwrap().search(tags, Verdicts::none())
    }

    #[tokio::test]
    async fn what_makes_all_images_unreadable_is_told_and_one_of_them_is_passed_over() {
        let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
        let (proxy, repository) = forged(&server).await;
        let look_up = async |tags: &[&str]| {
            let mut images = search(tags);
            look_up(&repository, Want::default(), &mut images).await.map(|()| images.finish().0)
        };
        let problem = look_up(&["1.0.0", "0.9.0"]).await.unwrap_err();
        let told = format!("{problem:?}");
        assert!(told.contains("sent something else than sha256:"), "{told}");
        assert!(look_up(&["0.9.0"]).await.unwrap().is_empty(), "it is only missing");

        proxy.poison(Toxin::None);
        proxy.cut();
        assert_eq!(look_up(&["1.0.0"]).await.unwrap().len(), 1);
        server.push("app", "2.0.0", &Image::built("2024-02-01T00:00:00Z")).await.unwrap();
        proxy.poison(Toxin::Forged("schemaVersion", "SchemaVersion"));
        proxy.cut();
        assert_eq!(look_up(&["2.0.0", "1.0.0"]).await.unwrap().len(), 1);
    }
}
