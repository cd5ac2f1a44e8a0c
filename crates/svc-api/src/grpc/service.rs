//! The methods: each says which route does it.

use std::pin::Pin;

use api_grpc::v1::{
    ApproveRequest, ApproveResponse, GetRequest, GetResponse, GetVersionRequest,
    GetVersionResponse, Kind, ListRequest, ListResponse, PromoteRequest, PromoteResponse,
    WatchRequest, WatchResponse, kargo_server::Kargo, promote_request::Freight,
};
use api_rest::body::{PromoteToStage, VersionInfo};
use futures::Stream;
use serde::Deserialize;
use serde_json::value::RawValue;
use tonic::{Request, Response, Status};

use super::{
    call::{Call, Calls},
    object::{object, objects},
    watch,
};

/// Kargo, for clients of gRPC.
pub(super) struct Service {
    calls: Calls,
}

impl Service {
    pub(super) fn new(calls: Calls) -> Self {
        Self { calls }
    }
}

/// A list as routes give it: items, or groups of them.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Listed {
    items: Vec<Box<RawValue>>,
    groups: std::collections::BTreeMap<String, Group>,
    metadata: ListMetadata,
    resource_version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Group {
    items: Vec<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ListMetadata {
    resource_version: String,
}

#[tonic::async_trait]
impl Kargo for Service {
    async fn get_version(
        &self,
        request: Request<GetVersionRequest>,
    ) -> Result<Response<GetVersionResponse>, Status> {
        let call = Call::new("GetVersionInfo", &[]);
        let info: VersionInfo = self.calls.read(request.metadata(), call).await?;
        let VersionInfo { version, git_commit, platform, .. } = info;
        Ok(Response::new(GetVersionResponse { version, git_commit, platform }))
    }

    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        let GetRequest { project, name, .. } = request.get_ref();
        let kind = request.get_ref().kind();
        let call = match kind {
            Kind::Project => Call::new("GetProject", &[name]),
            Kind::Stage => Call::new("GetStage", &[project, name]),
            Kind::Warehouse => Call::new("GetWarehouse", &[project, name]),
            Kind::Freight => Call::new("GetFreight", &[project, name]),
            Kind::Promotion => Call::new("GetPromotion", &[project, name]),
            Kind::Unspecified => return Err(no_kind()),
        };
        let found: Box<RawValue> = self.calls.read(request.metadata(), call).await?;
        Ok(Response::new(GetResponse { object: Some(object(kind, found.get())?) }))
    }

    async fn list(&self, request: Request<ListRequest>) -> Result<Response<ListResponse>, Status> {
        let ListRequest { project, stage, warehouses, .. } = request.get_ref();
        let kind = request.get_ref().kind();
        let call = match kind {
            Kind::Project => Call::new("ListProjects", &[]),
            Kind::Stage => {
                Call::new("ListStages", &[project]).queries("freightOrigins", warehouses)
            }
            Kind::Warehouse => Call::new("ListWarehouses", &[project]),
            Kind::Freight => Call::new("QueryFreightsRest", &[project])
                .query("stage", stage)
                .queries("origins", warehouses),
            Kind::Promotion => Call::new("ListPromotions", &[project]).query("stage", stage),
            Kind::Unspecified => return Err(no_kind()),
        };
        let listed: Listed = self.calls.read(request.metadata(), call).await?;
        let mut found = objects(kind, &listed.items)?;
        for group in listed.groups.values() {
            found.extend(objects(kind, &group.items)?);
        }
        let versions = [listed.metadata.resource_version, listed.resource_version];
        let resource_version = versions.into_iter().find(|text| !text.is_empty());
        let resource_version = resource_version.unwrap_or_default();
        Ok(Response::new(ListResponse { objects: found, resource_version }))
    }

    type WatchStream = Pin<Box<dyn Stream<Item = Result<WatchResponse, Status>> + Send>>;

    async fn watch(
        &self,
        request: Request<WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let WatchRequest { project, name, resource_version, .. } = request.get_ref();
        let kind = request.get_ref().kind();
        let operation = match kind {
            Kind::Stage => "ListStages",
            Kind::Warehouse => "ListWarehouses",
            Kind::Freight => "QueryFreightsRest",
            Kind::Promotion => "ListPromotions",
            Kind::Project => return Err(Status::invalid_argument("Projects cannot be watched")),
            Kind::Unspecified => return Err(no_kind()),
        };
        let call = Call::new(operation, &[project])
            .query("watch", "true")
            .query("resourceVersion", resource_version);
        let frames = self.calls.open(request.metadata(), call).await?.into_body();
        let changes = watch::changes(frames.into_data_stream(), kind, name.clone());
        Ok(Response::new(Box::pin(changes)))
    }

    async fn promote(
        &self,
        request: Request<PromoteRequest>,
    ) -> Result<Response<PromoteResponse>, Status> {
        let PromoteRequest { project, stage, freight } = request.get_ref();
        let call =
            Call::new("PromoteToStage", &[project, stage]).body(&choice(freight.as_ref()))?;
        let created: Box<RawValue> = self.calls.read(request.metadata(), call).await?;
        let promotion = object(Kind::Promotion, created.get())?;
        Ok(Response::new(PromoteResponse { promotion: Some(promotion) }))
    }

    async fn approve(
        &self,
        request: Request<ApproveRequest>,
    ) -> Result<Response<ApproveResponse>, Status> {
        let ApproveRequest { project, stage, freight } = request.get_ref();
        let call = Call::new("ApproveFreight", &[project, freight]).query("stage", stage);
        self.calls.fetch(request.metadata(), call).await?;
        Ok(Response::new(ApproveResponse {}))
    }
}

/// What to promote, as the route takes it.
fn choice(freight: Option<&Freight>) -> PromoteToStage {
    let mut choice = PromoteToStage::default();
    match freight {
        Some(Freight::Name(name)) => choice.freight.clone_from(name),
        Some(Freight::Alias(alias)) => choice.freight_alias.clone_from(alias),
        Some(Freight::Warehouse(name)) => choice.origin = format!("Warehouse/{name}"),
        None => {}
    }
    choice
}

fn no_kind() -> Status {
    Status::invalid_argument("kind is missing")
}
