//! One file per kind of step; files carry the name of the kind.

mod argocd;
pub(crate) mod argocd_update;
pub(crate) mod argocd_wait;
pub(crate) mod compose_output;
pub(crate) mod fail;
pub(crate) mod set_freight_alias;
pub(crate) mod set_metadata;
