//! Roles of people, and tokens that act as one.

use super::{
    Permission, Route,
    access::{core, rbac},
    delete, get,
    parameter::{AS_RESOURCES, text},
    post, put,
    tag::{CREDENTIALS, PROJECT_LEVEL, RBAC, SYSTEM_LEVEL},
};

const PROJECT_ROLE: &[&str] = &[RBAC, PROJECT_LEVEL];
const PROJECT_TOKEN: &[&str] = &[RBAC, CREDENTIALS, PROJECT_LEVEL];
const SYSTEM_ROLE: &[&str] = &[RBAC, SYSTEM_LEVEL];
const SYSTEM_TOKEN: &[&str] = &[RBAC, CREDENTIALS, SYSTEM_LEVEL];

const READ: &[Permission] =
    &[core("get", "serviceaccounts"), rbac("list", "rolebindings"), rbac("get", "roles")];
const LIST: &[Permission] =
    &[core("list", "serviceaccounts"), rbac("list", "rolebindings"), rbac("get", "roles")];
const CREATE: &[Permission] =
    &[core("create", "serviceaccounts"), rbac("create", "rolebindings"), rbac("create", "roles")];
const UPDATE: &[Permission] = &[
    core("get", "serviceaccounts"),
    core("update", "serviceaccounts"),
    rbac("list", "rolebindings"),
    rbac("get", "roles"),
];
const DELETE: &[Permission] =
    &[core("delete", "serviceaccounts"), rbac("delete", "rolebindings"), rbac("delete", "roles")];
const CREATE_TOKEN: &[Permission] = &[
    core("get", "serviceaccounts"),
    rbac("list", "rolebindings"),
    rbac("get", "roles"),
    core("create", "secrets"),
    core("get", "secrets"),
];

pub(super) const ROUTES: &[Route] = &[
    get("/v1beta1/projects/{project}/roles", "ListProjectRoles")
        .tags(PROJECT_ROLE)
        .gives("Any")
        .query(&[AS_RESOURCES])
        .as_caller(LIST),
    post("/v1beta1/projects/{project}/roles", "CreateProjectRole")
        .tags(PROJECT_ROLE)
        .gives("RbacRole")
        .takes("RbacRole")
        .answers(201)
        .as_caller(CREATE),
    get("/v1beta1/projects/{project}/roles/{role}", "GetProjectRole")
        .tags(PROJECT_ROLE)
        .gives("Any")
        .query(&[AS_RESOURCES])
        .as_caller(READ),
    put("/v1beta1/projects/{project}/roles/{role}", "UpdateRole")
        .tags(PROJECT_ROLE)
        .gives("RbacRole")
        .takes("RbacRole")
        .as_caller(UPDATE),
    delete("/v1beta1/projects/{project}/roles/{role}", "DeleteProjectRole")
        .tags(PROJECT_ROLE)
        .as_caller(DELETE),
    post("/v1beta1/projects/{project}/roles/grants", "Grant")
        .tags(PROJECT_ROLE)
        .gives("RbacRole")
        .takes("GrantRequest")
        .as_caller(UPDATE),
    post("/v1beta1/projects/{project}/roles/revocations", "Revoke")
        .tags(PROJECT_ROLE)
        .gives("RbacRole")
        .takes("RevokeRequest")
        .as_caller(UPDATE),
    post("/v1beta1/projects/{project}/roles/{role}/api-tokens", "CreateProjectAPIToken")
        .tags(PROJECT_TOKEN)
        .gives("V1Secret")
        .takes("CreateAPITokenRequest")
        .answers(201)
        .as_caller(CREATE_TOKEN),
    get("/v1beta1/projects/{project}/api-tokens", "ListProjectAPITokens")
        .tags(PROJECT_TOKEN)
        .gives("V1SecretList")
        .query(&[text("role")])
        .as_caller(&[core("list", "secrets")]),
    get("/v1beta1/projects/{project}/api-tokens/{apitoken}", "GetProjectAPIToken")
        .tags(PROJECT_TOKEN)
        .gives("V1Secret")
        .as_caller(&[core("get", "secrets")]),
    delete("/v1beta1/projects/{project}/api-tokens/{apitoken}", "DeleteProjectAPIToken")
        .tags(PROJECT_TOKEN)
        .as_caller(&[core("get", "secrets"), core("delete", "secrets")]),
    get("/v1beta1/system/roles", "ListSystemRoles")
        .tags(SYSTEM_ROLE)
        .gives("Any")
        .query(&[AS_RESOURCES])
        .as_caller(LIST),
    get("/v1beta1/system/roles/{role}", "GetSystemRole")
        .tags(SYSTEM_ROLE)
        .gives("Any")
        .query(&[AS_RESOURCES])
        .as_caller(READ),
    post("/v1beta1/system/roles/{role}/api-tokens", "CreateSystemAPIToken")
        .tags(SYSTEM_TOKEN)
        .gives("V1Secret")
        .takes("CreateAPITokenRequest")
        .answers(201)
        .as_caller(CREATE_TOKEN),
    get("/v1beta1/system/api-tokens", "ListSystemAPITokens")
        .tags(SYSTEM_TOKEN)
        .gives("V1SecretList")
        .query(&[text("role")])
        .as_caller(&[core("list", "secrets")]),
    get("/v1beta1/system/api-tokens/{apitoken}", "GetSystemAPIToken")
        .tags(SYSTEM_TOKEN)
        .gives("V1Secret")
        .as_caller(&[core("get", "secrets")]),
    delete("/v1beta1/system/api-tokens/{apitoken}", "DeleteSystemAPIToken")
        .tags(SYSTEM_TOKEN)
        .as_caller(&[core("get", "secrets"), core("delete", "secrets")]),
];
