//! The part of an OCI registry that finds and pulls images, for one repository whose images are made from the releases.

use http::{Method, StatusCode};
use serde_json::json;

use crate::{
    Release,
    image::{CONFIG, Image, MANIFEST},
    reply::{self, Reply},
};

/// The one repository.
pub(crate) const REPOSITORY: &str = "demo/guestbook";

/// Answers what is asked below `/v2/`.
pub(crate) fn answer(releases: &[Release], method: &Method, path: &str) -> Reply {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return failure(StatusCode::METHOD_NOT_ALLOWED, "UNSUPPORTED", "only for reading");
    }
    if path.is_empty() {
        return reply::json(StatusCode::OK, &json!({}));
    }
    let Some(rest) = path.strip_prefix(REPOSITORY).and_then(|rest| rest.strip_prefix('/')) else {
        return failure(StatusCode::NOT_FOUND, "NAME_UNKNOWN", "there is only demo/guestbook");
    };
    match rest.split_once('/') {
        Some(("tags", "list")) => tags(releases),
        Some(("manifests", reference)) => manifest(releases, reference),
        Some(("blobs", digest)) => blob(releases, digest),
        _ => failure(StatusCode::NOT_FOUND, "UNSUPPORTED", "not served"),
    }
}

fn tags(releases: &[Release]) -> Reply {
    let tags: Vec<String> = releases.iter().map(Release::version).collect();
    reply::json(StatusCode::OK, &json!({"name": REPOSITORY, "tags": tags}))
}

fn manifest(releases: &[Release], reference: &str) -> Reply {
    let image = releases.iter().find_map(|release| {
        let image = Image::of(release);
        (release.version() == reference || image.manifest.digest == reference).then_some(image)
    });
    let Some(Image { manifest, .. }) = image else {
        return failure(StatusCode::NOT_FOUND, "MANIFEST_UNKNOWN", "no such image");
    };
    let found = reply::content(MANIFEST, manifest.content);
    reply::with_header(found, "docker-content-digest", &manifest.digest)
}

fn blob(releases: &[Release], digest: &str) -> Reply {
    let configs = releases.iter().map(|release| Image::of(release).config);
    match configs.into_iter().find(|config| config.digest == digest) {
        Some(config) => {
            let found = reply::content(CONFIG, config.content);
            reply::with_header(found, "docker-content-digest", &config.digest)
        }
        None => failure(StatusCode::NOT_FOUND, "BLOB_UNKNOWN", "no such blob"),
    }
}

fn failure(status: StatusCode, code: &str, message: &str) -> Reply {
    reply::json(status, &json!({"errors": [{"code": code, "message": message}]}))
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use jiff::Timestamp;
    use serde_json::Value;

    use super::*;

    async fn ask(method: Method, path: &str) -> (u16, Option<String>, Value) {
        let releases = [0, 1].map(|number| Release {
            number,
            created: Timestamp::UNIX_EPOCH,
            commit: "c0ffee".to_owned(),
        });
        let (head, body) = answer(&releases, &method, path).into_parts();
        let digest = head.headers.get("docker-content-digest");
        let digest = digest.map(|digest| digest.to_str().unwrap().to_owned());
        let body = body.collect().await.unwrap().to_bytes();
        (head.status.as_u16(), digest, serde_json::from_slice(&body).unwrap_or_default())
    }

    #[tokio::test]
    async fn an_image_is_found_by_its_tag_and_pulled_by_its_digests() {
        let (status, _, tags) = ask(Method::GET, "demo/guestbook/tags/list").await;
        assert_eq!((status, &tags["tags"]), (200, &json!(["1.0.0", "1.0.1"])));
        let (_, digest, manifest) = ask(Method::GET, "demo/guestbook/manifests/1.0.1").await;
        let digest = digest.unwrap();
        let by_digest = ask(Method::HEAD, &format!("demo/guestbook/manifests/{digest}")).await;
        assert_eq!((by_digest.0, by_digest.1), (200, Some(digest)));
        let config = manifest["config"]["digest"].as_str().unwrap();
        let (_, named, config) = ask(Method::GET, &format!("demo/guestbook/blobs/{config}")).await;
        assert_eq!(named.as_deref(), manifest["config"]["digest"].as_str());
        assert_eq!(config["created"], "1970-01-01T00:00:00Z");
    }

    #[tokio::test]
    async fn everything_else_is_refused_in_the_words_of_registries() {
        for (method, path, status, code) in [
            (Method::GET, "demo/guestbook/manifests/9.9.9", 404, "MANIFEST_UNKNOWN"),
            (Method::GET, "demo/guestbook/blobs/sha256:00", 404, "BLOB_UNKNOWN"),
            (Method::GET, "demo/other/tags/list", 404, "NAME_UNKNOWN"),
            (Method::GET, "demo/guestbook/../../etc", 404, "UNSUPPORTED"),
            (Method::PUT, "demo/guestbook/manifests/1.0.0", 405, "UNSUPPORTED"),
        ] {
            let (answered, _, body) = ask(method, path).await;
            assert_eq!((answered, &body["errors"][0]["code"]), (status, &json!(code)), "{path}");
        }
        assert_eq!(ask(Method::GET, "").await.0, 200);
    }
}
