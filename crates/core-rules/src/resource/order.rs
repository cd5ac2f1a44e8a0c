//! In which order objects are written: what others refer to comes first, and goes last.

use api_kinds::GROUP;

use super::object::Resource;

/// Objects with their places in the request, counted from zero.
pub type Placed = Vec<(usize, Resource)>;

/// Sorts objects as they are created and updated; those of one rank stay as they were sent.
pub fn in_order_of_creation(resources: Vec<Resource>) -> Placed {
    let mut placed: Placed = resources.into_iter().enumerate().collect();
    placed.sort_by_key(|(_, resource)| rank(resource));
    placed
}

/// Sorts objects as they are deleted; those of one rank stay as they were sent.
pub fn in_order_of_deletion(resources: Vec<Resource>) -> Placed {
    let mut placed: Placed = resources.into_iter().enumerate().collect();
    placed.sort_by_key(|(_, resource)| std::cmp::Reverse(rank(resource)));
    placed
}

fn rank(resource: &Resource) -> u8 {
    match (resource.group(), resource.kind()) {
        ("", "Namespace") => 0,
        (GROUP, "Project") => 1,
        (GROUP, "ProjectConfig" | "ClusterConfig") => 2,
        ("rbac.authorization.k8s.io", _) | ("", "ServiceAccount") => 3,
        ("", "Secret" | "ConfigMap") => 4,
        (GROUP, "Warehouse") => 6,
        (GROUP, "Target") => 7,
        (GROUP, "Stage") => 8,
        (GROUP, "Freight") => 9,
        (GROUP, "Promotion" | "PromotionRequest") => 10,
        // Tasks, templates of analyses and what we know nothing of.
        _ => 5,
    }
}
