//! What is asked about: resources, verbs and places.

/// Verbs, with those that only RBAC knows.
pub(crate) const VERBS: &[&str] = &[
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "promote",
    "bind",
    "escalate",
    "impersonate",
];

/// Where the components are.
pub(crate) const RELEASE: &str = "kargo";
/// Where Secrets of the installation are.
pub(crate) const SYSTEM: &str = "kargo-system-resources";
/// Where resources of all Projects are.
pub(crate) const SHARED: &str = "kargo-shared-resources";
/// A Project.
pub(crate) const PROJECT: &str = "permission-proof-project";
/// A namespace that has nothing to do with us.
pub(crate) const BYSTANDER: &str = "permission-proof-bystander";
/// All namespaces at once, and kinds without.
pub(crate) const CLUSTER: &str = "";

/// Every place that is asked about.
pub(crate) const PLACES: &[&str] = &[CLUSTER, RELEASE, SYSTEM, SHARED, PROJECT, BYSTANDER];

/// Resources by group; a prefix stands for the group.
pub(crate) const RESOURCES: &[&str] = &[
    "configmaps",
    "events",
    "namespaces",
    "pods",
    "pods/exec",
    "secrets",
    "serviceaccounts",
    "serviceaccounts/token",
    "admission:mutatingwebhookconfigurations",
    "admission:validatingwebhookconfigurations",
    "argo:analysisruns",
    "argo:analysistemplates",
    "argo:applications",
    "argo:clusteranalysistemplates",
    "authentication:tokenreviews",
    "authorization:subjectaccessreviews",
    "batch:jobs",
    "crd:customresourcedefinitions",
    "leases:leases",
    "rbac:clusterrolebindings",
    "rbac:clusterroles",
    "rbac:rolebindings",
    "rbac:roles",
    "kargo:clusterconfigs",
    "kargo:clusterconfigs/status",
    "kargo:clusterpromotiontasks",
    "kargo:freights",
    "kargo:freights/status",
    "kargo:projectconfigs",
    "kargo:projectconfigs/status",
    "kargo:projects",
    "kargo:projects/status",
    "kargo:promotionrequests",
    "kargo:promotionrequests/status",
    "kargo:promotions",
    "kargo:promotions/status",
    "kargo:promotiontasks",
    "kargo:stages",
    "kargo:stages/finalizers",
    "kargo:stages/status",
    "kargo:targets",
    "kargo:warehouses",
    "kargo:warehouses/finalizers",
    "kargo:warehouses/status",
];

/// The group that a prefix stands for.
fn group(prefix: &str) -> &'static str {
    match prefix {
        "admission" => "admissionregistration.k8s.io",
        "argo" => "argoproj.io",
        "authentication" => "authentication.k8s.io",
        "authorization" => "authorization.k8s.io",
        "batch" => "batch",
        "crd" => "apiextensions.k8s.io",
        "kargo" => api_kinds::GROUP,
        "leases" => "coordination.k8s.io",
        "rbac" => "rbac.authorization.k8s.io",
        _ => "",
    }
}

/// The request that asks about one verb on one resource in one place.
pub(crate) fn request(
    verb: &str,
    resource: &str,
    place: &str,
    name: &str,
) -> io_kube::AccessRequest {
    let (prefix, rest) = resource.split_once(':').unwrap_or(("", resource));
    let (plural, subresource) = rest.split_once('/').unwrap_or((rest, ""));
    io_kube::AccessRequest {
        verb: verb.to_owned(),
        group: group(prefix).to_owned(),
        resource: plural.to_owned(),
        subresource: subresource.to_owned(),
        namespace: place.to_owned(),
        name: name.to_owned(),
    }
}
