//! Artifacts of the Freight being promoted.
//!
//! Without an origin, the subscriptions of all requested Warehouses say which piece of Freight is
//! meant, and it must be one only. Addresses are compared as written first; if that finds nothing,
//! in their normal form.

use api_kinds::collection::FreightReference;
use api_kinds::origin::FreightOrigin;
use api_kinds::warehouse::{RepoSubscription, Source};
use core_pattern::{normalize_chart, normalize_git, normalize_image};

use crate::builtin::{Arguments, wrong_type};
use crate::error::Trouble;
use crate::library::HostFunction;
use crate::library::data::answer;
use crate::library::object::{self, CHART, COMMIT, IMAGE, ORIGIN};
use crate::promotion::{Answer, Promotion, Request};
use crate::scope::Host;
use crate::text::Text;
use crate::value::{Data, Value};

/// `warehouse(name)`.
pub(super) fn warehouse(name: &Text) -> Result<Value, Trouble> {
    if name.is_empty() {
        return Err(Trouble::from("name must not be empty"));
    }
    Ok(object::origin(name))
}

pub(super) fn call(
    function: HostFunction,
    arguments: &Arguments<'_>,
    host: Host<'_>,
) -> Result<Value, Trouble> {
    let Host::Promotion(promotion) = host else {
        return Err(Trouble::from("there is no Freight here"));
    };
    let address = arguments.text(0)?.to_str().into_owned();
    let finder = |wanted| Finder { wanted, promotion };
    match function {
        HostFunction::CommitFrom => {
            finder(Wanted::Commit(address)).find(optional_origin(arguments, 1)?)
        }
        HostFunction::ImageFrom => {
            finder(Wanted::Image(address)).find(optional_origin(arguments, 1)?)
        }
        HostFunction::ChartFrom => {
            let (name, origin) = chart_arguments(arguments)?;
            finder(Wanted::Chart(address, name)).find(origin)
        }
        _ => finder(Wanted::Artifact(address)).find(optional_origin(arguments, 1)?),
    }
}

fn optional_origin(
    arguments: &Arguments<'_>,
    index: usize,
) -> Result<Option<FreightOrigin>, Trouble> {
    if index >= arguments.len() { Ok(None) } else { origin(arguments.value(index)?).map(Some) }
}

fn origin(value: &Value) -> Result<FreightOrigin, Trouble> {
    match &value.data {
        Data::Object(object) if std::ptr::eq(object.of, &raw const ORIGIN) => {
            let name = object.get(b"Name").and_then(Value::as_text);
            Ok(FreightOrigin::warehouse(name.map_or_else(String::new, |name| name.to_str().into())))
        }
        _ => Err(wrong_type(value, "FreightOrigin")),
    }
}

/// Name and origin of a chart; the name may be left out.
fn chart_arguments(arguments: &Arguments<'_>) -> Result<(String, Option<FreightOrigin>), Trouble> {
    if arguments.len() < 2 {
        return Ok((String::new(), None));
    }
    let second = arguments.value(1)?;
    let Some(name) = second.as_text() else {
        if arguments.len() > 2 {
            return Err(wrong_type(second, "string as second of three arguments"));
        }
        return Ok((String::new(), Some(origin(second)?)));
    };
    if arguments.len() > 2 && name.is_empty() {
        return Err(Trouble::from("the name of the chart must not be empty"));
    }
    Ok((name.to_str().into_owned(), optional_origin(arguments, 2)?))
}

/// What is looked for.
enum Wanted {
    Commit(String),
    Image(String),
    Chart(String, String),
    Artifact(String),
}

/// How addresses are compared.
#[derive(Clone, Copy)]
enum Comparison {
    Written,
    Normal,
}

impl Comparison {
    fn same(self, left: &str, right: &str, normalize: fn(&str) -> String) -> bool {
        match self {
            Self::Written => left == right,
            Self::Normal => normalize(left) == normalize(right),
        }
    }
}

struct Finder<'a> {
    wanted: Wanted,
    promotion: &'a Promotion<'a>,
}

impl Finder<'_> {
    fn find(&self, origin: Option<FreightOrigin>) -> Result<Value, Trouble> {
        let comparisons: &[Comparison] = match self.wanted {
            Wanted::Commit(_) => &[Comparison::Normal],
            Wanted::Artifact(_) => &[Comparison::Written],
            _ => &[Comparison::Written, Comparison::Normal],
        };
        for comparison in comparisons {
            let origin = match &origin {
                Some(origin) => Some(origin),
                None => self.only_origin(*comparison)?,
            };
            let found = origin.and_then(|origin| self.of_origin(origin, *comparison));
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Ok(self.nothing())
    }

    /// The origin whose Warehouse subscribes to what is wanted.
    fn only_origin(&self, comparison: Comparison) -> Result<Option<&FreightOrigin>, Trouble> {
        let mut found = None;
        for request in self.promotion.requests {
            let name = &request.origin.name;
            let host = Host::Promotion(self.promotion);
            let Answer::Warehouse(subscriptions) = answer(Request::Warehouse(name.clone()), host)?
            else {
                return Err(Trouble::Invalid(format!("Warehouse {name:?} not found")));
            };
            for _ in subscriptions.iter().filter(|s| self.is_subscribed(s, comparison)) {
                if found.is_some() {
                    return Err(self.ambiguous());
                }
                found = Some(&request.origin);
            }
        }
        Ok(found)
    }

    fn is_subscribed(&self, subscription: &RepoSubscription, comparison: Comparison) -> bool {
        match (&self.wanted, &subscription.source) {
            (Wanted::Commit(url), Source::Git(git)) => {
                comparison.same(&git.repo_url, url, normalize_git)
            }
            (Wanted::Image(url), Source::Image(image)) => {
                comparison.same(&image.repo_url, url, normalize_image)
            }
            (Wanted::Chart(url, name), Source::Chart(chart)) => {
                chart.name == *name && comparison.same(&chart.repo_url, url, normalize_chart)
            }
            (Wanted::Artifact(name), Source::Other(_)) => subscription.name == *name,
            _ => false,
        }
    }

    fn of_origin(&self, origin: &FreightOrigin, comparison: Comparison) -> Option<Value> {
        let pieces = self.promotion.freight.iter().filter(|piece| piece.origin == *origin);
        pieces.into_iter().find_map(|piece| self.of_piece(piece, comparison))
    }

    fn of_piece(&self, piece: &FreightReference, comparison: Comparison) -> Option<Value> {
        match &self.wanted {
            Wanted::Commit(url) => {
                let is_wanted = |commit: &&_| commit_is(commit, url, comparison);
                piece.commits.iter().find(is_wanted).map(object::commit)
            }
            Wanted::Image(url) => {
                let mut images = piece.images.iter();
                images
                    .find(|image| comparison.same(&image.repo_url, url, normalize_image))
                    .map(object::image)
            }
            Wanted::Chart(url, name) => {
                let mut charts = piece.charts.iter();
                charts
                    .find(|chart| {
                        chart.name == *name
                            && comparison.same(&chart.repo_url, url, normalize_chart)
                    })
                    .map(object::chart)
            }
            Wanted::Artifact(name) => {
                let mut artifacts = piece.artifacts.iter();
                artifacts.find(|artifact| artifact.subscription_name == *name).map(object::artifact)
            }
        }
    }

    /// Nothing, which still has a type for all but generic artifacts.
    fn nothing(&self) -> Value {
        match self.wanted {
            Wanted::Commit(_) => Data::Absent(&COMMIT).into(),
            Wanted::Image(_) => Data::Absent(&IMAGE).into(),
            Wanted::Chart(..) => Data::Absent(&CHART).into(),
            Wanted::Artifact(_) => Value::NIL,
        }
    }

    fn ambiguous(&self) -> Trouble {
        let what = match &self.wanted {
            Wanted::Commit(url) => format!("a commit from repo {url}"),
            Wanted::Image(url) => format!("a container image from repository {url}"),
            Wanted::Chart(url, _) => format!("a chart from repository {url}"),
            Wanted::Artifact(name) => format!("a {name:?} artifact"),
        };
        Trouble::Invalid(format!(
            "multiple requested Freight could potentially provide {what}: please provide a \
             Freight origin to disambiguate"
        ))
    }
}

fn commit_is(commit: &api_kinds::artifact::GitCommit, url: &str, comparison: Comparison) -> bool {
    comparison.same(&commit.repo_url, url, normalize_git)
}
