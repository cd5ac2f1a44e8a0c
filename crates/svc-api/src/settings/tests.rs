use core_clock::FixedEnvironment;

use super::Settings;

const HASH: &str = "$2a$10$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.";

fn settings(variables: &[(&str, &str)]) -> Result<Settings, String> {
    let environment: FixedEnvironment = variables.iter().copied().collect();
    Settings::from_environment(&environment).map_err(|error| error.to_string())
}

fn admin(name: &'static str, value: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut variables = vec![
        ("ADMIN_ACCOUNT_ENABLED", "true"),
        ("ADMIN_ACCOUNT_PASSWORD_HASH", HASH),
        ("ADMIN_ACCOUNT_TOKEN_SIGNING_KEY", "0123456789abcdef0123456789abcdef"),
        ("ADMIN_ACCOUNT_TOKEN_ISSUER", "https://kargo.example.com"),
        ("ADMIN_ACCOUNT_TOKEN_AUDIENCE", "kargo.example.com"),
    ];
    variables.push((name, value));
    variables
}

#[test]
fn nothing_is_needed() {
    let defaults = settings(&[]).unwrap();
    assert_eq!(defaults.address.to_string(), "0.0.0.0:8080");
    assert_eq!(defaults.grace.as_secs(), 30);
    assert_eq!(defaults.namespace, "kargo");
    assert!(defaults.admin.is_none() && defaults.oidc.is_none());
    assert!(defaults.rollouts);
    assert_eq!(defaults.expensive_queries, 16);
}

#[test]
fn somebody_can_always_ask_for_much() {
    assert_eq!(settings(&[("API_MAX_EXPENSIVE_QUERIES", "1")]).unwrap().expensive_queries, 1);
    assert!(settings(&[("API_MAX_EXPENSIVE_QUERIES", "0")]).is_err());
}

#[test]
fn urls_of_argo_cd_are_read_by_shard_and_blanks_do_not_count() {
    let read = settings(&[("ARGOCD_URLS", " =https://a , b = https://b,, ")]).unwrap();
    let urls: Vec<_> = read.argocd_urls.iter().map(|(s, u)| (s.as_str(), u.as_str())).collect();
    assert_eq!(urls, [("", "https://a"), ("b", "https://b")]);
}

#[test]
fn the_provider_is_asked_for_the_usual_scopes_first() {
    let read = settings(&[
        ("OIDC_ENABLED", "true"),
        ("OIDC_ISSUER_URL", "https://id.example.com"),
        ("OIDC_CLIENT_ID", "web"),
        ("OIDC_ADDITIONAL_SCOPES", "groups"),
        ("OIDC_USERNAME_CLAIM", ""),
        ("GLOBAL_SERVICE_ACCOUNT_NAMESPACES", "kargo,global"),
    ])
    .unwrap();
    let oidc = read.oidc.unwrap();
    assert_eq!(oidc.scopes, ["openid", "profile", "email", "groups"]);
    assert_eq!(oidc.username_claim, "email");
    assert_eq!(oidc.global_namespaces, ["kargo", "global"]);
}

#[test]
fn logs_need_rollouts() {
    let template = ("ANALYSIS_RUN_LOG_URL_TEMPLATE", "https://logs/${{ jobName }}");
    assert!(settings(&[template]).unwrap().analysis_logs.is_some());
    let off = [template, ("ROLLOUTS_INTEGRATION_ENABLED", "false")];
    assert!(settings(&off).unwrap().analysis_logs.is_none());
}

#[test]
fn a_bad_value_is_named_and_a_secret_one_is_not_repeated() {
    let lines: Vec<String> = [
        vec![("PORT", "99999")],
        vec![("BIND_ADDRESS", "somewhere")],
        vec![("GRACEFUL_SHUTDOWN_TIMEOUT", "soon")],
        vec![("TLS_ENABLED", "maybe")],
        vec![("TLS_ENABLED", "true")],
        vec![("ARGOCD_URLS", "https://a")],
        vec![("ADMIN_ACCOUNT_ENABLED", "true")],
        admin("ADMIN_ACCOUNT_PASSWORD_HASH", "hunter2"),
        admin("ADMIN_ACCOUNT_TOKEN_SIGNING_KEY", "short"),
        admin("ADMIN_ACCOUNT_TOKEN_TTL", "0"),
        vec![("OIDC_ENABLED", "true")],
        vec![
            ("ANALYSIS_RUN_LOG_URL_TEMPLATE", "https://l"),
            ("ANALYSIS_RUN_LOG_HTTP_HEADERS", "token"),
        ],
    ]
    .into_iter()
    .map(|variables| settings(&variables).err().unwrap())
    .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    PORT: "99999" is not a number from 0 to 65535
    BIND_ADDRESS: "somewhere" is not an address of this machine, such as 0.0.0.0
    GRACEFUL_SHUTDOWN_TIMEOUT: "soon" is not a duration such as 90s or 1h30m
    TLS_ENABLED: "maybe" is not true or false
    TLS_CERT_PATH: must be set to the path of a certificate in PEM form
    ARGOCD_URLS: "https://a" is not of the form shard=url
    ADMIN_ACCOUNT_PASSWORD_HASH: must be set to the bcrypt hash of a password
    ADMIN_ACCOUNT_PASSWORD_HASH: "***" is not a bcrypt hash, such as $2a$10$…
    ADMIN_ACCOUNT_TOKEN_SIGNING_KEY: "***" is not 32 bytes or more
    ADMIN_ACCOUNT_TOKEN_TTL: "0" is not a duration above zero, such as 90s or 1h30m
    OIDC_ISSUER_URL: must be set to the URL of the issuer
    ANALYSIS_RUN_LOG_HTTP_HEADERS: "***" is not of the form name=value,name=value
    "#);
}
