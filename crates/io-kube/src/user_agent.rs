//! What a client calls itself.

use std::task::{Context, Poll};

use http::{
    HeaderValue, Request,
    header::{Entry, USER_AGENT},
};
use tower::{Layer, Service};

/// The name and version of a program, sent with every request that says nothing else. A layer for the service of a
/// [`kube::Client`].
///
/// It is also who the fields belong to that the program writes: of a request that names no field manager, an API server
/// takes what comes before the first `/`.
#[derive(Clone, Debug)]
pub struct UserAgent {
    value: HeaderValue,
}

impl UserAgent {
    /// `program/version`, without what a header cannot hold.
    pub fn new(program: &str, version: &str) -> Self {
        let is_plain = |letter: &char| letter.is_ascii_graphic();
        let text: String = format!("{program}/{version}").chars().filter(is_plain).collect();
        let value = HeaderValue::try_from(text);
        Self { value: value.unwrap_or_else(|_| HeaderValue::from_static("kargo")) }
    }
}

impl<S> Layer<S> for UserAgent {
    type Service = Introduced<S>;

    fn layer(&self, service: S) -> Introduced<S> {
        Introduced { service, value: self.value.clone() }
    }
}

/// A service whose requests say who makes them.
#[derive(Clone)]
pub struct Introduced<S> {
    service: S,
    value: HeaderValue,
}

impl<S, B> Service<Request<B>> for Introduced<S>
where
    S: Service<Request<B>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        if let Entry::Vacant(place) = request.headers_mut().entry(USER_AGENT) {
            place.insert(self.value.clone());
        }
        self.service.call(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_and_version_can_be_sent() {
        let sent = |program: &str, version: &str| UserAgent::new(program, version).value;
        assert_eq!(sent("kargo-controller", "v1.2.3"), "kargo-controller/v1.2.3");
        assert_eq!(sent("kargo", "devel+0123456.dirty"), "kargo/devel+0123456.dirty");
        assert_eq!(sent("kar\ngo", "ü 1"), "kargo/1");
    }
}
