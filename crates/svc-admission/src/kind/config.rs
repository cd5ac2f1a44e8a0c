//! ProjectConfigs and the ClusterConfig.

use core_rules::admission::{Admitted, Refusal, cluster_config, project_config};

use crate::{Admitter, Request};

pub(crate) async fn validate_project(
    admitter: &Admitter,
    request: &Request<'_>,
) -> Result<Admitted, Refusal> {
    let config = request.object()?;
    let home = if request.is_create() && !request.dry_run {
        Some(admitter.lookup.project_namespace(request.namespace).await?)
    } else {
        None
    };
    project_config::validate(request.operation, &config, home)
}

pub(crate) fn validate_cluster(request: &Request<'_>) -> Result<Admitted, Refusal> {
    cluster_config::validate(request.operation, &request.object()?)
}
