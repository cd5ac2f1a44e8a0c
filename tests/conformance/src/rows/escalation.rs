//! Row 126: nobody grants rights that they do not hold.

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    account::{Account, RBAC, binding, role},
    attempt,
};
use crate::{answer::Answer, expect::at, namespace::Namespace, patience::soon, world::World};

/// A ServiceAccount that may write Roles and RoleBindings of its namespace and read its ConfigMaps.
struct Delegate<'w> {
    world: &'w World<'w>,
    caller: World<'w>,
    account: Account,
    namespace: Namespace,
}

pub(crate) async fn checks(world: &World<'_>) -> Result<()> {
    let delegate = Delegate::new(world).await?;
    delegate.roles().await?;
    delegate.bindings().await?;
    delegate.exemptions().await?;
    attempt::refused(world).await
}

fn rule(group: &str, resource: &str, verbs: &[&str]) -> Value {
    json!({"apiGroups": [group], "resources": [resource], "verbs": verbs})
}

impl<'w> Delegate<'w> {
    async fn new(world: &'w World<'w>) -> Result<Self> {
        let namespace = world.namespace().await?;
        let account = Account::new(world, &namespace, "delegate").await?;
        let caller = world.with_token(Some(&account.token));
        let delegate = Self { world, caller, account, namespace };
        let writes = ["get", "create", "update", "patch"];
        let group = "rbac.authorization.k8s.io";
        let rules = json!([
            rule(group, "roles", &writes),
            rule(group, "rolebindings", &writes),
            rule("", "configmaps", &["get", "list"])
        ]);
        delegate.grant("own", rules).await?;
        let roles = delegate.path("roles/own");
        soon(async || delegate.caller.get(&roles).await?.is(200)).await?;
        Ok(delegate)
    }

    fn path(&self, plural: &str) -> String {
        self.namespace.collection(RBAC, plural)
    }

    /// The administrator gives the account a role.
    async fn grant(&self, name: &str, rules: Value) -> Result<()> {
        self.world.create(&self.path("roles"), &role("Role", name, rules)).await?;
        let subjects = json!([self.account.subject(&self.namespace)]);
        let bound = binding("RoleBinding", name, ("Role", name), subjects);
        self.world.create(&self.path("rolebindings"), &bound).await.map(drop)
    }

    async fn bind(&self, name: &str, to: (&str, &str)) -> Result<Answer> {
        let subjects = json!([{"kind": "User", "name": "alice"}]);
        self.caller
            .post(&self.path("rolebindings"), &binding("RoleBinding", name, to, subjects))
            .await
    }

    /// A refusal that lists the rules which the account does not hold.
    fn refuses(&self, reply: &Answer, plural: &str, name: &str, rules: &[&str]) -> Result<()> {
        let message = format!(
            "{plural}.rbac.authorization.k8s.io \"{name}\" is forbidden: user \"{}\" (groups=[\"system:serviceaccounts\" \
             \"system:serviceaccounts:{}\" \"system:authenticated\"]) is attempting to grant RBAC permissions not \
             currently held:\n{}",
            self.account.user,
            self.namespace.name,
            rules.join("\n")
        );
        let status = reply.fails_saying(403, "Forbidden", &message)?;
        at(
            &status,
            "/details",
            json!({"name": name, "group": "rbac.authorization.k8s.io", "kind": plural}),
        )
    }

    async fn roles(&self) -> Result<()> {
        let roles = self.path("roles");
        let held = role("Role", "held", json!([rule("", "configmaps", &["get"])]));
        self.caller.create(&roles, &held).await?;
        let more = json!([{"apiGroups": [""], "resources": ["secrets", "configmaps"], "verbs": ["get", "list"]}]);
        let reply = self.caller.post(&roles, &role("Role", "more", more)).await?;
        self.refuses(
            &reply,
            "roles",
            "more",
            &[r#"{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}"#],
        )?;
        let named = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["x"]},
            rule("*", "*", &["*"])]);
        let reply = self.caller.post(&roles, &role("Role", "named", named)).await?;
        self.refuses(
            &reply,
            "roles",
            "named",
            &[
                r#"{APIGroups:[""], Resources:["secrets"], ResourceNames:["x"], Verbs:["get"]}"#,
                r#"{APIGroups:["*"], Resources:["*"], Verbs:["*"]}"#,
            ],
        )?;
        let patch = json!({"rules": [rule("apps", "deployments", &["delete"])]});
        let reply = self.caller.merge(&self.path("roles/held"), &patch).await?;
        self.refuses(
            &reply,
            "roles",
            "held",
            &[r#"{APIGroups:["apps"], Resources:["deployments"], Verbs:["delete"]}"#],
        )?;
        // Finalizers of a stronger role may change, so that it can go away.
        self.world
            .create(&roles, &role("Role", "strong", json!([rule("", "secrets", &["get"])])))
            .await?;
        let finalizer = json!({"metadata": {"finalizers": ["conf.example.com/hold"]}});
        self.caller.merge(&self.path("roles/strong"), &finalizer).await?.is(200).map(drop)
    }

    async fn bindings(&self) -> Result<()> {
        self.bind("own-again", ("Role", "own")).await?.is(201)?;
        let reply = self.bind("strong", ("Role", "strong")).await?;
        self.refuses(
            &reply,
            "rolebindings",
            "strong",
            &[r#"{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}"#],
        )?;
        let reply = self.bind("everything", ("ClusterRole", "cluster-admin")).await?;
        self.refuses(
            &reply,
            "rolebindings",
            "everything",
            &[
                r#"{APIGroups:["*"], Resources:["*"], Verbs:["*"]}"#,
                r#"{NonResourceURLs:["*"], Verbs:["*"]}"#,
            ],
        )?;
        for kind in ["Role", "ClusterRole"] {
            let reply = self.bind("missing", (kind, "missing")).await?;
            let message = "rolebindings.rbac.authorization.k8s.io \"missing\" not found";
            reply.fails_saying(404, "NotFound", message)?;
        }
        Ok(())
    }

    /// The verbs `bind`, for the named role only, and `escalate`.
    async fn exemptions(&self) -> Result<()> {
        let group = "rbac.authorization.k8s.io";
        let bind = json!([{"apiGroups": [group], "resources": ["roles"], "verbs": ["bind"],
            "resourceNames": ["strong", "missing"]}]);
        self.grant("may-bind", bind).await?;
        soon(async || self.bind("strong", ("Role", "strong")).await?.is(201)).await?;
        self.bind("missing", ("Role", "missing")).await?.is(201)?;
        self.bind("everything", ("ClusterRole", "cluster-admin")).await?.fails(403, "Forbidden")?;
        self.grant("may-escalate", json!([rule(group, "roles", &["escalate"])])).await?;
        let any = role("Role", "any", json!([rule("*", "*", &["*"])]));
        soon(async || self.caller.post(&self.path("roles"), &any).await?.is(201)).await.map(drop)
    }
}
