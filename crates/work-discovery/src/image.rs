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

/// Asks for the details of tags until the search wants no more of them.
async fn look_up(
    repository: &Repository,
    want: Want,
    images: &mut ImageSearch,
) -> Result<(), Problem> {
    loop {
        let wanted = images.wanted();
        if wanted.is_empty() {
            return Ok(());
        }
        for (tag, outcome) in repository.images(&wanted, want).await? {
            images.answer(&tag, answer(outcome));
        }
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
