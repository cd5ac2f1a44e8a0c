//! Puts the objects in place: those of the installation, a Project with its grants, and a
//! namespace that is nobody's.

use anyhow::{Context, Result};
use core_rules::{
    access::{self, Controller, Options},
    management::{
        account::ControllerAccount,
        change::{Change, Write},
        grant::{Existing, Granting, plan_grants},
    },
};
use kube::{
    Client,
    api::{Api, ApiResource, DynamicObject, PostParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};

use crate::catalog::{BYSTANDER, PROJECT};

/// The options that the table speaks of.
fn options() -> Options {
    let controllers = vec![Controller::main(), Controller::with_id("dev")];
    Options { controllers, ..Options::default() }
}

/// Creates everything; what is there already is brought into line.
pub(crate) async fn install(client: &Client) -> Result<()> {
    let options = options();
    let others = [PROJECT, BYSTANDER]
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    let objects =
        [access::namespaces(&options), others.into(), access::objects(&options), grants(&options)?];
    for object in objects.concat() {
        let shown = format!("{} {}", object["kind"], object["metadata"]["name"]);
        put(client, object).await.with_context(|| format!("put {shown}"))?;
    }
    Ok(())
}

/// What the management controller creates in a new Project.
fn grants(options: &Options) -> Result<Vec<Value>> {
    let controllers: Vec<ControllerAccount> = options
        .controllers
        .iter()
        .map(|controller| ControllerAccount {
            name: controller.service_account.clone(),
            shard: None,
            additional_subjects: Vec::new(),
        })
        .collect();
    let controllers: Vec<&ControllerAccount> = controllers.iter().collect();
    let granting = Granting { installation: &options.namespace, controllers: Some(&controllers) };
    let project = serde_json::from_value(json!({"metadata": {"name": PROJECT}}))?;
    let steps = plan_grants(&project, &Existing::default(), &granting);
    steps.into_iter().flat_map(|step| step.writes).map(created).collect()
}

fn created(write: Write) -> Result<Value> {
    let object = match write {
        Write::ServiceAccount(Change::Create(object)) => serde_json::to_value(object),
        Write::Role(Change::Create(object)) => serde_json::to_value(object),
        Write::RoleBinding(Change::Create(object)) => serde_json::to_value(object),
        Write::ClusterRole(Change::Create(object)) => serde_json::to_value(object),
        Write::ClusterRoleBinding(Change::Create(object)) => serde_json::to_value(object),
        other => anyhow::bail!("a new Project needs creations only, not {other:?}"),
    };
    Ok(object?)
}

async fn put(client: &Client, object: Value) -> Result<()> {
    let object: DynamicObject = serde_json::from_value(object)?;
    let types = object.types.clone().context("no kind")?;
    let resource = ApiResource::from_gvk(&GroupVersionKind::try_from(&types)?);
    let name = object.metadata.name.clone().context("no name")?;
    let api: Api<DynamicObject> = match &object.metadata.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    match api.create(&PostParams::default(), &object).await {
        Err(error) if io_kube::is_already_exists(&error) && types.kind != "Namespace" => {
            api.replace(&name, &PostParams::default(), &object).await?;
        }
        Err(error) if io_kube::is_already_exists(&error) => {}
        created => drop(created?),
    }
    Ok(())
}
