//! What a check gets: the server, the administrator's client, and short words for requests.

use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use dev_testkit::{Client, Kubeconfig};
use http::Method;
use serde_json::{Value, json};

use crate::{
    answer::Answer, difference::Difference, engine::Engine, namespace::Namespace, patience::soon,
    watch::Watch,
};

/// The server under test, shared by all rows.
pub(crate) struct Suite {
    engine: Engine,
    client: Client,
    kubeconfig: Kubeconfig,
    /// Tells apart the objects of two runs on one server.
    run: String,
}

impl Suite {
    pub(crate) fn new(engine: Engine, kubeconfig: &Kubeconfig) -> Result<Self> {
        let run = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis();
        Ok(Self {
            engine,
            client: Client::new(kubeconfig)?,
            kubeconfig: kubeconfig.clone(),
            run: format!("{:x}", run & 0xffff_ffff),
        })
    }

    /// The world of one row.
    pub(crate) fn world(&self, row: u16) -> World<'_> {
        World { suite: self, caller: Caller::Administrator, row, names: AtomicU32::new(0) }
    }
}

/// Who asks.
enum Caller {
    Administrator,
    Token(Option<String>),
}

/// What a check gets.
pub(crate) struct World<'s> {
    suite: &'s Suite,
    caller: Caller,
    row: u16,
    names: AtomicU32,
}

impl World<'_> {
    pub(crate) fn engine(&self) -> Engine {
        self.suite.engine
    }

    pub(crate) fn kubeconfig(&self) -> &Kubeconfig {
        &self.suite.kubeconfig
    }

    /// The raw client of this world's caller.
    ///
    /// Only the administrator's connection is shared: kube-apiserver closes a connection after a request that it could not
    /// authenticate, which would hit the requests of other rows.
    pub(crate) fn client(&self) -> Result<Client> {
        match &self.caller {
            Caller::Administrator => Ok(self.suite.client.clone()),
            Caller::Token(token) => {
                Ok(Client::new(&self.suite.kubeconfig)?.with_token(token.as_deref()))
            }
        }
    }

    /// The same world with another bearer token, or none.
    pub(crate) fn with_token(&self, token: Option<&str>) -> Self {
        Self {
            caller: Caller::Token(token.map(str::to_owned)),
            names: AtomicU32::new(self.names.load(Ordering::Relaxed)),
            ..*self
        }
    }

    /// What each engine must show where ours may differ.
    pub(crate) fn differs<T>(&self, _allowed: Difference, embedded: T, cluster: T) -> T {
        match self.suite.engine {
            Engine::Embedded => embedded,
            Engine::Cluster => cluster,
        }
    }

    /// A name that no other row and no other run uses, for objects outside of namespaces.
    pub(crate) fn unique(&self, prefix: &str) -> String {
        let number = self.names.fetch_add(1, Ordering::Relaxed);
        format!("{prefix}-{}-{}-{number}", self.suite.run, self.row)
    }

    /// A fresh namespace.
    pub(crate) async fn namespace(&self) -> Result<Namespace> {
        let name = self.unique("conf");
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        self.create("/api/v1/namespaces", &namespace).await?;
        Ok(Namespace { name })
    }

    /// Sends exactly this.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Result<Answer> {
        let body = body.into();
        let request = describe(&method, path, &body);
        let reply = self.client()?.send(method, path, headers, body).await;
        let reply = reply.with_context(|| request.clone())?;
        Ok(Answer::new(request, reply))
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Answer> {
        self.send(Method::GET, path, &[], Bytes::new()).await
    }

    /// `GET` with an Accept header.
    pub(crate) async fn get_as(&self, path: &str, accept: &str) -> Result<Answer> {
        self.send(Method::GET, path, &[("accept", accept)], Bytes::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Answer> {
        self.post_as(path, "application/json", body.to_string()).await
    }

    /// `POST` of any bytes.
    pub(crate) async fn post_as(
        &self,
        path: &str,
        content_type: &str,
        body: impl Into<Bytes>,
    ) -> Result<Answer> {
        self.send(Method::POST, path, &[("content-type", content_type)], body).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Result<Answer> {
        self.send(Method::PUT, path, &[("content-type", "application/json")], body.to_string())
            .await
    }

    /// `PATCH` of the given kind: `merge`, `json` or `strategic-merge`.
    pub(crate) async fn patch(&self, kind: &str, path: &str, patch: &Value) -> Result<Answer> {
        let content_type = format!("application/{kind}-patch+json");
        let headers = [("content-type", content_type.as_str())];
        self.send(Method::PATCH, path, &headers, patch.to_string()).await
    }

    pub(crate) async fn merge(&self, path: &str, patch: &Value) -> Result<Answer> {
        self.patch("merge", path, patch).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<Answer> {
        self.send(Method::DELETE, path, &[], Bytes::new()).await
    }

    /// `DELETE` with options.
    pub(crate) async fn delete_with(&self, path: &str, options: &Value) -> Result<Answer> {
        let headers = [("content-type", "application/json")];
        self.send(Method::DELETE, path, &headers, options.to_string()).await
    }

    /// Creates an object, which must succeed.
    pub(crate) async fn create(&self, path: &str, object: &Value) -> Result<Value> {
        self.post(path, object).await?.is(201)
    }

    /// Reads an object, which must be there.
    pub(crate) async fn read(&self, path: &str) -> Result<Value> {
        self.get(path).await?.is(200)
    }

    /// Opens a watch; `query` has everything but `watch=true`.
    pub(crate) async fn watch(&self, path: &str, query: &str) -> Result<Watch> {
        self.watch_as(path, query, "application/json").await
    }

    /// Opens a watch with an Accept header. A server whose cache of the kind still fills answers 429,
    /// and every client comes back.
    pub(crate) async fn watch_as(&self, path: &str, query: &str, accept: &str) -> Result<Watch> {
        let path = format!("{path}?watch=true&{query}");
        let request = format!("GET {path}");
        soon(|| async {
            let lines = self.client()?.lines(&path, &[("accept", accept)]).await;
            let lines = lines.with_context(|| request.clone())?;
            ensure!(lines.status != 429, "{request}: got 429 for too long");
            Ok(lines)
        })
        .await
        .and_then(|lines| {
            ensure!(lines.status == 200, "{request}: got {}, want 200", lines.status);
            Ok(Watch::new(request.clone(), lines))
        })
    }
}

/// The request in one line, with the start of its body.
fn describe(method: &Method, path: &str, body: &Bytes) -> String {
    let body = String::from_utf8_lossy(body);
    let start: String = body.chars().take(300).collect();
    format!("{method} {path} {}", start.escape_debug()).trim_end().to_owned()
}
