//! `kubectl apply --server-side`, and the way to it from objects that were applied by the client.

use super::script::{Step, differs, fails, says};

const CONFLICT: &str = "error: Apply failed with 1 conflict: conflict with \"other\" using conf.example.com/v1: .spec.color
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
manifest to remove references to the fields that should keep their
current managers.
* You may co-own fields by updating your manifest to match the existing
value; in this case, you'll become the manager if the other manager(s)
stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

const MANAGERS: &str =
    "get wd w -o jsonpath={range.metadata.managedFields[*]}{.manager}:{.operation};{end}";

/// A custom kind that is applied by the server from the start.
#[rustfmt::skip]
pub(super) const FRESH: &[Step] = &[
    differs("diff --server-side -f widget.yaml", &["+kind: Widget", "+ color: red", "+ size: medium"]),
    says("apply --server-side -f widget.yaml", "widget.conf.example.com/w serverside-applied"),
    says("apply --server-side -f widget.yaml", "widget.conf.example.com/w serverside-applied"),
    says("diff --server-side -f widget.yaml", ""),
    differs("diff --server-side -f green.yaml", &["- color: red", "+ color: green"]),
    says("apply --server-side -f green.yaml --dry-run=server",
        "widget.conf.example.com/w serverside-applied (server dry run)"),
    says("get wd w -o jsonpath={.spec.color}", "red"),
    says("apply --server-side -f green.yaml", "widget.conf.example.com/w serverside-applied"),
    says("get wd w -o jsonpath={.spec.color}", "green"),
    says("patch wd w --type=merge --field-manager=other -p={\"spec\":{\"color\":\"blue\"}}",
        "widget.conf.example.com/w patched"),
    fails("apply --server-side -f green.yaml", CONFLICT),
    says("apply --server-side --force-conflicts -f green.yaml", "widget.conf.example.com/w serverside-applied"),
    says(MANAGERS, "kubectl:Apply;"),
];

const CONTENT: &str = "get cm m -o jsonpath={.data}";
const LAST_APPLIED: &str = "get cm m -o \
    jsonpath={.metadata.annotations.kubectl\\.kubernetes\\.io/last-applied-configuration}";

/// A built-in kind that was applied by the client before, and is again after.
#[rustfmt::skip]
pub(super) const MOVED: &[Step] = &[
    says("apply -f map.yaml", "configmap/m created"),
    says("apply --server-side -f less.yaml", "configmap/m serverside-applied"),
    says(CONTENT, "{\"first\":\"one\",\"third\":\"three\"}"),
    says(LAST_APPLIED, "{\"apiVersion\":\"v1\",\"data\":{\"first\":\"one\",\"third\":\"three\"},\"kind\":\"ConfigMap\",\
        \"metadata\":{\"labels\":{\"app\":\"x\"},\"name\":\"m\",\"namespace\":\"{ns}\"}}"),
    says("apply --server-side -f map.yaml", "configmap/m serverside-applied"),
    says(CONTENT, "{\"first\":\"one\",\"second\":\"two\"}"),
    says("apply -f less.yaml", "configmap/m configured"),
    says(CONTENT, "{\"first\":\"one\",\"third\":\"three\"}"),
    says("get cm m -o jsonpath={range.metadata.managedFields[*]}{.manager}:{.operation};{end}",
        "kubectl:Apply;kubectl-client-side-apply:Update;"),
];
