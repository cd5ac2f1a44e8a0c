//! An identity provider: it publishes keys and signs tokens.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use dev_testkit::engine::Engine;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use io_http::{Limits, Listener, serve_plain};
use parking_lot::Mutex;
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};

/// The provider.
#[derive(Clone)]
pub(crate) struct Provider {
    /// Where people reach it.
    pub(crate) issuer: String,
    /// Where it is.
    pub(crate) address: String,
    /// The path of its issuer.
    path: String,
    key: Arc<Mutex<SigningKey>>,
    /// How often keys were asked for.
    pub(crate) asked: Arc<AtomicUsize>,
}

struct SigningKey {
    id: String,
    pair: EcdsaKeyPair,
}

impl SigningKey {
    fn new(id: &str) -> Self {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
        Self { id: id.to_owned(), pair }
    }

    fn public(&self) -> Value {
        let (x, y) = self.pair.public_key().as_ref()[1..].split_at(32);
        json!({"kty": "EC", "crv": "P-256", "use": "sig", "kid": self.id,
            "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y)})
    }
}

impl Provider {
    /// Serves on a free port until the engine stops.
    pub(crate) async fn start(engine: &Engine) -> Self {
        Self::behind(engine, None, "/dex").await
    }

    /// The same, for people who reach it at another server.
    pub(crate) async fn behind(engine: &Engine, server: Option<&str>, path: &str) -> Self {
        let listener = Listener::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = format!("http://{}", listener.address());
        let issuer = format!("{}{path}", server.unwrap_or(&address));
        let key = Arc::new(Mutex::new(SigningKey::new("one")));
        let path = path.to_owned();
        let provider = Self { issuer, address, path, key, asked: Arc::default() };
        let serving = provider.clone();
        let service = tower::service_fn(move |request: Request<Incoming>| {
            let answer = serving.answer(request.uri().path());
            std::future::ready(Ok::<_, Infallible>(answer))
        });
        serve_plain(listener, service, engine.clock(), engine.tasks(), Limits::default());
        provider
    }

    fn answer(&self, path: &str) -> Response<Full<Bytes>> {
        let body = match path.strip_prefix(&self.path).unwrap_or_default() {
            "/.well-known/openid-configuration" => json!({
                "issuer": self.issuer,
                "jwks_uri": format!("{}/keys", self.issuer),
                "id_token_signing_alg_values_supported": ["ES256"],
            }),
            "/keys" => {
                self.asked.fetch_add(1, Ordering::Relaxed);
                json!({"keys": [self.key.lock().public()]})
            }
            _ => Value::Null,
        };
        Response::new(Full::from(body.to_string()))
    }

    /// From now on signs with another key.
    pub(crate) fn rotate(&self, id: &str) {
        *self.key.lock() = SigningKey::new(id);
    }

    /// A token with these claims.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        let key = self.key.lock();
        let header = json!({"alg": "ES256", "kid": key.id});
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", encode(&header), encode(claims));
        let signature = key.pair.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}
