//! What is found out before anything is written.

use core_clock::{Clock, Time};
use jiff::Timestamp;
use kube::{Client, api::ListParams};
use serde_json::Value;

use super::{
    RestoreOptions,
    marker::{Existing, Marker, Progress, Told},
    permission,
};
use crate::{
    Collection, Error, Namespaces, RESOURCES, Resource, object, requests::Requests,
    resource::LEASES,
};

/// The part of the version of an API server that is one of ours.
const EMBEDDED: &str = "+kargo-";
/// How the names of our Leases begin.
const OURS: &str = "kargo";

/// Fails when the collection must not be restored here; else says what becomes of objects that are there.
pub(super) async fn check(
    requests: &Requests<'_>,
    collection: &Collection,
    options: &RestoreOptions,
) -> Result<Existing, Error> {
    let release = collection.origin.namespaces.release.as_str();
    if !options.is_offline {
        check_engine(requests).await?;
        permission::check(requests.client(), collection).await?;
        check_leases(requests, release).await?;
    }
    let told = Marker::find(requests, release).await?;
    let inhabitant = inhabitant(requests).await?;
    decide(told, &collection.id(), inhabitant, options.merge)
}

/// The rules of a running embedded engine cannot be taken out, and its controllers work without Leases.
async fn check_engine(requests: &Requests<'_>) -> Result<(), Error> {
    let version = requests.client().apiserver_version().await;
    let version = version.map_err(Error::api("ask the API server for its version"))?;
    if version.git_version.contains(EMBEDDED) { Err(Error::Running) } else { Ok(()) }
}

/// Fails while something works on a control plane, so that it would change while it is moved.
pub async fn check_still(
    client: &Client,
    clock: &dyn Clock,
    namespaces: &Namespaces,
) -> Result<(), Error> {
    let requests = Requests::new(client, clock);
    check_engine(&requests).await?;
    check_leases(&requests, &namespaces.release).await
}

/// Fails while controllers hold Leases that have not run out.
async fn check_leases(requests: &Requests<'_>, release: &str) -> Result<(), Error> {
    let list = requests.list(&LEASES, release, &ListParams::default()).await;
    let list = list.map_err(Error::api(format!("list Leases in {release}")))?;
    let leases = list.get("items").and_then(Value::as_array).into_iter().flatten();
    let now = requests.clock().now();
    let live: Vec<String> = leases.filter_map(|lease| at_work(lease, now)).collect();
    if live.is_empty() { Ok(()) } else { Err(Error::Working(live)) }
}

/// Who holds a Lease that has not run out.
fn at_work(lease: &Value, now: Time) -> Option<String> {
    let (name, holder) = (object::name(lease), object::text(lease, "/spec/holderIdentity"));
    let renewed: Timestamp = object::text(lease, "/spec/renewTime").parse().ok()?;
    let seconds = lease.pointer("/spec/leaseDurationSeconds").and_then(Value::as_i64)?;
    let is_live = renewed.as_second().saturating_add(seconds) >= now.as_seconds();
    let is_ours = name.starts_with(OURS) && !holder.is_empty();
    (is_ours && is_live).then(|| format!("Lease {name} is held by {holder}"))
}

/// An object of a Project, if the target has any. Settings of the whole installation come with it.
async fn inhabitant(requests: &Requests<'_>) -> Result<Option<String>, Error> {
    let counts = |resource: &&Resource| {
        resource.is_ours() && (resource.is_namespaced || resource.kind == "Project")
    };
    for resource in RESOURCES.iter().filter(counts) {
        let list = requests.list(resource, "", &ListParams::default().limit(1)).await;
        let list = match list {
            Err(error) if io_kube::status_code(&error) == Some(404) => continue,
            list => list.map_err(Error::api(format!("list {}", resource.full_name())))?,
        };
        if let Some(first) = list.pointer("/items/0") {
            return Ok(Some(object::Key::of(resource, first).to_string()));
        }
    }
    Ok(None)
}

fn decide(
    told: Option<Told>,
    backup: &str,
    inhabitant: Option<String>,
    merge: bool,
) -> Result<Existing, Error> {
    match (told, inhabitant) {
        // Once it is complete, controllers may have gone on from there: nothing is taken back.
        (Some(told), _) if told.backup == backup && told.progress == Progress::Complete => {
            Ok(Existing::Kept)
        }
        (Some(told), _) if told.backup == backup => Ok(told.existing),
        _ if merge => Ok(Existing::Kept),
        (Some(told), _) if told.progress == Progress::UnderWay => Err(Error::Another(told.made_at)),
        (_, Some(inhabitant)) => Err(Error::NotEmpty(inhabitant)),
        (_, None) => Ok(Existing::BroughtIntoLine),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(backup: &str, progress: Progress) -> Told {
        Told {
            backup: backup.to_owned(),
            made_at: "2026-01-01T00:00:00Z".to_owned(),
            progress,
            existing: Existing::BroughtIntoLine,
            webhooks: Vec::new(),
        }
    }

    fn inhabitant() -> String {
        "Project demo".to_owned()
    }

    #[test]
    fn an_empty_target_is_filled_and_another_is_not() {
        assert_eq!(decide(None, "a", None, false).unwrap(), Existing::BroughtIntoLine);
        assert!(matches!(decide(None, "a", Some(inhabitant()), false), Err(Error::NotEmpty(_))));
        assert_eq!(decide(None, "a", Some(inhabitant()), true).unwrap(), Existing::Kept);
    }

    #[test]
    fn what_was_begun_is_gone_on_with_and_what_is_complete_is_left_alone() {
        let under_way = || Some(told("a", Progress::UnderWay));
        assert_eq!(
            decide(under_way(), "a", Some(inhabitant()), false).unwrap(),
            Existing::BroughtIntoLine
        );
        assert!(matches!(
            decide(under_way(), "b", Some(inhabitant()), false),
            Err(Error::Another(_))
        ));
        let complete = || Some(told("a", Progress::Complete));
        assert_eq!(decide(complete(), "a", Some(inhabitant()), false).unwrap(), Existing::Kept);
        assert!(matches!(
            decide(complete(), "b", Some(inhabitant()), false),
            Err(Error::NotEmpty(_))
        ));
        assert_eq!(decide(complete(), "b", None, false).unwrap(), Existing::BroughtIntoLine);
    }

    #[test]
    fn a_lease_counts_until_it_has_run_out() {
        let lease = |name: &str, holder: &str| {
            json!({"metadata": {"name": name}, "spec": {
                "holderIdentity": holder, "renewTime": "2026-01-01T00:00:00.000000Z", "leaseDurationSeconds": 15,
            }})
        };
        let renewed =
            Time::from_seconds("2026-01-01T00:00:00Z".parse::<Timestamp>().unwrap().as_second());
        let after = |seconds| renewed + std::time::Duration::from_secs(seconds);
        assert!(at_work(&lease("kargo-up", "me"), after(14)).unwrap().contains("me"));
        assert_eq!(at_work(&lease("kargo-up", "me"), after(16)), None);
        assert_eq!(at_work(&lease("kargo-up", ""), after(1)), None);
        assert_eq!(at_work(&lease("others", "me"), after(1)), None);
    }
}
