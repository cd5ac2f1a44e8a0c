//! The application of the demo: in each Stage it runs what the branch of the Stage says, from the moment it is pushed.

use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    APPLICATION, Error,
    reply::{self, Reply},
    repository::Repository,
};

/// Longer than any name of a Stage.
const MAX_STAGE: usize = 63;

/// Tells what runs in a Stage.
pub(crate) async fn answer(repository: &Repository, stage: &str) -> Reply {
    match running(repository, stage).await {
        Ok(Some(version)) => reply::json(
            StatusCode::OK,
            &json!({"application": APPLICATION, "stage": stage, "version": version, "healthy": true}),
        ),
        Ok(None) => reply::json(
            StatusCode::SERVICE_UNAVAILABLE,
            &json!({"application": APPLICATION, "stage": stage, "healthy": false}),
        ),
        Err(error) => {
            tracing::warn!(%error, stage, "the application of the demo is not known");
            reply::text(StatusCode::INTERNAL_SERVER_ERROR, "git failed")
        }
    }
}

async fn running(repository: &Repository, stage: &str) -> Result<Option<String>, Error> {
    let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-';
    if stage.is_empty() || stage.len() > MAX_STAGE || !stage.bytes().all(is_plain) {
        return Ok(None);
    }
    let kustomization = repository.file(&format!("env/{stage}"), "kustomization.yaml").await?;
    Ok(kustomization.as_deref().and_then(version))
}

/// The tag that a kustomization gives the image of the application.
fn version(kustomization: &str) -> Option<String> {
    let read: Value = serde_saphyr::from_str(kustomization).ok()?;
    let images = read.get("images")?.as_array()?;
    let image =
        images.iter().find(|image| image.get("name").is_some_and(|name| name == APPLICATION))?;
    Some(image.get("newTag")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_tag_of_the_image() {
        let text = "resources: [a.yaml]\nimages:\n- name: other\n  newTag: v9\n- name: guestbook\n  newName: 127.0.0.1:1/demo/guestbook\n  newTag: 1.0.4\n";
        assert_eq!(version(text).as_deref(), Some("1.0.4"));
        assert_eq!(version("resources: [a.yaml]\n"), None);
        assert_eq!(version("{"), None);
    }
}
