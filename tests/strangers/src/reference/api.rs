//! The reference's API server, as its clients see it.

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Kubeconfig};
use http::{Method, StatusCode};
use serde_json::Value;

use super::{ground::Ground, processes::PASSWORD};

/// A client of the API server with one identity.
#[derive(Clone)]
pub(super) struct Api {
    client: Client,
}

impl Api {
    /// Logs in as its administrator.
    pub(super) async fn log_in(ground: &Ground, port: u16) -> Result<Self> {
        let kubeconfig = Kubeconfig {
            path: ground.directory.path().to_owned(),
            server: format!("https://127.0.0.1:{port}"),
            authority: ground.certificate.chain.clone().into_bytes(),
            token: PASSWORD.to_owned(),
        };
        let api = Self { client: Client::new(&kubeconfig)? };
        let login = api.send(Method::POST, "login", "").await?;
        Ok(api.with_token(login["idToken"].as_str().context("a login without a token")?))
    }

    /// The same server as somebody else.
    pub(super) fn with_token(&self, token: &str) -> Self {
        Self { client: self.client.with_token(Some(token)) }
    }

    /// Asks for something, which must succeed.
    pub(super) async fn send(&self, method: Method, path: &str, body: &str) -> Result<Value> {
        let reply = self.client.send(method, &address(path), &[], body.to_owned()).await?;
        ensure!(reply.status.is_success(), "{path}: {} {}", reply.status, reply.text());
        Ok(reply.json())
    }

    /// The code of the answer, whatever it is.
    pub(super) async fn code(&self, method: Method, path: &str) -> Result<StatusCode> {
        Ok(self.client.send(method, &address(path), &[], "").await?.status)
    }
}

fn address(path: &str) -> String {
    format!("/v1beta1/{path}")
}
