//! Who may do what: the identity of every component, the permissions it runs with, and the roles
//! that people are given.
//!
//! All of it is data, made from [`Options`]: the chart renders the same objects that `kargo up`
//! creates, and a table proves them on both engines. Each component has a file that lists what it
//! may do; nothing is granted anywhere else.
//!
//! Tighter than upstream: the admission server cannot read or write Secrets of Projects; it may
//! create bindings, but only to the one role that it has to bind.
//!
//! What components get inside each Project, by bindings to the roles made here, is granted and
//! taken back by the management controller. How people manage roles of their own, and who answers
//! for whom, is decided in [`role`], [`escalation`], [`claim`] and [`candidate`].

pub mod attributes;
pub mod binding;
pub mod candidate;
pub mod claim;
pub mod escalation;
pub mod role;

mod admission_server;
mod analysis_controller;
mod api_server;
mod controller;
mod garbage_collector;
mod identity;
mod management_controller;
mod object;
mod options;
mod project;
mod resource_namespace;
mod rule;
mod system_role;
#[cfg(test)]
mod tests;
mod webhook_receiver;

pub use admission_server::{SERVING_SECRET, WEBHOOK_CONFIGURATION};
pub use analysis_controller::ANALYSIS_ROLE;
pub use controller::READ_SECRETS_ROLE;
pub use identity::{Component, control_plane_user_pattern, user_name};
pub use options::{ArgoCd, Controller, Options, SecretReading, Shard};
pub use project::{PROJECT_ADMIN_ROLE, SECRETS_READER_ROLE};
pub use system_role::SystemRole;

use serde_json::Value;

/// The namespaces that the objects below live in, apart from those of Projects and Argo CD.
pub fn namespaces(options: &Options) -> Vec<Value> {
    [&options.namespace, &options.system_namespace, &options.shared_namespace]
        .into_iter()
        .chain(&options.cluster_secrets_namespace)
        .map(|name| object::namespace(name))
        .collect()
}

/// Every ServiceAccount, role and binding of an installation, roles before their bindings.
pub fn objects(options: &Options) -> Vec<Value> {
    [
        api_server::objects(options),
        controller::objects(options),
        management_controller::objects(options),
        admission_server::objects(options),
        webhook_receiver::objects(options),
        garbage_collector::objects(options),
        analysis_controller::objects(options),
        project::roles(options),
        resource_namespace::objects(options),
        system_role::objects(options),
    ]
    .concat()
}
