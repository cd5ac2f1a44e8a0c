//! Objects of the API, requests for them, and what errors about them mean.

use kube::{Client, Resource, core::Request};
use serde::de::DeserializeOwned;

/// A kind that is known when we compile.
pub trait Object:
    Resource<DynamicType = ()> + Clone + DeserializeOwned + Send + Sync + 'static
{
}

impl<T> Object for T where
    T: Resource<DynamicType = ()> + Clone + DeserializeOwned + Send + Sync + 'static
{
}

/// The requests of a kind, in a namespace or across all.
pub(crate) fn requests<K: Object>(namespace: Option<&str>) -> Request {
    Request::new(K::url_path(&(), namespace))
}

/// The same request for an answer without managedFields, which no component reads. The embedded engine knows the
/// parameter; a cluster passes over parameters that it does not know.
pub(crate) fn lean(mut request: http::Request<Vec<u8>>) -> http::Request<Vec<u8>> {
    let uri = request.uri();
    let separator = match uri.query() {
        None => "?",
        Some("") => "",
        Some(_) => "&",
    };
    if let Ok(lean) = format!("{uri}{separator}omitManagedFields=true").parse() {
        *request.uri_mut() = lean;
    }
    request
}

/// Sends a request that was built here.
pub(crate) async fn send<T: DeserializeOwned>(
    client: &Client,
    request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
) -> Result<T, kube::Error> {
    client.request(request.map_err(kube::Error::BuildRequest)?).await
}

/// A resourceVersion as a number; 0, which every cache has passed, when it is none.
pub(crate) fn version_number(version: &str) -> u64 {
    version.parse().unwrap_or(0)
}

/// The HTTP status of an error that the API server answered with.
pub fn status_code(error: &kube::Error) -> Option<u16> {
    match error {
        kube::Error::Api(status) => Some(status.code),
        _ => None,
    }
}

/// Whether the object is not there.
pub fn is_not_found(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_not_found())
}

/// Whether somebody else changed the object first.
pub fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_conflict())
}

/// Whether an object of this name is there already.
pub fn is_already_exists(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_already_exists())
}

/// Whether the history that was asked for is gone, so that only a new list helps.
pub(crate) fn is_expired(status: &kube::core::Status) -> bool {
    status.code == 410 || matches!(status.reason.as_str(), "Expired" | "Gone")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lean_request_keeps_its_other_parameters() {
        for (path, lean_path) in [
            ("/api/v1/pods", "/api/v1/pods?omitManagedFields=true"),
            ("/api/v1/pods?", "/api/v1/pods?omitManagedFields=true"),
            ("/api/v1/pods?limit=5", "/api/v1/pods?limit=5&omitManagedFields=true"),
        ] {
            let request = http::Request::get(path).body(Vec::new()).unwrap();
            assert_eq!(lean(request).uri(), lean_path);
        }
    }
}
