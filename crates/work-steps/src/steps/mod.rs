//! One file per kind of step; files carry the name of the kind.

mod argocd;
pub(crate) mod argocd_update;
pub(crate) mod argocd_wait;
pub(crate) mod compose_output;
pub(crate) mod copy;
pub(crate) mod delete;
pub(crate) mod fail;
pub(crate) mod file_write;
mod helm;
pub(crate) mod helm_template;
pub(crate) mod helm_update_chart;
pub(crate) mod http;
pub(crate) mod http_download;
pub(crate) mod kustomize_build;
mod oci;
pub(crate) mod oci_download;
pub(crate) mod oci_push;
mod render;
pub(crate) mod set_freight_alias;
pub(crate) mod set_metadata;
pub(crate) mod tar;
pub(crate) mod untar;
