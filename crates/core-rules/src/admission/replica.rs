//! Copies of shared Secrets and ConfigMaps belong to the management controller.

use super::{Operation, caller::Caller, refusal::Refusal};

const REFUSED: &str = "replicated resources are managed by Kargo and cannot be created, modified, or \
                       deleted by end users";

/// Lets the management controller, Kubernetes' own clean-up and administrators through.
pub fn validate(operation: Operation, caller: &Caller<'_>) -> Result<(), Refusal> {
    let is_clean_up = operation == Operation::Delete && caller.is_kubernetes_collector();
    if caller.is_management_controller() || is_clean_up || caller.is_cluster_administrator() {
        Ok(())
    } else {
        Err(Refusal::denied(REFUSED))
    }
}

#[cfg(test)]
mod tests {
    use super::{Operation, validate};
    use crate::admission::fixture::{self, identities, user};

    #[test]
    fn only_its_keeper_writes_a_replica() {
        let collector = "system:serviceaccount:kube-system:namespace-controller";
        let table = [
            (fixture::MANAGEMENT, true, true),
            (collector, false, true),
            ("system:kube-controller-manager", false, true),
            (fixture::API, false, false),
            ("alice", false, false),
        ];
        for (name, may_write, may_delete) in table {
            let user = user(name);
            let may = |operation| validate(operation, &identities().caller(&user)).is_ok();
            assert_eq!(may(Operation::Create), may_write, "{name}");
            assert_eq!(may(Operation::Update), may_write, "{name}");
            assert_eq!(may(Operation::Delete), may_delete, "{name}");
        }
        let mut administrator = user("root");
        administrator.groups.push("system:masters".into());
        let refused = validate(Operation::Create, &identities().caller(&user("alice")));
        assert_eq!(refused.unwrap_err().code(), 403);
        assert!(validate(Operation::Create, &identities().caller(&administrator)).is_ok());
    }
}
