//! Kinds that every API server has.

use serde_json::json;

use super::Kind;

pub(super) const CONFIG_MAP: Kind = Kind {
    plural: "configmaps",
    name: "ConfigMap",
    api_version: "v1",
    namespaced: true,
    custom: false,
    status: false,
    minimal: || json!({}),
    fields: || {
        json!({
            "/data/one": {"good": ["1", "2", "", null], "bad": [1, {}]},
            "/data/two.txt": {"good": ["line\nline", "ünï"], "bad": [null]},
            "/data": {"good": [{"three": "3"}, null], "bad": [[], "x"]},
            "/data/a b": {"good": [], "bad": ["x"]},
            "/binaryData/bytes": {"good": ["aGVsbG8=", ""], "bad": ["%%%", 1]},
            "/binaryData/one": {"good": [], "bad": ["aGVsbG8="]},
            "/immutable": {"good": [false, true], "bad": ["true"]},
            "/bogus": {"good": [], "bad": [1]},
        })
    },
};

pub(super) const SECRET: Kind = Kind {
    plural: "secrets",
    name: "Secret",
    api_version: "v1",
    namespaced: true,
    custom: false,
    status: false,
    minimal: || json!({}),
    fields: || {
        json!({
            "/data/one": {"good": ["aGVsbG8=", ""], "bad": ["%%%", "aGVsbG8", 1]},
            "/data": {"good": [{"three": "Mw=="}, null], "bad": [[]]},
            "/stringData/one": {"good": ["plain", ""], "bad": [1]},
            "/stringData/two": {"good": ["ünï"], "bad": []},
            "/type": {"good": ["Opaque", "example.com/kind", null], "bad": [5, "kubernetes.io/basic-auth", "kubernetes.io/tls", "kubernetes.io/dockerconfigjson"]},
            "/immutable": {"good": [false, true], "bad": ["true"]},
            "/bogus": {"good": [], "bad": [1]},
        })
    },
};

pub(super) const SERVICE_ACCOUNT: Kind = Kind {
    plural: "serviceaccounts",
    name: "ServiceAccount",
    api_version: "v1",
    namespaced: true,
    custom: false,
    status: false,
    minimal: || json!({}),
    fields: || {
        json!({
            "/secrets": {"good": [[{"name": "one"}], [{"name": "two"}, {"name": "one"}], []], "bad": ["one", [{"name": 1}]]},
            "/imagePullSecrets": {"good": [[{"name": "pull"}], [{"name": "pull"}, {"name": "more"}], [{}]], "bad": ["one"]},
            "/automountServiceAccountToken": {"good": [true, false, null], "bad": ["no"]},
            "/bogus": {"good": [], "bad": [1]},
        })
    },
};

pub(super) const ROLE: Kind = Kind {
    plural: "roles",
    name: "Role",
    api_version: "rbac.authorization.k8s.io/v1",
    namespaced: true,
    custom: false,
    status: false,
    minimal: || json!({"rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]}),
    fields: || {
        json!({
            "/rules": {
                "good": [[{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}], [], null,
                    [{"apiGroups": ["", "apps"], "resources": ["secrets"], "resourceNames": ["x"], "verbs": ["get", "list"]}]],
                "bad": [[{"verbs": []}], [{"apiGroups": [""], "verbs": ["get"]}], [{"nonResourceURLs": ["/x"], "verbs": ["get"]}], "x",
                    [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"], "bogus": 1}]]},
            "/bogus": {"good": [], "bad": [1]},
        })
    },
};

pub(super) const ROLE_BINDING: Kind = Kind {
    plural: "rolebindings",
    name: "RoleBinding",
    api_version: "rbac.authorization.k8s.io/v1",
    namespaced: true,
    custom: false,
    status: false,
    minimal: || {
        json!({"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "x"},
            "subjects": [{"kind": "ServiceAccount", "name": "x", "namespace": "<history>-a"}]})
    },
    fields: || {
        json!({
            "/subjects": {
                "good": [[{"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"}], [],
                    [{"kind": "Group", "name": "team"}], [{"kind": "User", "name": "jane"}]],
                "bad": [[{"kind": "Robot", "name": "x"}], [{"kind": "ServiceAccount", "name": "x"}], [{"kind": "User"}], "x"]},
            "/roleRef/name": {"good": ["x"], "bad": ["other", ""]},
            "/roleRef/kind": {"good": ["Role"], "bad": ["ClusterRole", "Thing"]},
            "/roleRef/apiGroup": {"good": ["rbac.authorization.k8s.io", ""], "bad": ["apps"]},
            "/bogus": {"good": [], "bad": [1]},
        })
    },
};

pub(super) const LEASE: Kind = Kind {
    plural: "leases",
    name: "Lease",
    api_version: "coordination.k8s.io/v1",
    namespaced: true,
    custom: false,
    status: false,
    minimal: || json!({}),
    fields: || {
        json!({
            "/spec/holderIdentity": {"good": ["one", "two", null], "bad": ["", 1]},
            "/spec/leaseDurationSeconds": {"good": [15, 30], "bad": [0, -1, "x"]},
            "/spec/leaseTransitions": {"good": [0, 1], "bad": [-1]},
            "/spec/renewTime": {"good": ["2026-01-02T03:04:05.000001Z", "2026-01-02T03:04:05.123456Z"], "bad": ["soon"]},
            "/spec/acquireTime": {"good": ["2026-01-02T03:04:05.000000Z", null], "bad": [5]},
            "/spec": {"good": [{}, null], "bad": ["x"]},
            "/bogus": {"good": [], "bad": [1]},
        })
    },
};

pub(super) const EVENT: Kind = Kind {
    plural: "events",
    name: "Event",
    api_version: "v1",
    namespaced: true,
    custom: false,
    status: false,
    minimal: || {
        json!({"involvedObject": {"kind": "ConfigMap", "name": "x", "namespace": "<history>-a"},
            "reason": "Seen", "message": "m", "type": "Normal"})
    },
    fields: || {
        json!({
            "/reason": {"good": ["Seen", "Gone", ""], "bad": [1]},
            "/message": {"good": ["m", "other"], "bad": [{}]},
            "/type": {"good": ["Normal", "Warning"], "bad": [1]},
            "/count": {"good": [1, 2], "bad": ["x"]},
            "/involvedObject/name": {"good": ["x", "y"], "bad": [1]},
            "/involvedObject/namespace": {"good": ["<history>-a"], "bad": ["elsewhere"]},
            "/firstTimestamp": {"good": ["2026-01-02T03:04:05Z", null], "bad": ["soon"]},
            "/lastTimestamp": {"good": ["2026-01-02T03:05:05Z"], "bad": [1]},
            "/source/component": {"good": ["test"], "bad": [1]},
            "/bogus": {"good": [], "bad": [1]},
        })
    },
};
