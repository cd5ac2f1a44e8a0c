//! A call as the request of a route, and the answer to it.

use api_rest::route;
use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{Method, Request, Uri, header};
use http_body_util::{BodyExt, Limited};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, de::DeserializeOwned};
use tonic::{Status, metadata::MetadataMap};

use super::status;
use crate::server::Rest;

/// Everything but the unreserved characters of addresses.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The largest answer, as a precaution: lists are as long as Projects are.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// Sends calls on to the routes.
#[derive(Clone)]
pub(super) struct Calls {
    rest: Rest,
}

/// A call of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    operation: &'static str,
    names: Vec<String>,
    query: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Call {
    /// Calls an operation with the names that its path has, in order.
    pub(super) fn new(operation: &'static str, names: &[&str]) -> Self {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Self { operation, names, query: Vec::new(), body: Vec::new() }
    }

    /// With a parameter, unless it is empty.
    pub(super) fn query(mut self, name: &'static str, value: &str) -> Self {
        if !value.is_empty() {
            self.query.push((name, value.to_owned()));
        }
        self
    }

    /// With a parameter for each of these.
    pub(super) fn queries(self, name: &'static str, values: &[String]) -> Self {
        values.iter().fold(self, |call, value| call.query(name, value))
    }

    /// With a body.
    pub(super) fn body(self, body: &impl Serialize) -> Result<Self, Status> {
        let body = serde_json::to_vec(body).map_err(|_| Status::internal("unreadable request"))?;
        Ok(Self { body, ..self })
    }

    /// The request, with the login of a call.
    fn request(self, metadata: &MetadataMap) -> Result<Request<Body>, Status> {
        let route = route::find(self.operation).ok_or_else(|| Status::internal("no such route"))?;
        let method = Method::from_bytes(route.method.as_str().as_bytes());
        let mut request = Request::new(Body::from(self.body.clone()));
        *request.method_mut() = method.map_err(|_| Status::internal("no such method"))?;
        *request.uri_mut() = self.address(route.path)?;
        if let Some(login) = metadata.get(header::AUTHORIZATION.as_str()) {
            let login = login.to_str().ok().and_then(|login| login.parse().ok());
            let login = login.ok_or_else(|| Status::unauthenticated("the token is no text"))?;
            request.headers_mut().insert(header::AUTHORIZATION, login);
        }
        Ok(request)
    }

    fn address(&self, path: &str) -> Result<Uri, Status> {
        let mut names = self.names.iter();
        let mut address = String::new();
        for part in path.split('/').skip(1) {
            address.push('/');
            if part.starts_with('{') {
                let name = names.next().map(String::as_str).unwrap_or_default();
                // An empty name is the list, and dots walk about, escaped or not.
                if matches!(name, "" | "." | "..") {
                    let missing = part.trim_matches(['{', '}']);
                    return Err(Status::invalid_argument(format!("{missing} is missing")));
                }
                address.extend(utf8_percent_encode(name, ESCAPED));
            } else {
                address.push_str(part);
            }
        }
        let query =
            form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.query).finish();
        let address = if query.is_empty() { address } else { format!("{address}?{query}") };
        address.parse().map_err(|_| Status::invalid_argument("a name is too long"))
    }
}

impl Calls {
    pub(super) fn new(rest: Rest) -> Self {
        Self { rest }
    }

    /// The answer of a route, unless it is an error.
    pub(super) async fn open(
        &self,
        metadata: &MetadataMap,
        call: Call,
    ) -> Result<Response, Status> {
        let request = call.request(metadata)?;
        self.rest.document(request).await.map_err(|error| status::of(&error))
    }

    /// The whole body of an answer.
    pub(super) async fn fetch(&self, metadata: &MetadataMap, call: Call) -> Result<Bytes, Status> {
        let body = self.open(metadata, call).await?.into_body();
        let body = Limited::new(body, MAX_BYTES).collect().await;
        body.map(http_body_util::Collected::to_bytes)
            .map_err(|_| Status::resource_exhausted("the answer is too large: use REST"))
    }

    /// What a body says.
    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        metadata: &MetadataMap,
        call: Call,
    ) -> Result<T, Status> {
        let body = self.fetch(metadata, call).await?;
        serde_json::from_slice(&body).map_err(|_| Status::internal("the answer is no JSON"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(call: &Call) -> Result<String, tonic::Code> {
        let path = route::find(call.operation).unwrap().path;
        call.address(path).map(|uri| uri.to_string()).map_err(|status| status.code())
    }

    #[test]
    fn names_stay_in_their_segments() {
        let call = Call::new("GetStage", &["a/b", "ü?x"]);
        assert_eq!(address(&call).unwrap(), "/v1beta1/projects/a%2Fb/stages/%C3%BC%3Fx");
        for name in ["", ".", ".."] {
            let call = Call::new("GetStage", &["demo", name]);
            assert_eq!(address(&call), Err(tonic::Code::InvalidArgument), "{name:?}");
        }
    }

    #[test]
    fn parameters_are_escaped_and_empty_ones_left_out() {
        let call = Call::new("ListStages", &["demo"])
            .query("resourceVersion", "")
            .queries("freightOrigins", &["a&b".to_owned(), "c".to_owned()]);
        let expected = "/v1beta1/projects/demo/stages?freightOrigins=a%26b&freightOrigins=c";
        assert_eq!(address(&call).unwrap(), expected);
    }
}
