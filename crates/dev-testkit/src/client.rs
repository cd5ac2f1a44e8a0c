//! A client that adds nothing of its own: what a test writes is what the server gets.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::TokioExecutor,
};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use serde_json::Value;

use crate::Kubeconfig;

/// A server does not answer for longer than this only when something is wrong.
const PATIENCE: Duration = Duration::from_secs(90);

/// A raw HTTPS client for one API server.
#[derive(Clone)]
pub struct Client {
    inner: legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    server: String,
    token: Option<String>,
}

/// A whole reply.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Status code.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
}

impl Reply {
    /// The body as JSON; `null` when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body of a reply that is no refusal.
    fn succeeded(&self, what: &str, path: &str) -> Result<Value> {
        ensure!(self.status.is_success(), "{what} {path}: {}", self.text());
        Ok(self.json())
    }

    /// The texts of all Warning headers, without code and quotes.
    pub fn warnings(&self) -> Vec<String> {
        self.headers
            .get_all("warning")
            .iter()
            .filter_map(|value| std::str::from_utf8(value.as_bytes()).ok())
            .flat_map(|line| line.split("299 - ").skip(1))
            .filter_map(|text| serde_json::from_str(text.trim_end_matches([',', ' '])).ok())
            .collect()
    }
}

impl Client {
    /// A client with the credentials of `kubeconfig`.
    pub fn new(kubeconfig: &Kubeconfig) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&kubeconfig.authority) {
            roots.add(certificate?)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let mut plain = HttpConnector::new();
        plain.enforce_http(false);
        // Otherwise a small request waits 40 ms for the acknowledgement of its own head.
        plain.set_nodelay(true);
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_only()
            .enable_http1()
            .enable_http2()
            .wrap_connector(plain);
        let inner = legacy::Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { inner, server: kubeconfig.server.clone(), token: Some(kubeconfig.token.clone()) })
    }

    /// The same server with another bearer token, or none.
    #[must_use]
    pub fn with_token(&self, token: Option<&str>) -> Self {
        Self { token: token.map(str::to_owned), ..self.clone() }
    }

    /// Sends a request and reads the whole reply.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Result<Reply> {
        let exchange = async {
            let response = self.start(method, path, headers, body.into()).await?;
            let (parts, body) = response.into_parts();
            let body = body.collect().await?.to_bytes();
            Ok::<_, anyhow::Error>(Reply { status: parts.status, headers: parts.headers, body })
        };
        tokio::time::timeout(PATIENCE, exchange)
            .await
            .with_context(|| format!("no reply from {path}"))?
    }

    /// Sends a request with a JSON body.
    pub async fn json(&self, method: Method, path: &str, body: &Value) -> Result<Reply> {
        self.send(method, path, &[("content-type", "application/json")], body.to_string()).await
    }

    /// `GET path`.
    pub async fn get(&self, path: &str) -> Result<Reply> {
        self.send(Method::GET, path, &[], Bytes::new()).await
    }

    /// Creates an object in a collection, which must succeed; returns what was made of it.
    pub async fn create(&self, path: &str, body: &Value) -> Result<Value> {
        self.json(Method::POST, path, body).await?.succeeded("create in", path)
    }

    /// Reads an object or a list, which must be there.
    pub async fn read(&self, path: &str) -> Result<Value> {
        self.get(path).await?.succeeded("get", path)
    }

    /// Merges `patch` into an object, which must succeed; returns what was made of it.
    pub async fn merge(&self, path: &str, patch: &Value) -> Result<Value> {
        let headers = [("content-type", "application/merge-patch+json")];
        let reply = self.send(Method::PATCH, path, &headers, patch.to_string()).await?;
        reply.succeeded("patch", path)
    }

    /// Deletes an object, which must succeed.
    pub async fn delete(&self, path: &str) -> Result<()> {
        self.send(Method::DELETE, path, &[], Bytes::new()).await?.succeeded("delete", path)?;
        Ok(())
    }

    /// Opens a stream of lines, such as a watch.
    pub async fn lines(&self, path: &str, headers: &[(&str, &str)]) -> Result<Lines> {
        let response = self.start(Method::GET, path, headers, Bytes::new()).await?;
        Ok(Lines {
            status: response.status(),
            headers: response.headers().clone(),
            body: response.into_body(),
            buffer: BytesMut::new(),
        })
    }

    async fn start(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Bytes,
    ) -> Result<Response<Incoming>> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.server));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        Ok(self.inner.request(request.body(Full::new(body))?).await?)
    }
}

/// A reply that comes line by line.
pub struct Lines {
    /// Status code.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    body: Incoming,
    buffer: BytesMut,
}

impl Lines {
    /// The next line without its end; `None` when the stream has ended.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            if let Some(end) = self.buffer.iter().position(|&byte| byte == b'\n') {
                let line = self.buffer.split_to(end + 1).freeze();
                return Ok(Some(line.slice(..end)));
            }
            match self.body.frame().await {
                None if self.buffer.is_empty() => return Ok(None),
                None => return Ok(Some(self.buffer.split().freeze())),
                Some(frame) => {
                    if let Ok(data) = frame?.into_data() {
                        self.buffer.extend_from_slice(&data);
                    }
                }
            }
        }
    }

    /// The next line as JSON, waiting at most `patience`; `None` when the stream ended or nothing came.
    pub async fn next_json(&mut self, patience: Duration) -> Result<Option<Value>> {
        match tokio::time::timeout(patience, self.next()).await {
            Err(_) | Ok(Ok(None)) => Ok(None),
            Ok(Err(error)) => Err(error),
            Ok(Ok(Some(line))) => Ok(Some(serde_json::from_slice(&line)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue, StatusCode};

    use super::Reply;

    #[test]
    fn warnings_are_read_from_separate_and_from_joined_headers() {
        let mut headers = HeaderMap::new();
        headers.append("warning", HeaderValue::from_static(r#"299 - "a \"quoted\", word""#));
        headers.append("warning", HeaderValue::from_static(r#"299 - "b", 299 - "c""#));
        let reply = Reply { status: StatusCode::OK, headers, body: Bytes::new() };
        assert_eq!(reply.warnings(), ["a \"quoted\", word", "b", "c"]);
    }
}
