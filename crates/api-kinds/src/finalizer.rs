//! The one finalizer of the product.

/// Holds back deletion until our own clean-up is done. Put on Projects and their namespaces, on
/// Stages, on controller ServiceAccounts, and on the sources of replicated Secrets and ConfigMaps.
pub const FINALIZER: &str = "kargo.akuity.io/finalizer";
