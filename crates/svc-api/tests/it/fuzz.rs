//! Requests made up from the table of routes: wrong types, sizes, letters, methods and tokens. Whatever comes, the
//! server is not at a loss.

use api_rest::route::{ParameterKind, Route, routes};
use core_clock::{Entropy, SeededEntropy};
use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::{table, world::World};

/// Requests to one world, before another one takes its place.
const PER_WORLD: u64 = 1_000;
const DEFAULT_REQUESTS: u64 = 500;

fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Makes requests up.
struct Fuzz {
    entropy: SeededEntropy,
    routes: Vec<&'static Route>,
}

/// A request.
struct Made {
    method: Method,
    path: String,
    token: Option<String>,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

const TEXTS: [&str; 20] = [
    "",
    " ",
    ".",
    "..",
    "../../x",
    "%",
    "%00",
    "a/b",
    "\0",
    "é",
    "日本語",
    "\u{202e}evil",
    "🚀🚀🚀",
    "-1",
    "99999999999999999999",
    "true",
    "null",
    "<script>alert(1)</script>",
    "' OR 1=1 --",
    "${{ secrets }}",
];

impl Fuzz {
    fn below(&self, bound: usize) -> usize {
        usize::try_from(self.entropy.below(bound as u64)).unwrap()
    }

    fn one_in(&self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<'a, T>(&self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A text that may be anything.
    fn text(&self) -> String {
        match self.below(8) {
            0 => "x".repeat(self.below(5_000)),
            1 => (0..self.below(40))
                .filter_map(|_| char::from_u32(u32::try_from(self.below(0x11_0000)).unwrap()))
                .collect(),
            2 => self.below(1_000_000).to_string(),
            _ => (*self.pick(&TEXTS)).to_owned(),
        }
    }

    fn request(&self, tokens: &[String]) -> Made {
        let route = *self.pick(&self.routes);
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"];
        let method = if self.one_in(12) { *self.pick(&methods) } else { route.method.as_str() };
        let token = (!self.one_in(20)).then(|| self.pick(tokens).clone());
        Made {
            method: method.parse().unwrap(),
            path: self.path(route),
            token,
            headers: self.headers(),
            body: self.body(route),
        }
    }

    fn path(&self, route: &Route) -> String {
        let good = table::path(route);
        let good = good.split('?').next().unwrap_or_default();
        let mut parts: Vec<String> = good.split('/').map(str::to_owned).collect();
        for (part, template) in parts.iter_mut().zip(route.path.split('/')) {
            // Most of the time there is something to be found, and the Project stays.
            let is_whole = route.operation == "DeleteProject";
            if template.starts_with('{') && (is_whole || self.one_in(6)) {
                *part = utf8_percent_encode(&self.text(), NON_ALPHANUMERIC).to_string();
            }
        }
        format!("{}{}", parts.join("/"), self.query(route))
    }

    fn query(&self, route: &Route) -> String {
        let mut pairs = Vec::new();
        for parameter in route.query.iter().filter(|_| self.one_in(2)) {
            let good: &[&str] = match parameter.kind {
                ParameterKind::Flag => &["true", "false"],
                ParameterKind::Number => &["0", "1", "50"],
                _ => &["qa", "w", "f1", "image_repo", "tag", "made"],
            };
            let value = if self.one_in(2) { (*self.pick(good)).to_owned() } else { self.text() };
            pairs.push((parameter.name.to_owned(), value));
        }
        if self.one_in(10) {
            pairs.push((self.text(), self.text()));
        }
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
            .collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let offered = [
            (
                "content-type",
                ["application/json", "text/plain", "application/x-www-form-urlencoded", "x"],
            ),
            ("accept-encoding", ["gzip", "zstd", "gzip;q=x, *;q=-1", "br"]),
            ("if-none-match", ["*", "W/\"1\"", "\"", "W/"]),
            ("last-event-id", ["1", "-5", "99999999999999999999999", "x"]),
            ("x-request-id", ["a", "", "a b", "<>"]),
            ("range", ["bytes=0-1", "bytes=-", "x", ""]),
            ("expect", ["x", "", "y", "z"]),
        ];
        let chosen = offered.iter().filter(|_| self.one_in(4));
        chosen.map(|(name, values)| (*name, (*self.pick(values)).to_owned())).collect()
    }

    fn body(&self, route: &Route) -> Vec<u8> {
        let good = table::body(route);
        match self.below(12) {
            0 => Vec::new(),
            1 => self.text().into_bytes(),
            2 => (0..self.below(200)).map(|_| u8::try_from(self.below(256)).unwrap()).collect(),
            3 => [b"[".repeat(20_000), b"]".repeat(20_000)].concat(),
            4 => format!("a: &a [{}]\nb: [*a, *a, *a]\n---\n- ", self.text()).into_bytes(),
            5 => {
                let mut text = good.to_string().into_bytes();
                text.truncate(self.below(text.len().max(1)));
                text
            }
            6 => good.to_string().into_bytes(),
            _ => self.mutated(&good, 0).to_string().into_bytes(),
        }
    }

    /// A value with some of its parts replaced, left out or doubled.
    fn mutated(&self, value: &Value, depth: usize) -> Value {
        if self.one_in(5) {
            return self.value(depth);
        }
        match value {
            Value::Object(fields) => {
                let mut fields: serde_json::Map<String, Value> = fields
                    .iter()
                    .filter(|_| !self.one_in(10))
                    .map(|(name, value)| (name.clone(), self.mutated(value, depth + 1)))
                    .collect();
                if self.one_in(6) {
                    fields.insert(self.text(), self.value(depth));
                }
                fields.into()
            }
            Value::Array(items) => items.iter().map(|item| self.mutated(item, depth + 1)).collect(),
            other => other.clone(),
        }
    }

    fn value(&self, depth: usize) -> Value {
        match self.below(if depth > 4 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.one_in(2)),
            2 => json!(self.entropy.next_u64()),
            3 => json!(-1.5e300),
            4 | 5 => json!(self.text()),
            6 => (0..self.below(4)).map(|_| self.value(depth + 1)).collect(),
            _ => json!({ self.text(): self.value(depth + 1) }),
        }
    }
}

#[tokio::test]
async fn no_request_is_too_much() {
    let seed = number_from("API_FUZZ_SEED", 1);
    let requests = number_from("API_FUZZ_REQUESTS", DEFAULT_REQUESTS);
    let fuzz = Fuzz { entropy: SeededEntropy::new(seed), routes: routes().collect() };
    let (mut sent, mut by_class) = (0, [0_u64; 6]);
    while sent < requests {
        let world = World::with(&[("SECRET_MANAGEMENT_ENABLED", "true")], table::objects()).await;
        let admin = world.admin().await;
        let tokens = [
            admin.clone(),
            admin.clone(),
            admin.clone(),
            world.token_of("kargo", "kargo-admin").await,
            world.token_of("demo", "kargo-promoter").await,
            world.token_of("kargo", "kargo-viewer").await,
            format!("{admin}x"),
            "opaque".to_owned(),
        ];
        for _ in 0..PER_WORLD.min(requests - sent) {
            sent += 1;
            let made = fuzz.request(&tokens);
            let Made { method, path, token, headers, body } = made;
            let headers: Vec<_> =
                headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let shown = String::from_utf8_lossy(&body).chars().take(300).collect::<String>();
            let told = format!("seed {seed}, request {sent}: {method} {path} {headers:?} {shown}");
            let status = world.status(method, &path, token.as_deref(), &headers, body).await;
            assert!(status < 500 || status == 501, "{status} for {told}");
            by_class[usize::from(status / 100)] += 1;
        }
    }
    // Nonsense alone would prove little.
    assert!(by_class[2] > requests / 10, "{by_class:?}");
    println!("{sent} requests of seed {seed} by the first digit of their status: {by_class:?}");
}
