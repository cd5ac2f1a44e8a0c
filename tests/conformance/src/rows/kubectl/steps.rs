//! The commands and what they print, as kubectl 1.36 does on kube-apiserver.

use super::script::{Step, differs, fails, notes, says, shows};

/// The files that the commands read.
pub(super) const FILES: &[(&str, &str)] = &[
    (
        "widget.yaml",
        "apiVersion: conf.example.com/v1\nkind: Widget\nmetadata: {name: w, labels: {app: x}}\n\
         spec: {color: red, count: 3, note: word}\n",
    ),
    (
        "green.yaml",
        "apiVersion: conf.example.com/v1\nkind: Widget\nmetadata: {name: w, labels: {app: x}}\n\
         spec: {color: green, count: 3, note: word}\n",
    ),
    (
        "unknown-field.yaml",
        "apiVersion: conf.example.com/v1\nkind: Widget\nmetadata: {name: u}\nspec: {color: red, bogus: word}\n",
    ),
    (
        "map.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, labels: {app: x}}\ndata: {first: one, second: two}\n",
    ),
    (
        "less.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, labels: {app: x}}\ndata: {first: one, third: three}\n",
    ),
    (
        "several.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: several}\nstringData: {a: b}\n---\n\
         apiVersion: conf.example.com/v1\nkind: Widget\nmetadata: {name: several}\nspec: {color: blue}\n",
    ),
    (
        "list.yaml",
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: listed}\n\
         - apiVersion: conf.example.com/v1\n  kind: Widget\n  metadata: {name: listed}\n  spec: {color: blue}\n",
    ),
];

/// Everything on a custom kind with a status.
#[rustfmt::skip]
pub(super) const CUSTOM: &[Step] = &[
    differs("diff -f widget.yaml", &["+kind: Widget", "+ color: red"]),
    says("apply -f widget.yaml", "widget.conf.example.com/w created"),
    says("apply -f widget.yaml", "widget.conf.example.com/w unchanged"),
    says("diff -f widget.yaml", ""),
    differs("diff -f green.yaml", &["- color: red", "+ color: green"]),
    says("apply -f green.yaml --dry-run=server", "widget.conf.example.com/w configured (server dry run)"),
    says("apply -f green.yaml", "widget.conf.example.com/w configured"),
    says("get wd", "NAME COLOR COUNT READY AGE\nw green 3 <age>"),
    says("get widgets.conf.example.com w -o wide", "NAME COLOR COUNT READY NOTE AGE\nw green 3 word <age>"),
    shows("get wd w -o yaml", &["apiVersion: conf.example.com/v1", "kind: Widget", "color: green", "size: medium",
        "generation: 2", "namespace: {ns}"]),
    shows("get wd w -o json", &["\"kind\": \"Widget\",", "\"color\": \"green\","]),
    says("get wd -o name", "widget.conf.example.com/w"),
    says("get conformance -o name", "widget.conf.example.com/w"),
    says("get wd -l app=x --show-labels", "NAME COLOR COUNT READY AGE LABELS\nw green 3 <age> app=x"),
    notes("get wd -l app=y", "No resources found in {ns} namespace."),
    says("get wd --field-selector metadata.name=w -o name", "widget.conf.example.com/w"),
    says("get wd --field-selector spec.color=green -o name", "widget.conf.example.com/w"),
    notes("get wd --field-selector spec.color=red", "No resources found in {ns} namespace."),
    says("get wd w -o custom-columns=N:.metadata.name,C:.spec.color", "N C\nw green"),
    fails("get wd nope", "Error from server (NotFound): widgets.conf.example.com \"nope\" not found"),
    says("edit wd w", "widget.conf.example.com/w edited"),
    says("get wd w -o jsonpath={.spec.count}", "4"),
    notes("edit wd w", "Edit cancelled, no changes made."),
    says("patch wd w --type=merge -p={\"spec\":{\"count\":5}}", "widget.conf.example.com/w patched"),
    says("patch wd w --type=json -p=[{\"op\":\"replace\",\"path\":\"/spec/count\",\"value\":6}]",
        "widget.conf.example.com/w patched"),
    says("patch wd w --type=merge -p={\"spec\":{\"count\":6}}", "widget.conf.example.com/w patched (no change)"),
    fails("patch wd w -p={\"spec\":{\"count\":7}}", "error: application/strategic-merge-patch+json is not supported by \
        conf.example.com/v1, Kind=Widget: the body of the request was in an unknown format - accepted media types include: \
        application/json-patch+json, application/merge-patch+json<rest>"),
    fails("patch wd w --type=merge -p={\"spec\":{\"count\":700}}", "The Widget \"w\" is invalid: spec.count: Invalid value: \
        700: spec.count in body should be less than or equal to 100"),
    says("patch wd w --type=merge --subresource=status \
        -p={\"status\":{\"phase\":\"Good\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
        "widget.conf.example.com/w patched"),
    says("get wd w", "NAME COLOR COUNT READY AGE\nw green 6 True <age>"),
    says("wait wd/w --for=condition=Ready --timeout=10s", "widget.conf.example.com/w condition met"),
    fails("wait wd/w --for=jsonpath={.status.phase}=Bad --timeout=1s",
        "error: timed out waiting for the condition on widgets/w"),
    says("label wd w tier=one", "widget.conf.example.com/w labeled"),
    says("label wd w tier=two --overwrite", "widget.conf.example.com/w labeled"),
    says("label wd w tier-", "widget.conf.example.com/w unlabeled"),
    says("annotate wd w remark=hello", "widget.conf.example.com/w annotated"),
    says("replace -f widget.yaml", "widget.conf.example.com/w replaced"),
    says("get wd w -o jsonpath={.spec.color}/{.metadata.annotations}/{.status.phase}", "red//Good"),
    fails("create -f widget.yaml", "Error from server (AlreadyExists): error when creating \"widget.yaml\": \
        widgets.conf.example.com \"w\" already exists"),
    fails("create -f unknown-field.yaml", "Error from server (BadRequest): error when creating \"unknown-field.yaml\": Widget \
        in version \"v1\" cannot be handled as a Widget: strict decoding error: unknown field \"spec.bogus\""),
    notes("create -f unknown-field.yaml --validate=warn -o=name", "Warning: unknown field \"spec.bogus\""),
    says("create -f several.yaml --dry-run=server", "secret/several created (server dry run)\n\
        widget.conf.example.com/several created (server dry run)"),
    says("apply -f several.yaml", "secret/several created\nwidget.conf.example.com/several created"),
    says("get secret,wd -o name", "secret/several\nwidget.conf.example.com/several\nwidget.conf.example.com/u\n\
        widget.conf.example.com/w"),
    says("delete wd w", "widget.conf.example.com \"w\" deleted from {ns} namespace"),
    fails("delete wd w", "Error from server (NotFound): widgets.conf.example.com \"w\" not found"),
    says("delete wd w --ignore-not-found", ""),
    says("delete -f several.yaml", "secret \"several\" deleted from {ns} namespace\n\
        widget.conf.example.com \"several\" deleted from {ns} namespace"),
    says("apply -f list.yaml", "configmap/listed created\nwidget.conf.example.com/listed created"),
    says("delete -f list.yaml", "configmap \"listed\" deleted from {ns} namespace\n\
        widget.conf.example.com \"listed\" deleted from {ns} namespace"),
    says("delete wd --all", "widget.conf.example.com \"u\" deleted from {ns} namespace"),
    notes("get wd", "No resources found in {ns} namespace."),
];

/// Everything on built-in kinds.
#[rustfmt::skip]
pub(super) const BUILT_IN: &[Step] = &[
    says("apply -f map.yaml", "configmap/m created"),
    says("apply -f map.yaml", "configmap/m unchanged"),
    differs("diff -f less.yaml", &["- second: two", "+ third: three"]),
    says("apply -f less.yaml", "configmap/m configured"),
    says("get cm m -o jsonpath={.data}", "{\"first\":\"one\",\"third\":\"three\"}"),
    says("edit cm m", "configmap/m edited"),
    notes("edit cm m", "Edit cancelled, no changes made."),
    says("patch cm m -p={\"data\":{\"third\":null,\"fourth\":\"4\"}}", "configmap/m patched"),
    says("patch cm m --type=json -p=[{\"op\":\"add\",\"path\":\"/data/fifth\",\"value\":\"5\"}]", "configmap/m patched"),
    says("patch cm m --type=merge -p={\"data\":{\"fifth\":\"V\"}}", "configmap/m patched"),
    says("get cm m -o jsonpath={.data}", "{\"fifth\":\"V\",\"first\":\"changed\",\"fourth\":\"4\"}"),
    says("label cm m tier=one", "configmap/m labeled"),
    says("annotate cm m remark=hello", "configmap/m annotated"),
    says("replace -f map.yaml", "configmap/m replaced"),
    says("create configmap c --from-literal=a=b", "configmap/c created"),
    fails("create configmap c --from-literal=a=b", "error: failed to create configmap: configmaps \"c\" already exists"),
    says("create configmap dry --from-literal=a=b --dry-run=server", "configmap/dry created (server dry run)"),
    says("create secret generic s --from-literal=user=me", "secret/s created"),
    says("create secret docker-registry d --docker-server=r.example.com --docker-username=u --docker-password=p",
        "secret/d created"),
    says("get secret s -o jsonpath={.data.user}/{.type}", "bWU=/Opaque"),
    says("create sa robot", "serviceaccount/robot created"),
    says("create token robot --duration=10m -o=jsonpath={.spec.expirationSeconds}", "600"),
    says("get cm -l app=x -o name", "configmap/m"),
    says("get cm --chunk-size=1 -o name", "configmap/c\nconfigmap/m"),
    says("get cm c", "NAME DATA AGE\nc 1 <age>"),
    says("get secret,sa", "NAME TYPE DATA AGE\nsecret/d kubernetes.io/dockerconfigjson 1 <age>\nsecret/s Opaque 1 <age>\n\n\
        NAME AGE\nserviceaccount/default <age>\nserviceaccount/robot <age>"),
    says("get secret --field-selector type=Opaque -o name", "secret/s"),
    fails("get cm nope", "Error from server (NotFound): configmaps \"nope\" not found"),
    says("create namespace {ns}-more", "namespace/{ns}-more created"),
    says("get ns {ns}-more", "NAME STATUS AGE\n{ns}-more Active <age>"),
    says("delete ns {ns}-more --wait=false", "namespace \"{ns}-more\" deleted"),
    says("wait cm/m --for=jsonpath={.data.second}=two --timeout=5s", "configmap/m condition met"),
    says("delete cm m --wait=true", "configmap \"m\" deleted from {ns} namespace"),
    says("wait cm/m --for=delete --timeout=5s", ""),
    says("delete cm --all", "configmap \"c\" deleted from {ns} namespace"),
    says("delete secret --field-selector type=Opaque", "secret \"s\" deleted from {ns} namespace"),
];

/// What the server says about itself.
#[rustfmt::skip]
pub(super) const SERVER: &[Step] = &[
    shows("version", &["Server Version: v1.<any>"]),
    shows("cluster-info", &["Kubernetes control plane is running at https://<any>"]),
    shows("api-versions", &["v1", "apiextensions.k8s.io/v1", "authentication.k8s.io/v1", "authorization.k8s.io/v1",
        "conf.example.com/v1", "coordination.k8s.io/v1", "events.k8s.io/v1", "rbac.authorization.k8s.io/v1"]),
    shows("api-resources", &["NAME SHORTNAMES APIVERSION NAMESPACED KIND", "configmaps cm v1 true ConfigMap",
        "namespaces ns v1 false Namespace", "secrets v1 true Secret", "serviceaccounts sa v1 true ServiceAccount",
        "customresourcedefinitions crd,crds apiextensions.k8s.io/v1 false CustomResourceDefinition",
        "leases coordination.k8s.io/v1 true Lease", "clusterroles rbac.authorization.k8s.io/v1 false ClusterRole",
        "rolebindings rbac.authorization.k8s.io/v1 true RoleBinding", "events ev events.k8s.io/v1 true Event",
        "gadgets conf.example.com/v1 false Gadget", "widgets wd conf.example.com/v1 true Widget"]),
    shows("api-resources --verbs=list --namespaced -o name", &["configmaps", "widgets.conf.example.com"]),
    says("get --raw /readyz", "ok"),
    notes("get all", "No resources found in {ns} namespace."),
    fails("get nonsense", "error: the server doesn't have a resource type \"nonsense\""),
    says("explain widget.spec.pair", "GROUP: conf.example.com\nKIND: Widget\nVERSION: v1\n\nFIELD: pair <Object>\n\n\n\
        DESCRIPTION:\n<empty>\nFIELDS:\nleft <string>\n<no description>\n\nright <string>\n<no description>"),
    shows("explain widget.spec", &["FIELD: spec <Object>", "color <string> -required-", "enum: red, green, blue",
        "items <[]Object>", "labels <map[string]string>", "port <Object>", "ratio <number>"]),
    shows("explain widget --recursive", &["apiVersion <string>", "metadata <ObjectMeta>", "spec <Object>", "status <Object>",
        "conditions <[]Object>"]),
    shows("explain configmap", &["KIND: ConfigMap", "VERSION: v1", "binaryData <map[string]string>",
        "data <map[string]string>", "immutable <boolean>", "metadata <ObjectMeta>"]),
    shows("explain role.rules", &["GROUP: rbac.authorization.k8s.io", "KIND: Role", "FIELD: rules <[]PolicyRule>",
        "verbs <[]string> -required-"]),
    fails("explain widget.nonsense", "error: field \"nonsense\" does not exist"),
    says("get crd widgets.conf.example.com", "NAME CREATED AT\nwidgets.conf.example.com <time>"),
    shows("get clusterroles", &["NAME CREATED AT", "cluster-admin <time>", "system:discovery <time>"]),
    shows("get ns", &["NAME STATUS AGE", "default Active <age>", "kube-system Active <age>"]),
];

/// Rights and who has them.
#[rustfmt::skip]
pub(super) const ACCESS: &[Step] = &[
    says("create sa robot", "serviceaccount/robot created"),
    says("create role r --verb=get,list --resource=configmaps", "role.rbac.authorization.k8s.io/r created"),
    says("create rolebinding rb --role=r --serviceaccount={ns}:robot", "rolebinding.rbac.authorization.k8s.io/rb created"),
    says("create clusterrole {ns} --verb=get --resource=secrets", "clusterrole.rbac.authorization.k8s.io/{ns} created"),
    says("create clusterrolebinding {ns} --clusterrole={ns} --group=devs",
        "clusterrolebinding.rbac.authorization.k8s.io/{ns} created"),
    says("get rolebinding -o wide", "NAME ROLE AGE USERS GROUPS SERVICEACCOUNTS\nrb Role/r <age> {ns}/robot"),
    says("get role r", "NAME CREATED AT\nr <time>"),
    says("auth can-i list widgets", "yes"),
    says("auth can-i get /version", "yes"),
    says("auth can-i list configmaps --as=system:serviceaccount:{ns}:robot", "yes"),
    differs("auth can-i delete configmaps --as=system:serviceaccount:{ns}:robot", &["no"]),
    says("auth can-i get secrets --as=alice --as-group=devs", "yes"),
    shows("auth can-i --list", &["Resources Non-Resource URLs Resource Names Verbs", "*.* [] [] [*]"]),
    shows("auth can-i --list --as=system:serviceaccount:{ns}:robot", &["configmaps [] [] [get list]",
        "selfsubjectreviews.authentication.k8s.io [] [] [create]"]),
    shows("auth whoami", &["ATTRIBUTE VALUE", "Groups [system:masters system:authenticated]"]),
    says("auth whoami --as=alice --as-group=devs -o=jsonpath={.status.userInfo.groups}", "[\"devs\",\"system:authenticated\"]"),
    says("create token robot", "ey<any>"),
    says("create token robot --audience=a --audience=b -o=jsonpath={.spec.audiences}", "[\"a\",\"b\"]"),
    fails("create token nobody", "error: failed to create token: serviceaccounts \"nobody\" not found"),
    fails("get secrets --as=bob", "Error from server (Forbidden): secrets is forbidden: User \"bob\" cannot list resource \
        \"secrets\" in API group \"\" in the namespace \"{ns}\""),
    says("delete clusterrole,clusterrolebinding {ns}", "clusterrole.rbac.authorization.k8s.io \"{ns}\" deleted\n\
        clusterrolebinding.rbac.authorization.k8s.io \"{ns}\" deleted"),
];

/// `describe`, and Events.
#[rustfmt::skip]
pub(super) const DESCRIPTIONS: &[Step] = &[
    says("create -f map.yaml -f widget.yaml", "configmap/m created\nwidget.conf.example.com/w created"),
    says("create secret generic s --from-literal=user=me", "secret/s created"),
    says("create role r --verb=get,list --resource=configmaps", "role.rbac.authorization.k8s.io/r created"),
    says("create rolebinding rb --role=r --serviceaccount={ns}:default", "rolebinding.rbac.authorization.k8s.io/rb created"),
    says("describe wd w", "Name: w\nNamespace: {ns}\nLabels: app=x\nAnnotations: <none>\nAPI Version: conf.example.com/v1\n\
        Kind: Widget\nMetadata:\nCreation Timestamp: <time>\nGeneration: 1\nResource Version: <digits>\nUID: <any>\n\
        Spec:\nColor: red\nCount: 3\nNote: word\nSize: medium\nEvents: <none>"),
    says("describe cm m", "Name: m\nNamespace: {ns}\nLabels: app=x\nAnnotations: <none>\n\nData\n====\nfirst:\n----\none\n\n\
        second:\n----\ntwo\n\n\nBinaryData\n====\n\nEvents: <none>"),
    says("describe secret s", "Name: s\nNamespace: {ns}\nLabels: <none>\nAnnotations: <none>\n\nType: Opaque\n\n\
        Data\n====\nuser: 2 bytes"),
    says("describe role r", "Name: r\nLabels: <none>\nAnnotations: <none>\nPolicyRule:\n\
        Resources Non-Resource URLs Resource Names Verbs\n--------- ----------------- -------------- -----\n\
        configmaps [] [] [get list]"),
    says("describe rolebinding rb", "Name: rb\nLabels: <none>\nAnnotations: <none>\nRole:\nKind: Role\nName: r\nSubjects:\n\
        Kind Name Namespace\n---- ---- ---------\nServiceAccount default {ns}"),
    says("describe sa default", "Name: default\nNamespace: {ns}\nLabels: <none>\nAnnotations: <none>\n\
        Image pull secrets: <none>\nEvents: <none>"),
    shows("describe ns {ns}", &["Name: {ns}", "Labels: kubernetes.io/metadata.name={ns}", "Annotations: <none>",
        "Status: Active"]),
    shows("describe crd widgets.conf.example.com", &["Kind: CustomResourceDefinition", "Type: NamesAccepted",
        "Type: Established", "Stored Versions:"]),
    notes("get events", "No resources found in {ns} namespace."),
    notes("events", "No events found in {ns} namespace."),
];

/// Where a ConfigMap `m` has an Event.
#[rustfmt::skip]
pub(super) const EVENTS: &[Step] = &[
    says("get events", "LAST SEEN TYPE REASON OBJECT MESSAGE\n<age> Normal Tested configmap/m words"),
    says("get ev -o wide", "LAST SEEN TYPE REASON OBJECT SUBOBJECT SOURCE MESSAGE FIRST SEEN COUNT NAME\n\
        <age> Normal Tested configmap/m suite words <age> 2 e"),
    says("events", "LAST SEEN TYPE REASON OBJECT MESSAGE\n<age> (x2 over <age>) Normal Tested ConfigMap/m words"),
    says("events --for=configmap/m --no-headers", "<age> (x2 over <age>) Normal Tested ConfigMap/m words"),
    says("get events.events.k8s.io -o name", "event.events.k8s.io/e"),
    shows("describe cm m", &["Events:", "Type Reason Age From Message",
        "Normal Tested <age> (x2 over <age>) suite words"]),
];
