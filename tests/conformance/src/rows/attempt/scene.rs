//! Who tries, with which rights, and what is there to be taken.

use anyhow::Result;
use serde_json::{Value, json};

use super::{RBAC_GROUP, Refusal};
use crate::{
    namespace::{Namespace, config_map, widget},
    patience::soon,
    rows::account::{Account, RBAC, binding, cluster_rbac, role},
    world::World,
};

const WRITES: &[&str] = &["get", "list", "create", "update", "patch", "delete"];

/// A namespace with an account that may write roles and bindings, and others that it must not come near.
pub(super) struct Scene<'w> {
    world: &'w World<'w>,
    caller: World<'w>,
    /// Where the weak account has its rights.
    pub(super) home: Namespace,
    /// Where it has none.
    pub(super) abroad: Namespace,
    weak: Account,
    /// An account that may do everything with Secrets.
    pub(super) strong: Account,
    /// A ClusterRole with all rights on Secrets, and one that is made of others; the weak account holds the second.
    pub(super) cluster_role: String,
    pub(super) aggregate: String,
}

impl<'w> Scene<'w> {
    pub(super) async fn set(world: &'w World<'w>) -> Result<Self> {
        let home = world.namespace().await?;
        let abroad = world.namespace().await?;
        let weak = Account::new(world, &home, "weak").await?;
        let strong = Account::new(world, &home, "strong").await?;
        let caller = world.with_token(Some(&weak.token));
        let (cluster_role, aggregate) = (world.unique("strong"), world.unique("aggregate"));
        let scene = Self { world, caller, home, abroad, weak, strong, cluster_role, aggregate };
        scene.give_rights().await?;
        scene.put_down().await?;
        let own = scene.rbac("roles/own");
        soon(async || scene.caller.get(&own).await?.is(200)).await?;
        let everywhere = cluster_rbac(&format!("clusterroles/{}", scene.aggregate));
        soon(async || scene.caller.get(&everywhere).await?.is(200)).await?;
        Ok(scene)
    }

    /// The one who tries.
    pub(super) fn caller(&self) -> &World<'w> {
        &self.caller
    }

    /// A path among the roles and bindings of the home namespace.
    pub(super) fn rbac(&self, resources: &str) -> String {
        self.home.collection(RBAC, resources)
    }

    /// What the weak account may do at home.
    pub(super) async fn rights(&self) -> Result<Value> {
        let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": self.home.name}});
        let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
        let answer = self.caller.create(path, &review).await?;
        Ok(answer["status"]["resourceRules"].clone())
    }

    async fn give_rights(&self) -> Result<()> {
        let one = |verb: &str, resource: &str, name: &str| json!({"apiGroups": [RBAC_GROUP], "resources": [resource], "verbs": [verb], "resourceNames": [name]});
        let core = |resource: &str, name: &str, verb: &str| json!({"apiGroups": [""], "resources": [resource], "verbs": [verb], "resourceNames": [name]});
        let at_home = json!([
            {"apiGroups": [RBAC_GROUP], "resources": ["roles", "rolebindings"], "verbs": WRITES},
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]},
            {"apiGroups": ["conf.example.com"], "resources": ["widgets"], "verbs": WRITES},
            core("secrets", "open", "get"),
            core("serviceaccounts/token", "weak", "create"),
            one("bind", "roles", "bindable"),
            one("escalate", "roles", "growing"),
        ]);
        self.grant("own", at_home).await?;
        let everywhere = json!([
            {"apiGroups": [RBAC_GROUP], "resources": ["clusterroles", "clusterrolebindings"], "verbs": WRITES},
            core("users", "alice", "impersonate"),
        ]);
        let name = self.world.unique("own");
        self.world
            .create(&cluster_rbac("clusterroles"), &role("ClusterRole", &name, everywhere))
            .await?;
        self.grant_everywhere(&name).await
    }

    /// The administrator gives the weak account a role at home.
    async fn grant(&self, name: &str, rules: Value) -> Result<()> {
        self.world.create(&self.rbac("roles"), &role("Role", name, rules)).await?;
        let subjects = json!([self.weak.subject(&self.home)]);
        let bound = binding("RoleBinding", name, ("Role", name), subjects);
        self.world.create(&self.rbac("rolebindings"), &bound).await.map(drop)
    }

    async fn grant_everywhere(&self, cluster_role: &str) -> Result<()> {
        let subjects = json!([self.weak.subject(&self.home)]);
        let bound =
            binding("ClusterRoleBinding", cluster_role, ("ClusterRole", cluster_role), subjects);
        self.world.create(&cluster_rbac("clusterrolebindings"), &bound).await.map(drop)
    }

    /// What others have, which the weak account sees but must not use.
    async fn put_down(&self) -> Result<()> {
        let secrets = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]}]);
        let few = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]);
        for (name, rules) in
            [("strong", &secrets), ("bindable", &secrets), ("held", &few), ("growing", &few)]
        {
            self.world.create(&self.rbac("roles"), &role("Role", name, rules.clone())).await?;
        }
        for (name, to) in [("strong", ("Role", "strong")), ("held", ("Role", "held"))] {
            let subjects = json!([self.strong.subject(&self.home)]);
            let bound = binding("RoleBinding", name, to, subjects);
            self.world.create(&self.rbac("rolebindings"), &bound).await?;
        }
        let strong = role("ClusterRole", &self.cluster_role, secrets);
        self.world.create(&cluster_rbac("clusterroles"), &strong).await?;
        let mut aggregate = role("ClusterRole", &self.aggregate, json!([]));
        aggregate["aggregationRule"] =
            json!({"clusterRoleSelectors": [{"matchLabels": {self.aggregate.as_str(): "true"}}]});
        self.world.create(&cluster_rbac("clusterroles"), &aggregate).await?;
        self.grant_everywhere(&self.aggregate).await?;
        for name in ["open", "closed"] {
            let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
            self.world.create(&self.home.core("secrets"), &secret).await?;
        }
        self.world.create(&self.abroad.core("configmaps"), &config_map("there", json!({}))).await?;
        self.world.create(&self.home.widgets(), &widget("honest")).await.map(drop)
    }

    /// The words for rules that a role or binding would give and its writer does not hold.
    pub(super) fn not_held(&self, plural: &str, name: &str, rules: &[&str]) -> Refusal {
        Refusal::forbidden(format!(
            "{plural}.{RBAC_GROUP} \"{name}\" is forbidden: user \"{}\" (groups=[\"system:serviceaccounts\" \
             \"system:serviceaccounts:{}\" \"system:authenticated\"]) is attempting to grant RBAC permissions not \
             currently held:\n{}",
            self.weak.user,
            self.home.name,
            rules.join("\n")
        ))
    }

    /// The words for what the weak account may not do: a verb, a resource with its group, a name, and a place.
    pub(super) fn cannot(
        &self,
        verb: &str,
        resource: (&str, &str),
        name: &str,
        place: &str,
    ) -> Refusal {
        let (group, resource) = resource;
        let kind = resource.split('/').next().unwrap_or_default();
        let mut subject =
            if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        if !name.is_empty() {
            subject = format!("{subject} \"{name}\"");
        }
        let place = match place {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace \"{namespace}\""),
        };
        Refusal::forbidden(format!(
            "{subject} is forbidden: User \"{}\" cannot {verb} resource \"{resource}\" in API group \"{group}\" {place}",
            self.weak.user
        ))
    }
}
