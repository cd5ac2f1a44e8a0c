//! `create`, `update`, `delete`, `grant`, `revoke`, `approve`.

use cli_client::fake::Script;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Kargo, at};

fn named(name: &str) -> Value {
    json!({ "metadata": { "name": name, "namespace": "demo" } })
}

fn on(route: &str, status: u16, body: Value) -> Kargo {
    Kargo::new(Script::new().on(&at(route), status, body))
}

#[test]
fn create_a_project() {
    let project = json!({ "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": { "name": "p" } });
    let results = json!({ "results": [{ "createdResourceManifest": project }] });
    assert_snapshot!(on("POST resources", 201, results).run("create project p"));
    let exists = json!({ "error": "project.kargo.akuity.io \"p\" already exists" });
    assert_snapshot!(on("POST resources", 409, exists).run("create project p"));
}

#[test]
fn create_data() {
    let command = "create configmap c --set a=b=c --set d= --description for~tests";
    assert_snapshot!(on("POST projects/demo/configmaps", 201, named("c")).run(command));
    let command = "create generic-cred c --shared --set a=b -o name";
    assert_snapshot!(on("POST shared/generic-credentials", 201, named("c")).run(command));
}

#[test]
fn create_repo_credentials_asks_for_the_password() {
    let command = "create repo-creds c --git --repo-url https://git.test --username me";
    let kargo = on("POST projects/demo/repo-credentials", 201, named("c"));
    assert_snapshot!(kargo.run(command));
}

#[test]
fn create_a_role_with_its_description_and_claims() {
    let kargo = on("POST projects/demo/roles", 201, named("dev"));
    assert_snapshot!(
        kargo.run("create role dev --claim groups=a,b --claim email=x@y --description who")
    );
    assert_snapshot!(kargo.run("create role dev --claim wrong"));
}

#[test]
fn a_token_is_shown_once() {
    let mut token = named("ci");
    token["data"] = json!({ "token": "c2VjcmV0" });
    let kargo = on("POST projects/demo/roles/admin/api-tokens", 201, token);
    assert_snapshot!(kargo.run("create token ci --role admin"));
    let empty = on("POST system/roles/admin/api-tokens", 201, named("ci"));
    assert_snapshot!(empty.run("create token ci --role admin --system"));
}

#[test]
fn updates_patch_and_read_again() {
    let script = Script::new()
        .on(&at("PATCH projects/demo/configmaps/c"), 200, named("c"))
        .on(&at("GET projects/demo/configmaps/c"), 200, named("c"))
        .on(&at("PATCH shared/repo-credentials/c"), 200, named("c"))
        .on(&at("GET shared/repo-credentials/c"), 200, named("c"))
        .on(&at("PATCH projects/demo/freight/old/alias?newAlias=new"), 200, Value::Null);
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("update configmap c --set a=b --unset x --clear-description"));
    assert_snapshot!(kargo.run("update repo-creds c --shared --repo-url https://x --regex"));
    assert_snapshot!(kargo.run("update freight --old-alias old --new-alias new"));
    assert_snapshot!(kargo.run("update configmap c"));
    assert_snapshot!(kargo.run("update repo-creds c"));
}

#[test]
fn deletes_go_on_after_a_mistake() {
    let script = Script::new()
        .on(&at("DELETE projects/demo/stages/a"), 204, Value::Null)
        .on(&at("DELETE projects/demo/stages/b"), 404, json!({ "error": "not found" }))
        .on(&at("DELETE projects/demo/stages/c"), 204, Value::Null);
    assert_snapshot!(Kargo::new(script).run("delete stage a a b c"));
}

#[test]
fn every_delete_tells_what_is_gone() {
    let config = json!({ "sharedResourcesNamespace": "shared-ns", "systemResourcesNamespace": "system-ns", "kargoNamespace": "kargo" });
    let gone = [
        "projects/p",
        "projects/demo/warehouses/w",
        "projects/demo/roles/r",
        "projects/demo/freight/f",
        "projects/demo/freight/brave",
        "projects/demo/config",
        "system/cluster-config",
        "shared/configmaps/c",
        "system/generic-credentials/c",
        "shared/repo-credentials/c",
        "system/api-tokens/t",
    ];
    let script = Script::new().on(&at("GET system/server-config"), 200, config);
    let script = gone
        .iter()
        .fold(script, |script, path| script.on(&at(&format!("DELETE {path}")), 204, Value::Null));
    let kargo = Kargo::new(script);
    let commands = [
        "delete project p",
        "delete warehouse w",
        "delete role r",
        "delete freight --name f --alias brave",
        "delete projectconfig",
        "delete clusterconfig",
        "delete configmap c --shared -o json",
        "delete generic-creds c --system -o json",
        "delete repo-creds c --shared",
        "delete token t --system -o json",
    ];
    let told: Vec<String> = commands.iter().map(|command| kargo.run(command)).collect();
    assert_snapshot!(told.join("\n\n"));
}

#[test]
fn delete_freight_asks_for_the_project_before_the_name() {
    let without_project = Kargo::stranger(Script::new())
        .variable("KARGO_API_ADDRESS", "https://kargo.test")
        .variable("KARGO_API_TOKEN", "t")
        .run("delete freight");
    assert!(without_project.contains("Error: project is required"), "{without_project}");
    let without_name = Kargo::new(Script::new()).run("delete freight");
    assert!(without_name.contains("Error: name or alias is required"), "{without_name}");
}

#[test]
fn grants_and_revocations() {
    let script = Script::new()
        .on(&at("POST projects/demo/roles/grants"), 200, named("dev"))
        .on(&at("POST projects/demo/roles/revocations"), 200, named("dev"))
        .on(&at("GET projects/demo/roles/dev"), 200, named("dev"));
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("grant --role dev --claim groups=a,b"));
    assert_snapshot!(
        kargo.run("revoke --role dev --resource-type stage --verb get,list --resource-name prod")
    );
}

#[test]
fn approval_is_silent() {
    let kargo = on("POST projects/demo/freight/f1/approve?stage=prod", 200, Value::Null);
    assert_snapshot!(kargo.run("approve --freight f1 --stage prod"));
}
