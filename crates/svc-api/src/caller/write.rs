//! What callers write, with the server's own client: each takes the grant that it is for.

use kube::{
    api::{DeleteParams, Patch, PatchParams, PostParams},
    core::Request,
};
use serde::Serialize;
use serde_json::Value;

use super::{Caller, Grant, Target};
use crate::{
    api_error::{ApiError, ApiResult},
    mirror::{Kind, Mirror},
};

impl Caller {
    /// Creates an object where the grant is for, and waits until it shows.
    pub(crate) async fn create(
        &self,
        grant: Grant,
        kind: &'static Kind,
        mirror: Option<&Mirror>,
        object: &impl Serialize,
    ) -> ApiResult<Value> {
        let body = serde_json::to_vec(object).map_err(ApiError::internal)?;
        let request = requests(&grant.target, kind)?
            .create(&PostParams::default(), body)
            .map_err(ApiError::internal)?;
        let written: Value = self.api().client().request(request).await?;
        if let Some(mirror) = mirror {
            catch_up(mirror, &written).await;
        }
        Ok(written)
    }

    /// Deletes the object of the grant, and waits until that shows.
    pub(crate) async fn delete(&self, grant: Grant, mirror: &Mirror) -> ApiResult<()> {
        let Target { namespace, name, .. } = grant.target.clone();
        self.remove(grant, mirror.kind()).await?;
        mirror.catch_up_deletion(&namespace, &name).await;
        Ok(())
    }

    /// Deletes the object of the grant, of a kind that is not kept in memory.
    pub(crate) async fn remove(&self, grant: Grant, kind: &'static Kind) -> ApiResult<()> {
        let request = requests_for_one(&grant, kind)?
            .delete(&grant.target.name, &DeleteParams::default())
            .map_err(ApiError::internal)?;
        let _reply: Value = self.api().client().request(request).await?;
        Ok(())
    }

    /// Changes the object of the grant by a JSON merge patch, and waits until that shows.
    pub(crate) async fn merge_patch(
        &self,
        grant: Grant,
        mirror: &Mirror,
        patch: &Value,
    ) -> ApiResult<()> {
        let (requests, name) = (requests_for_one(&grant, mirror.kind())?, &grant.target.name);
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        let request = match grant.target.subresource {
            "" => requests.patch(name, &params, &patch),
            subresource => requests.patch_subresource(subresource, name, &params, &patch),
        };
        let request = request.map_err(ApiError::internal)?;
        let written: Value = self.api().client().request(request).await?;
        catch_up(mirror, &written).await;
        Ok(())
    }
}

async fn catch_up(mirror: &Mirror, written: &Value) {
    let version = written.pointer("/metadata/resourceVersion").and_then(Value::as_str);
    if let Some(version) = version.and_then(|version| version.parse().ok()) {
        mirror.catch_up(version).await;
    }
}

/// The requests for the object of a grant. A name that could lead elsewhere names nothing.
pub(super) fn requests_for_one(grant: &Grant, kind: &Kind) -> ApiResult<Request> {
    if !is_segment(&grant.target.name) {
        return Err(ApiError::not_found(grant.target.absence()));
    }
    requests(&grant.target, kind)
}

/// The requests of a kind where the target is.
pub(super) fn requests(target: &Target, kind: &Kind) -> ApiResult<Request> {
    let namespace = Some(target.namespace.as_str()).filter(|text| !text.is_empty());
    if !namespace.is_none_or(is_segment) {
        return Err(ApiError::not_found(target.absence()));
    }
    Ok(Request::new(kind.path(namespace)))
}

/// Whether the text stays one segment of a path, whoever reads it.
pub(crate) fn is_segment(text: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b':' | b'_');
    !matches!(text, "" | "." | "..") && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::is_segment;

    #[test]
    fn a_name_cannot_lead_elsewhere() {
        for name in ["qa", "a.b-c", "system:x", "stage.01h.abc"] {
            assert!(is_segment(name), "{name}");
        }
        for name in ["", ".", "..", "a/b", "../secrets/x", "a?b", "a%2fb", "a#b", "é", "a b"] {
            assert!(!is_segment(name), "{name}");
        }
    }
}
