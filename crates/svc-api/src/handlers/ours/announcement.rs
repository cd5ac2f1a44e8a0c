//! What operators want everybody to know.

use api_kinds::labels::{ANNOUNCEMENT, TRUE};
use core_rules::announcement::announcements;
use k8s_openapi::api::core::v1::ConfigMap;

use crate::{
    api_error::ApiResult,
    caller::{Caller, Grant, Target, Verb},
    document::Document,
    mirror::kinds,
};

const REASON: &str = "announcements are for everybody";

/// Lists what is to be told now.
pub(super) async fn announcement_list(caller: Caller) -> ApiResult<Document> {
    let api = caller.api();
    let target = Target::all(&kinds::CONFIG_MAP, &api.settings().system_namespace);
    let grant = Grant::of_the_server(REASON, Verb::List, target);
    let selector = format!("{ANNOUNCEMENT}={TRUE}");
    let found: Vec<ConfigMap> = caller.fetch_all(grant, &kinds::CONFIG_MAP, &selector).await?;
    Document::of(&announcements(&found, api.ports().clock.now()))
}
