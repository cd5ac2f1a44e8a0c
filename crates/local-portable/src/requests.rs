//! Requests for objects whose kind is data.

use std::time::Duration;

use core_clock::Clock;
use io_kube::{is_not_found, status_code};
use kube::{
    Client,
    api::{DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams},
    core::{Request, request},
};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

use crate::{Error, Resource, object};

/// The name of the fields that we write.
const MANAGER: &str = "kargo";
/// How long the first pause is when the server is busy; it doubles.
const PAUSE: Duration = Duration::from_millis(200);
/// How often a request is made.
const TRIES: u32 = 5;
/// What must not stand in a path as it is; names of roles may hold almost anything.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'%')
    .add(b'/');

/// An API server and patience with it.
pub(crate) struct Requests<'a> {
    client: &'a Client,
    clock: &'a dyn Clock,
}

type Built = Result<http::Request<Vec<u8>>, request::Error>;

impl<'a> Requests<'a> {
    pub(crate) fn new(client: &'a Client, clock: &'a dyn Clock) -> Self {
        Self { client, clock }
    }

    pub(crate) fn client(&self) -> &Client {
        self.client
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock
    }

    /// One page of a list.
    pub(crate) async fn list(
        &self,
        resource: &Resource,
        namespace: &str,
        parameters: &ListParams,
    ) -> Result<Value, kube::Error> {
        self.send(|| Request::new(resource.path(namespace)).list(parameters)).await
    }

    /// The object; `None` when it is not there.
    pub(crate) async fn get(
        &self,
        resource: &Resource,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, kube::Error> {
        let name = encoded(name);
        let got = self
            .send(|| Request::new(resource.path(namespace)).get(&name, &GetParams::default()))
            .await;
        match got {
            Err(error) if is_not_found(&error) => Ok(None),
            got => got.map(Some),
        }
    }

    /// Makes the object.
    pub(crate) async fn create(
        &self,
        resource: &Resource,
        body: &Value,
    ) -> Result<Value, kube::Error> {
        let path = resource.path(object::namespace(body));
        self.send(|| Request::new(path.as_str()).create(&parameters(), bytes(body))).await
    }

    /// Puts the object into the place of the one that is there.
    pub(crate) async fn replace(
        &self,
        resource: &Resource,
        body: &Value,
    ) -> Result<Value, kube::Error> {
        let (path, name) = (resource.path(object::namespace(body)), encoded(object::name(body)));
        self.send(|| Request::new(path.as_str()).replace(&name, &parameters(), bytes(body))).await
    }

    /// Puts the status into the place of the one that is there.
    pub(crate) async fn replace_status(
        &self,
        resource: &Resource,
        body: &Value,
    ) -> Result<Value, kube::Error> {
        let (path, name) = (resource.path(object::namespace(body)), encoded(object::name(body)));
        self.send(|| {
            Request::new(path.as_str()).replace_subresource(
                "status",
                &name,
                &parameters(),
                bytes(body),
            )
        })
        .await
    }

    /// Takes the object away, if it is there.
    pub(crate) async fn delete(
        &self,
        resource: &Resource,
        namespace: &str,
        name: &str,
    ) -> Result<(), kube::Error> {
        let (path, name) = (resource.path(namespace), encoded(name));
        let deleted =
            self.send(|| Request::new(path.as_str()).delete(&name, &DeleteParams::default())).await;
        match deleted {
            Err(error) if !is_not_found(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Changes of the object what a merge patch says.
    pub(crate) async fn patch(
        &self,
        resource: &Resource,
        live: &Value,
        patch: &Value,
    ) -> Result<Value, kube::Error> {
        let (path, name) = (resource.path(object::namespace(live)), encoded(object::name(live)));
        let parameters =
            PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        self.send(|| Request::new(path.as_str()).patch(&name, &parameters, &Patch::Merge(patch)))
            .await
    }

    /// Sends a request, again after a while when the server has no time for it.
    async fn send(&self, build: impl Fn() -> Built) -> Result<Value, kube::Error> {
        let mut pause = PAUSE;
        for _ in 1..TRIES {
            match self.client.request(build().map_err(kube::Error::BuildRequest)?).await {
                Err(error) if is_passing(&error) => {
                    self.clock.sleep(pause).await;
                    pause *= 2;
                }
                answer => return answer,
            }
        }
        self.client.request(build().map_err(kube::Error::BuildRequest)?).await
    }
}

/// Whether the same request may work in a moment. A full disk does not pass.
fn is_passing(error: &kube::Error) -> bool {
    match status_code(error) {
        Some(429 | 500 | 503 | 504) => !is_full(error),
        Some(_) => false,
        None => true,
    }
}

/// Whether the server has no room for more.
pub(crate) fn is_full(error: &kube::Error) -> bool {
    let told = match error {
        kube::Error::Api(status) => status.message.as_str(),
        _ => return false,
    };
    ["no space left", "database space exceeded", "disk is full"]
        .iter()
        .any(|full| told.contains(full))
}

/// Whether the whole work must end, because every other request would fail too.
pub(crate) fn is_fatal(error: &kube::Error) -> bool {
    match status_code(error) {
        None | Some(401 | 429 | 500..) => true,
        Some(_) => false,
    }
}

/// What the server said, without the wrapping of the client.
pub(crate) fn said(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        error => error.to_string(),
    }
}

/// The failure that ends the work.
pub(crate) fn failure(what: impl Into<String>, error: kube::Error) -> Error {
    if is_full(&error) { Error::TargetFull(said(&error)) } else { Error::api(what)(error) }
}

fn encoded(name: &str) -> String {
    utf8_percent_encode(name, RESERVED).to_string()
}

fn parameters() -> PostParams {
    PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() }
}

fn bytes(body: &Value) -> Vec<u8> {
    body.to_string().into_bytes()
}
