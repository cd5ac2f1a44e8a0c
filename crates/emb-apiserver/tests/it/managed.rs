//! Who manages what after writes of every kind, and where it is shown.

use emb_store::MemoryLog;
use serde_json::{Value, json};

use crate::{
    custom::{WIDGETS, definition, install, widget},
    world::{CONFIG_MAPS, Setup, config_map, test, test_with},
};

/// Manager, operation and subresource of each entry.
pub(crate) fn managers(object: &Value) -> Vec<(&str, &str, &str)> {
    fn text<'a>(entry: &'a Value, member: &str) -> &'a str {
        entry[member].as_str().unwrap_or_default()
    }
    let listed = object["metadata"]["managedFields"].as_array();
    let entries = listed.into_iter().flatten();
    entries.map(|e| (text(e, "manager"), text(e, "operation"), text(e, "subresource"))).collect()
}

/// The names of the managers.
pub(crate) fn owners(object: &Value) -> Vec<&str> {
    managers(object).into_iter().map(|(manager, _, _)| manager).collect()
}

#[test]
fn every_writer_manages_what_it_changed() {
    test(|api| async move {
        install(&api).await;
        let posted = api.request(http::Method::POST, WIDGETS).json(&widget("a", json!({})));
        let created = posted.header("user-agent", "tool/1.0 (x)").send().await.expect(201);
        assert_eq!(managers(&created.json), [("tool", "Update", "")]);
        let fields = json!({"f:spec": {".": {}, "f:color": {}}});
        assert_eq!(created.json["metadata"]["managedFields"][0]["fieldsV1"], fields);
        let path = format!("{WIDGETS}/a");
        let patch = json!({"spec": {"note": "x"}});
        api.merge(&format!("{path}?fieldManager=editor"), &patch).await.expect(200);
        let status = json!({"status": {"phase": "Good"}});
        // Whoever does not say what program it is goes by the name of its account.
        let patched = api.merge(&format!("{path}/status"), &status).await.expect(200);
        let mut found = managers(&patched.json);
        found.sort_unstable();
        assert_eq!(
            found,
            [("admin", "Update", "status"), ("editor", "Update", ""), ("tool", "Update", "")]
        );
        let unchanged = api.merge(&format!("{path}?fieldManager=third"), &patch).await.expect(200);
        assert_eq!(unchanged.json, patched.json);
    });
}

#[test]
fn marks_of_deletion_are_nobodys_once_a_writer_leaves_them_out() {
    test(|api| async move {
        let mut held = config_map("a", json!({"k": "v"}));
        held["metadata"]["finalizers"] = json!(["a.b/c"]);
        let path = format!("{CONFIG_MAPS}/a");
        api.post(CONFIG_MAPS, &held).await.expect(201);
        let forget = json!({"metadata": {"managedFields": [{}]}});
        api.merge(&path, &forget).await.expect(200);
        api.delete(&path).await.expect(200);
        let labelled = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {"x": "y"}}});
        let apply = format!("{path}?fieldManager=one");
        let applied = api.patch(&apply, "apply-patch+yaml", &labelled).await.expect(200);
        let managed = applied.json["metadata"]["managedFields"].to_string();
        assert!(managed.contains("f:deletionTimestamp"), "{managed}");
        let put = api.put(&path, &held).await.expect(200);
        assert!(put.json["metadata"]["deletionTimestamp"].is_string());
        let managed = put.json["metadata"]["managedFields"].to_string();
        assert!(!managed.contains("f:deletion"), "{managed}");
    });
}

#[test]
fn managers_stay_through_deletion_marks_and_restarts() {
    let log = MemoryLog::default();
    let setup = |seed| Setup { log: log.clone(), seed, ..Setup::default() };
    let mut held = config_map("a", json!({"k": "v"}));
    held["metadata"]["finalizers"] = json!(["a.b/c"]);
    let path = format!("{CONFIG_MAPS}/a");
    test_with(setup(1), |api| async move {
        let created = api.post(CONFIG_MAPS, &held).await.expect(201);
        let marked = api.delete(&format!("{CONFIG_MAPS}/a")).await.expect(200);
        assert_eq!(owners(&created.json), owners(&marked.json));
        api.store.close();
    });
    test_with(setup(2), |api| async move {
        let kept = api.get(&path).await.expect(200);
        assert_eq!(managers(&kept.json), [("admin", "Update", "")]);
        assert_eq!(
            kept.json["metadata"]["managedFields"][0]["fieldsV1"]["f:data"],
            json!({".": {}, "f:k": {}})
        );
    });
}

#[test]
fn readers_may_leave_managers_out() {
    test(|api| async move {
        let mut full = api.watch(&format!("{CONFIG_MAPS}?watch=true")).await;
        let mut lean = api.watch(&format!("{CONFIG_MAPS}?watch=true&omitManagedFields=true")).await;
        let created = api.post(CONFIG_MAPS, &config_map("a", json!({"k": "v"}))).await.expect(201);
        let mut bare = created.json.clone();
        bare["metadata"].as_object_mut().unwrap().remove("managedFields").unwrap();
        assert_eq!(full.next().await.unwrap()["object"], created.json);
        assert_eq!(lean.next().await.unwrap()["object"], bare);
        let path = format!("{CONFIG_MAPS}/a");
        assert_eq!(api.get(&format!("{path}?omitManagedFields=true")).await.json, bare);
        let list = api.get(CONFIG_MAPS).await.json["items"][0].clone();
        assert_eq!(managers(&list), managers(&created.json));
        let list = api.get(&format!("{CONFIG_MAPS}?omitManagedFields=true")).await.json;
        assert_eq!(managers(&list["items"][0]), []);
        let yaml = api.request(http::Method::GET, &path).header("accept", "application/yaml");
        let yaml = String::from_utf8(yaml.send().await.expect(200).bytes.to_vec()).unwrap();
        assert!(yaml.contains("manager: admin"), "{yaml}");
        let quiet = format!("{path}?omitManagedFields=true&dryRun=All");
        let shown = api.merge(&quiet, &json!({"data": {"k": "w"}})).await.expect(200);
        assert_eq!(managers(&shown.json), []);
    });
}

#[test]
fn controllers_manage_under_their_own_names() {
    test(|api| async move {
        let created = api.post(crate::custom::DEFINITIONS, &definition()).await.expect(201);
        assert!(managers(&created.json).contains(&("kube-apiserver", "Update", "status")));
        let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
        let role = api.get(&format!("{roles}/cluster-admin")).await.expect(200);
        assert_eq!(owners(&role.json), ["kargo-bootstrap"]);
    });
}

#[test]
fn a_reset_lasts_until_the_first_apply() {
    test(|api| async move {
        api.post(CONFIG_MAPS, &config_map("a", json!({"k": "v"}))).await.expect(201);
        let path = format!("{CONFIG_MAPS}/a");
        let reset = json!({"metadata": {"managedFields": [{}]}});
        let bare = api.merge(&path, &reset).await.expect(200);
        assert_eq!(managers(&bare.json), []);
        let patched = api.merge(&path, &json!({"data": {"l": "w"}})).await.expect(200);
        assert_eq!(managers(&patched.json), []);
        let object = config_map("a", json!({"m": "x"}));
        let query = format!("{path}?fieldManager=m1");
        let applied = api.patch(&query, "apply-patch+yaml", &object).await.expect(200);
        assert_eq!(
            managers(&applied.json),
            [("m1", "Apply", ""), ("before-first-apply", "Update", "")]
        );
    });
}

#[test]
fn a_status_of_the_wrong_type_makes_the_server_forget_the_managers() {
    test(|api| async move {
        install(&api).await;
        let mut wrong = widget("a", json!({}));
        wrong["status"] = json!({"phase": 1});
        let created = api.post(WIDGETS, &wrong).await.expect(201);
        assert!(managers(&created.json).is_empty() && created.json.get("status").is_none());
        api.post(WIDGETS, &widget("b", json!({}))).await.expect(201);
        let path = format!("{WIDGETS}/b");
        let patched = api.merge(&path, &json!({"status": {"phase": 1}})).await.expect(200);
        assert!(managers(&patched.json).is_empty() && patched.json.get("status").is_none());
    });
}
