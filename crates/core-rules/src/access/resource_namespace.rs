//! The namespaces of Secrets and ConfigMaps that belong to no Project.

use serde_json::Value;

use super::identity::Component;
use super::object::{RoleRef, Subject, role, role_binding};
use super::options::Options;
use super::rule::{ALL, READ, Rule, group, rule, values};
use super::system_role::SystemRole;

const READ_SECRETS: Rule = rule(group::CORE, &["secrets"], READ);
const MANAGE_SECRETS: Rule = rule(group::CORE, &["secrets"], ALL);

pub(super) fn objects(options: &Options) -> Vec<Value> {
    let system = secrets_of_the_installation(
        options,
        &options.system_namespace,
        ["kargo-system-resources-reader", "kargo-system-resources-admin"],
    );
    let legacy = options.cluster_secrets_namespace.iter().flat_map(|namespace| {
        secrets_of_the_installation(
            options,
            namespace,
            ["kargo-cluster-secrets-reader", "kargo-cluster-secrets-admin"],
        )
    });
    system.into_iter().chain(shared(options)).chain(legacy).collect()
}

/// Secrets that settings of the whole installation name.
fn secrets_of_the_installation(
    options: &Options,
    namespace: &str,
    [reader, admin]: [&str; 2],
) -> Vec<Value> {
    let mut readers = vec![options.subject(Component::ExternalWebhooksServer.service_account())];
    readers.extend(options.controller_subjects());
    let admins = [
        options.subject(Component::Api.service_account()),
        options.subject(SystemRole::Admin.name()),
    ];
    [
        bound_role(namespace, reader, &[READ_SECRETS], &readers),
        bound_role(namespace, admin, &[MANAGE_SECRETS], &admins),
    ]
    .concat()
}

/// Credentials and settings that every Project may use.
fn shared(options: &Options) -> Vec<Value> {
    let namespace = &options.shared_namespace;
    let people = [SystemRole::User, SystemRole::Viewer, SystemRole::ProjectCreator]
        .map(|role| options.subject(role.name()));
    let mut admins = vec![options.subject(SystemRole::Admin.name())];
    if options.secret_management {
        admins.push(options.subject(Component::Api.service_account()));
    }
    let read_settings = [rule(group::CORE, &["configmaps"], READ)];
    let manage = [rule(group::CORE, &["secrets", "configmaps"], ALL)];
    let read = [rule(group::CORE, &["configmaps", "secrets"], READ)];
    let controllers = options.controller_subjects();
    [
        bound_role(namespace, "kargo-shared-resources-reader", &read_settings, &people),
        bound_role(namespace, "kargo-shared-resources-admin", &manage, &admins),
        bound_role(namespace, "kargo-shared-resources-controller-reader", &read, &controllers),
    ]
    .concat()
}

/// A Role and the binding of the same name.
fn bound_role(namespace: &str, name: &str, rules: &[Rule], subjects: &[Subject<'_>]) -> Vec<Value> {
    vec![
        role(namespace, name, values(rules)),
        role_binding(namespace, name, RoleRef::Namespaced(name), subjects),
    ]
}
