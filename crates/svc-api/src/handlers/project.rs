//! Projects and their configuration.

use std::{borrow::Borrow, sync::Arc};

use api_kinds::{Project, Stage};
use axum::{Router, extract::Path, response::Response};
use core_rules::{
    project::{self, ProjectQuery},
    stage::images,
};
use serde_json::Value;

use super::{Done, Gone, delete, get, get_or_watch, mount as add, refresh::refresh};
use crate::{
    api::Api,
    api_error::ApiResult,
    caller::Caller,
    document::Document,
    mirror::{Object, Snapshot},
    query::Query,
};

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "ListProjects", project_list);
    let router = add(router, "GetProject", project_get);
    let router = add(router, "DeleteProject", project_delete);
    let router = add(router, "GetProjectConfig", project_config_get);
    let router = add(router, "RefreshProjectConfig", project_config_refresh);
    let router = add(router, "DeleteProjectConfig", project_config_delete);
    let router = add(router, "ListProjectEvents", project_event_list);
    add(router, "ListImages", image_list)
}

/// A Project with the JSON that clients get.
struct Listed {
    object: Arc<Object>,
    project: Arc<Project>,
}

impl Borrow<Project> for Listed {
    fn borrow(&self) -> &Project {
        &self.project
    }
}

/// Lists Projects, page by page.
async fn project_list(caller: Caller, query: Query) -> ApiResult<Document> {
    let snapshot = caller.list(&caller.mirrors().projects, "").await?.list("");
    let listed = |object: Arc<Object>| Some(Listed { project: object.typed()?, object });
    let projects: Vec<Listed> = snapshot.objects.into_iter().filter_map(listed).collect();
    let asked = ProjectQuery {
        mine: query.flag("mine"),
        filter: query.text("filter").to_owned(),
        uids: query.many("uid").map(str::to_owned).collect(),
        page_size: query.number("pageSize"),
        page: query.number("page"),
    };
    let page = project::select(&asked, &projects, caller.identity().accounts());
    let mut body = b"{\"items\":[".to_vec();
    for (index, listed) in page.items.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(&listed.object.json);
    }
    body.extend_from_slice(format!("],\"total\":{}}}", page.total).as_bytes());
    Ok(Document::of_bytes(body))
}

/// Returns a Project.
async fn project_get(caller: Caller, Path(project): Path<String>) -> ApiResult<Document> {
    get(&caller, &caller.mirrors().projects, "", &project).await
}

/// Deletes a Project and everything in it.
async fn project_delete(caller: Caller, Path(project): Path<String>) -> ApiResult<Gone> {
    delete(&caller, &caller.mirrors().projects, "", &project).await
}

/// Returns the ProjectConfig, or the changes of it.
async fn project_config_get(
    caller: Caller,
    Path(project): Path<String>,
    query: Query,
) -> ApiResult<Response> {
    let configs = &caller.mirrors().project_configs;
    get_or_watch(&caller, configs, (&project, &project), &query).await
}

/// Asks for a reconciliation of the ProjectConfig.
async fn project_config_refresh(caller: Caller, Path(project): Path<String>) -> ApiResult<Done> {
    refresh(&caller, &caller.mirrors().project_configs, &project, &project).await
}

/// Deletes the ProjectConfig.
async fn project_config_delete(caller: Caller, Path(project): Path<String>) -> ApiResult<Gone> {
    delete(&caller, &caller.mirrors().project_configs, &project, &project).await
}

/// Lists what happened in a Project, the latest first.
async fn project_event_list(caller: Caller, Path(project): Path<String>) -> ApiResult<Document> {
    let events = caller.list(&caller.mirrors().events, &project).await?;
    let Snapshot { version, objects } = events.list(&project);
    let mut timed: Vec<(String, Arc<Object>)> =
        objects.into_iter().map(|event| (last_time(&event.value()), event)).collect();
    timed.sort_by(|(one, _), (other, _)| other.cmp(one));
    let objects = timed.into_iter().map(|(_, event)| event).collect();
    Ok(events.list_document(&Snapshot { version, objects }))
}

/// When an event happened last. RFC 3339 in one zone sorts as text.
fn last_time(event: &Value) -> String {
    let named = ["lastTimestamp", "eventTime"].map(|field| event.get(field));
    let time = named.into_iter().flatten().find_map(Value::as_str);
    time.unwrap_or_default().to_owned()
}

/// Tells which Stages use which images.
async fn image_list(caller: Caller, Path(project): Path<String>) -> ApiResult<Document> {
    let stages = caller.list(&caller.mirrors().stages, &project).await?.list(&project).objects;
    let stages: Vec<_> = stages.iter().filter_map(|stage| stage.typed::<Stage>()).collect();
    Document::of(&images(stages.iter().map(AsRef::as_ref)))
}
