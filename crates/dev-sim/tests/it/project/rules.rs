//! What must hold of Projects when nobody does anything any more, written without the rules of the product.

use std::collections::BTreeSet;

use dev_sim::View;
use serde_json::Value;

use super::{INSTALLATION, PROJECTS, SHARED};

const GROUP: &str = "kargo.akuity.io";
const RBAC: &str = "rbac.authorization.k8s.io";
const FINALIZER: &str = "kargo.akuity.io/finalizer";
const DEFAULT_ROLES: [&str; 3] = ["kargo-admin", "kargo-promoter", "kargo-viewer"];

type Checked = Result<(), String>;

/// Each has a namespace and says that it is ready, or says that the namespace is somebody else's.
pub(super) fn projects_are_complete(view: &View<'_>) -> Checked {
    for project in view.list(GROUP, "projects") {
        let name = name(&project);
        let Some(namespace) = view.get("", "namespaces", "", name) else {
            return Err(format!("Project {name} has no namespace"));
        };
        let wanted = if is_labeled(&namespace) { ("Ready", "True") } else { ("Stalled", "True") };
        if condition(&project, wanted.0) != Some(wanted.1) {
            return Err(format!("Project {name} is not {}: {}", wanted.0, project["status"]));
        }
        if is_labeled(&namespace) && !(is_held(&namespace) && is_held(&project)) {
            return Err(format!("Project {name} or its namespace has no finalizer"));
        }
    }
    let synced = synced(view);
    for config in view.list(GROUP, "projectconfigs") {
        // In a namespace that is no Project's nobody looks at it.
        let counts = synced.iter().any(|project| project == namespace(&config));
        if counts && condition(&config, "Ready") != Some("True") {
            let (name, status) = (name(&config), &config["status"]);
            return Err(format!("ProjectConfig {name} is not ready: {status}"));
        }
    }
    Ok(())
}

/// Everything that the table of grants promises to a Project is there.
pub(super) fn no_grant_is_lost(view: &View<'_>) -> Checked {
    for project in synced(view) {
        for (binding, subjects) in expected_bindings(view) {
            let found = view.get(RBAC, "rolebindings", &project, &binding);
            let found = found.ok_or_else(|| format!("{project} lacks RoleBinding {binding}"))?;
            if subjects_of(&found) != subjects {
                return Err(format!("{project}/{binding} is for {}", found["subjects"]));
            }
        }
        for name in DEFAULT_ROLES {
            for (group, resource) in
                [("", "serviceaccounts"), (RBAC, "roles"), (RBAC, "rolebindings")]
            {
                view.get(group, resource, &project, name)
                    .ok_or_else(|| format!("{project} lacks {name} among its {resource}"))?;
            }
        }
        let own = format!("kargo-project-admin-{project}");
        for resource in ["clusterroles", "clusterrolebindings"] {
            view.get(RBAC, resource, "", &own).ok_or_else(|| format!("{resource} lack {own}"))?;
        }
    }
    Ok(())
}

/// No grant of the system is where no Project is, or for a controller that is none.
pub(super) fn nobody_is_granted_more(view: &View<'_>) -> Checked {
    let synced: BTreeSet<String> = synced(view).into_iter().collect();
    let expected: BTreeSet<String> =
        expected_bindings(view).into_iter().map(|(binding, _)| binding).collect();
    for binding in view.list(RBAC, "rolebindings") {
        let (namespace, name) = (namespace(&binding), name(&binding));
        if !PROJECTS.contains(&namespace) || !is_system_binding(name) {
            continue;
        }
        if !synced.contains(namespace) || !expected.contains(name) {
            return Err(format!("RoleBinding {namespace}/{name} should not be there"));
        }
    }
    for resource in ["clusterroles", "clusterrolebindings"] {
        for object in view.list(RBAC, resource) {
            let project = name(&object).strip_prefix("kargo-project-admin-");
            if project.is_some_and(|project| !synced.contains(project)) {
                return Err(format!("{} should not be among the {resource}", name(&object)));
            }
        }
    }
    Ok(())
}

/// A namespace that nobody handed over to a Project has no grant of the system, not even for a moment.
pub(super) fn foreign_namespaces_get_no_grants(view: &View<'_>) -> Checked {
    for change in view.changes() {
        let key = &change.key;
        if &*key.resource.resource != "rolebindings"
            || !PROJECTS.contains(&&*key.namespace)
            || !is_system_binding(&key.name)
            || view.get(RBAC, "rolebindings", &key.namespace, &key.name).is_none()
        {
            continue;
        }
        let namespace = view.get("", "namespaces", "", &key.namespace).unwrap_or_default();
        if !is_labeled(&namespace) {
            return Err(format!("RoleBinding {}/{} was granted", key.namespace, key.name));
        }
    }
    Ok(())
}

/// We hold back the deletion of a namespace only for a Project.
pub(super) fn no_namespace_is_an_orphan(view: &View<'_>) -> Checked {
    let orphans = view.list("", "namespaces").into_iter().filter(|namespace| {
        is_held(namespace) && view.get(GROUP, "projects", "", name(namespace)).is_none()
    });
    let orphans: Vec<String> = orphans.map(|namespace| name(&namespace).to_owned()).collect();
    if orphans.is_empty() { Ok(()) } else { Err(format!("{orphans:?} have no Project")) }
}

/// Each Project has each shared ConfigMap, and nobody has one that is not shared.
pub(super) fn copies_are_like_their_sources(view: &View<'_>) -> Checked {
    let sources: Vec<Value> = view
        .list("", "configmaps")
        .into_iter()
        .filter(|map| {
            namespace(map) == SHARED
                && map["metadata"]["annotations"]["kargo.akuity.io/replicate-to"] == "*"
        })
        .collect();
    let synced = synced(view);
    for source in &sources {
        for project in &synced {
            let copy = view.get("", "configmaps", project, name(source)).unwrap_or_default();
            if copy["data"] != source["data"] {
                return Err(format!(
                    "{project} has {} as {}, shared is {}",
                    name(source),
                    copy["data"],
                    source["data"]
                ));
            }
        }
    }
    for map in view.list("", "configmaps") {
        let Some(source) = map["metadata"]["labels"]["kargo.akuity.io/replicated-from"].as_str()
        else {
            continue;
        };
        let is_shared = sources.iter().any(|shared| name(shared) == source);
        if !is_shared || !synced.iter().any(|project| project == namespace(&map)) {
            return Err(format!("{} has a copy of {source}", namespace(&map)));
        }
    }
    Ok(())
}

/// Whatever was to be deleted is gone.
pub(super) fn nothing_waits_to_be_deleted(view: &View<'_>) -> Checked {
    let kinds =
        [(GROUP, "projects"), ("", "namespaces"), ("", "serviceaccounts"), ("", "configmaps")];
    for (group, resource) in kinds {
        for object in view.list(group, resource) {
            if object["metadata"]["deletionTimestamp"].is_string() {
                return Err(format!("{} still waits among the {resource}", name(&object)));
            }
        }
    }
    Ok(())
}

/// The Projects whose namespaces are theirs.
fn synced(view: &View<'_>) -> Vec<String> {
    let projects = view.list(GROUP, "projects").into_iter();
    let names = projects.map(|project| name(&project).to_owned());
    names
        .filter(|name| view.get("", "namespaces", "", name).is_some_and(|ns| is_labeled(&ns)))
        .collect()
}

/// The bindings of the system in each Project, with the ServiceAccounts that they are for.
fn expected_bindings(view: &View<'_>) -> Vec<(String, BTreeSet<String>)> {
    let accounts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let mut expected: Vec<(String, BTreeSet<String>)> = vec![
        ("kargo-project-admin".into(), accounts(&["kargo-admin", "kargo-api"])),
        ("kargo-project-analysis".into(), accounts(&["kargo-analysis-controller"])),
        ("kargo-project-secrets-reader".into(), accounts(&["kargo-external-webhooks-server"])),
    ];
    for account in view.list("", "serviceaccounts") {
        let label = &account["metadata"]["labels"]["app.kubernetes.io/component"];
        if namespace(&account) == INSTALLATION && label == "controller" {
            let name = name(&account);
            expected.push((format!("{name}-read-secrets"), accounts(&[name])));
        }
    }
    expected
}

/// Whether a RoleBinding of this name is one that the system makes in Projects.
fn is_system_binding(name: &str) -> bool {
    name.starts_with("kargo-project-") || name.ends_with("-read-secrets")
}

fn subjects_of(binding: &Value) -> BTreeSet<String> {
    let subjects = binding["subjects"].as_array().into_iter().flatten();
    subjects.filter_map(|subject| subject["name"].as_str().map(str::to_owned)).collect()
}

fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a str> {
    let conditions = object["status"]["conditions"].as_array()?;
    conditions.iter().find(|condition| condition["type"] == kind)?["status"].as_str()
}

fn is_labeled(namespace: &Value) -> bool {
    namespace["metadata"]["labels"]["kargo.akuity.io/project"] == "true"
}

fn is_held(object: &Value) -> bool {
    let finalizers = object["metadata"]["finalizers"].as_array();
    finalizers.is_some_and(|finalizers| finalizers.iter().any(|one| one == FINALIZER))
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn namespace(object: &Value) -> &str {
    object["metadata"]["namespace"].as_str().unwrap_or_default()
}
