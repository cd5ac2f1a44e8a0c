//! Objects that are not kept in memory, Secrets above all: read from the Kubernetes API each time.

use kube::{
    api::{GetParams, ListParams, PostParams},
    core::ObjectList,
};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Caller, Grant,
    write::{requests, requests_for_one},
};
use crate::{
    api_error::{ApiError, ApiResult},
    mirror::Kind,
};

impl Caller {
    /// The object of the grant.
    pub(crate) async fn fetch<K: DeserializeOwned>(
        &self,
        grant: Grant,
        kind: &'static Kind,
    ) -> ApiResult<K> {
        let request = requests_for_one(&grant, kind)?
            .get(grant.name(), &GetParams::default())
            .map_err(ApiError::internal)?;
        Ok(self.api().client().request(request).await?)
    }

    /// The objects of the grant's namespace that match a label selector. It takes a turn.
    pub(crate) async fn fetch_all<K: DeserializeOwned + Clone>(
        &self,
        grant: Grant,
        kind: &'static Kind,
        selector: &str,
    ) -> ApiResult<Vec<K>> {
        let _turn = self.api().turns().to_read(self.api().ports()).await?;
        let params = ListParams::default().labels(selector);
        let request = requests(&grant.target, kind)?.list(&params).map_err(ApiError::internal)?;
        let list: ObjectList<K> = self.api().client().request(request).await?;
        Ok(list.items)
    }

    /// Puts an object in place of the one of the grant, unless somebody else did so first.
    pub(crate) async fn replace<K: DeserializeOwned + Serialize>(
        &self,
        grant: Grant,
        kind: &'static Kind,
        object: &K,
    ) -> ApiResult<K> {
        let body = serde_json::to_vec(object).map_err(ApiError::internal)?;
        let request = requests_for_one(&grant, kind)?
            .replace(grant.name(), &PostParams::default(), body)
            .map_err(ApiError::internal)?;
        Ok(self.api().client().request(request).await?)
    }
}
