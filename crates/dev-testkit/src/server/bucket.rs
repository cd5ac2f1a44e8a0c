//! A bucket that speaks as much of S3 as backups need, and believes no request that is not signed well.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};

use anyhow::Result;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, request::Parts};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use sha2::{Digest, Sha256};

use super::http_server::{HttpServer, lock};

const BUCKET: &str = "test-bucket";
const REGION: &str = "test-1";
const KEY_ID: &str = "AKIDTEST";
const SECRET: &str = "correct/horse+battery";
const SESSION: &str = "a session/token==";
/// The length of a block of SHA-256.
const BLOCK: usize = 64;

/// The server; it ends when this is dropped.
pub struct BucketServer {
    http: HttpServer,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    objects: Mutex<BTreeMap<String, Bytes>>,
    /// How many keys a page has; 0 for all.
    page: Mutex<usize>,
    /// Answers that come before those of the bucket.
    failures: Mutex<VecDeque<(u16, String)>>,
    received: Mutex<Vec<String>>,
}

impl BucketServer {
    /// Starts on a free port of the loopback interface.
    pub async fn start() -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let http = HttpServer::start(&shared, serve).await?;
        Ok(Self { http, shared })
    }

    /// The address of a part of the bucket, as users write it.
    pub fn url(&self, prefix: &str) -> String {
        let address = self.http.address();
        format!("s3://{BUCKET}/{prefix}?endpoint=http://{address}&region={REGION}")
    }

    /// The variables with which the bucket is entered.
    pub fn environment() -> [(&'static str, &'static str); 3] {
        [
            ("AWS_ACCESS_KEY_ID", KEY_ID),
            ("AWS_SECRET_ACCESS_KEY", SECRET),
            ("AWS_SESSION_TOKEN", SESSION),
        ]
    }

    /// Every key, in order.
    pub fn keys(&self) -> Vec<String> {
        lock(&self.shared.objects).keys().cloned().collect()
    }

    /// Changes what the bucket holds.
    pub fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Bytes>)) {
        change(&mut lock(&self.shared.objects));
    }

    /// From now on a page of a list has this many keys.
    pub fn page_of(&self, keys: usize) {
        *lock(&self.shared.page) = keys;
    }

    /// The next requests are answered with this instead.
    pub fn fail(&self, times: usize, status: u16, body: &str) {
        let failures = std::iter::repeat_n((status, body.to_owned()), times);
        lock(&self.shared.failures).extend(failures);
    }

    /// Method and path of each request since the last call.
    pub fn received(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.shared.received))
    }
}

async fn serve(request: Request<Incoming>, shared: Arc<Shared>) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let Ok(body) = body.collect().await else { return answer(400, "") };
    let body = body.to_bytes();
    lock(&shared.received).push(format!("{} {}", head.method, head.uri));
    if let Some((status, text)) = lock(&shared.failures).pop_front() {
        return answer(status, &text);
    }
    if let Err(code) = check(&head, &body) {
        return refuse(403, code, &format!("{KEY_ID} has not signed this"));
    }
    let path = percent_decode(head.uri.path());
    let Some(key) = path.strip_prefix(&format!("/{BUCKET}/")) else {
        return refuse(404, "NoSuchBucket", "no such bucket");
    };
    let mut objects = lock(&shared.objects);
    match (head.method, key) {
        (Method::GET, "") => {
            list(&objects, head.uri.query().unwrap_or_default(), *lock(&shared.page))
        }
        (Method::GET, key) => match objects.get(key) {
            Some(body) => Response::new(Full::new(body.clone())),
            None => refuse(404, "NoSuchKey", "no such key"),
        },
        (Method::PUT, key) => {
            objects.insert(key.to_owned(), body);
            answer(200, "")
        }
        (Method::DELETE, key) => {
            objects.remove(key);
            answer(204, "")
        }
        _ => answer(405, ""),
    }
}

fn list(objects: &BTreeMap<String, Bytes>, query: &str, page: usize) -> Response<Full<Bytes>> {
    let parameter = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(found, _)| *found == name).map(|(_, value)| percent_decode(value))
    };
    let (prefix, after) = (parameter("prefix"), parameter("continuation-token"));
    let prefix = prefix.unwrap_or_default();
    let keys = objects.keys().filter(|key| key.starts_with(&prefix));
    let left: Vec<&String> =
        keys.filter(|key| after.as_ref().is_none_or(|after| *key > after)).collect();
    let shown = if page == 0 { left.len() } else { page.min(left.len()) };
    let object = |key: &&String| format!("<Contents><Key>{}</Key></Contents>", escape(key));
    let contents = left.iter().take(shown).map(object).collect::<Vec<_>>().concat();
    let is_truncated = shown < left.len();
    let last = shown.checked_sub(1).and_then(|at| left.get(at)).filter(|_| is_truncated);
    let token =
        |last: &&String| format!("<NextContinuationToken>{}</NextContinuationToken>", escape(last));
    let token = last.map(token).unwrap_or_default();
    let text = format!(
        "<?xml version=\"1.0\"?>\n<ListBucketResult>{contents}<IsTruncated>{is_truncated}</IsTruncated>{token}</ListBucketResult>"
    );
    answer(200, &text)
}

/// Whether the request is one that the key has signed, as the documentation of AWS has it.
fn check(head: &Parts, body: &[u8]) -> Result<(), &'static str> {
    let wrong = "SignatureDoesNotMatch";
    let header = |name: &str| text(&head.headers, name).ok_or(wrong);
    if header("x-amz-content-sha256")? != hex(&Sha256::digest(body)) {
        return Err("XAmzContentSHA256Mismatch");
    }
    if header("x-amz-security-token")? != SESSION {
        return Err("InvalidToken");
    }
    let date = header("x-amz-date")?;
    let day = date.get(..8).ok_or(wrong)?;
    let scope = format!("{day}/{REGION}/s3/aws4_request");
    let start = format!("AWS4-HMAC-SHA256 Credential={KEY_ID}/{scope}, SignedHeaders=");
    let rest = header("authorization")?.strip_prefix(&start).ok_or(wrong)?;
    let (names, signature) = rest.split_once(", Signature=").ok_or(wrong)?;
    let line = |name| Ok(format!("{name}:{}\n", header(name)?));
    let lines = names.split(';').map(line).collect::<Result<Vec<_>, &'static str>>()?.concat();
    let mut query: Vec<&str> = head.uri.query().unwrap_or_default().split('&').collect();
    query.sort_unstable();
    let canonical = format!(
        "{}\n{}\n{}\n{lines}\n{names}\n{}",
        head.method,
        head.uri.path(),
        query.join("&"),
        hex(&Sha256::digest(body))
    );
    let sum = hex(&Sha256::digest(canonical.as_bytes()));
    let key = [day, REGION, "s3", "aws4_request"]
        .iter()
        .fold(format!("AWS4{SECRET}").into_bytes(), |key, part| hmac(&key, part.as_bytes()));
    let signed = hmac(&key, format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{sum}").as_bytes());
    let must_be_signed = ["host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"];
    let all = must_be_signed.iter().all(|must| names.split(';').any(|name| name == *must));
    if all && hex(&signed) == signature { Ok(()) } else { Err(wrong) }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// HMAC of RFC 2104 over SHA-256, for keys that are no longer than a block.
fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut block = [0; BLOCK];
    block.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    let inner = Sha256::digest([&block.map(|byte| byte ^ 0x36)[..], text].concat());
    Sha256::digest([&block.map(|byte| byte ^ 0x5c)[..], &inner].concat()).to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

fn percent_decode(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at_checked(2).unwrap_or(("", part));
        bytes.push(u8::from_str_radix(code, 16).unwrap_or(b'?'));
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn refuse(status: u16, code: &str, message: &str) -> Response<Full<Bytes>> {
    answer(status, &format!("<Error><Code>{code}</Code><Message>{message}</Message></Error>"))
}

fn answer(status: u16, body: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(body.as_bytes())));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    response
}
