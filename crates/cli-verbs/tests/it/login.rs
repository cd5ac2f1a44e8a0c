//! `login` and the refresh of tokens.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use cli_client::fake::Script;
use insta::assert_snapshot;
use ring::{
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair as _},
};
use serde_json::{Value, json};

use crate::harness::{Drawer, Kargo, at};

const ISSUER: &str = "https://idp.test/dex";

fn public(oidc: bool) -> Value {
    let mut config = json!({ "adminAccountEnabled": true, "skipAuth": false });
    if oidc {
        config["oidcConfig"] = json!({ "issuerUrl": ISSUER, "clientId": "web", "cliClientId": "cli", "scopes": ["openid"] });
    }
    config
}

/// An identity provider with a key of its own.
struct Provider {
    key: Ed25519KeyPair,
}

impl Provider {
    fn new() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self { key: Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap() }
    }

    fn token(&self, claims: &Value) -> String {
        let encode = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let head = json!({ "alg": "EdDSA", "kid": "k" });
        let signed = format!("{}.{}", encode(&head), encode(claims));
        let signature = self.key.sign(signed.as_bytes());
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }

    fn script(&self, token: &str) -> Script {
        self.added_to(Script::new(), token)
    }

    /// Its answers after those that come first.
    fn added_to(&self, first: Script, token: &str) -> Script {
        let discovery = json!({
            "issuer": ISSUER, "authorization_endpoint": "https://idp.test/auth", "token_endpoint": "https://idp.test/token",
            "device_authorization_endpoint": "https://idp.test/device", "jwks_uri": "https://idp.test/keys",
            "scopes_supported": ["openid", "offline_access"] });
        let point = BASE64_URL_SAFE_NO_PAD.encode(self.key.public_key());
        let keys = json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": "k", "use": "sig", "x": point }] });
        first
            .on(&at("GET system/public-server-config"), 200, public(true))
            .on(&format!("GET {ISSUER}/.well-known/openid-configuration"), 200, discovery)
            .on("GET https://idp.test/keys", 200, keys)
            .on(
                "POST https://idp.test/token",
                200,
                json!({ "id_token": token, "refresh_token": "refresh-2" }),
            )
    }
}

fn claims(nonce: &str) -> Value {
    json!({ "iss": ISSUER, "aud": "cli", "exp": 1_767_330_000, "nonce": nonce, "sub": "me" })
}

/// The random texts of a login, which the seed of the tests decides.
fn drawn() -> (String, String) {
    let provider = Provider::new();
    let told = Kargo::stranger(provider.script("x")).run("login https://kargo.test --sso");
    let url = told.split("(browser opens ").nth(1).unwrap();
    let query = url.split('?').nth(1).unwrap().split(')').next().unwrap();
    let part = |name: &str| {
        let found = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
        found.unwrap().to_owned()
    };
    (part("state"), part("nonce"))
}

#[test]
fn the_admin_logs_in_with_a_password() {
    let script = || {
        Script::new().on(&at("GET system/public-server-config"), 200, public(false)).on(
            &at("POST login"),
            200,
            json!({ "idToken": "admin-token" }),
        )
    };
    let kargo = Kargo::stranger(script());
    assert_snapshot!(kargo.run("login kargo.test --admin"));
    assert_snapshot!("admin_stored", kargo.stored());
    let again = Kargo::stranger(script())
        .config("authMethod: admin\napiAddress: https://kargo.test\nproject: p\n");
    assert_snapshot!(again.run("login --password x"));
    assert_snapshot!("admin_stored_again", again.stored());
}

#[test]
fn a_wrong_password_and_a_server_without_admin_are_told() {
    let script = Script::new().on(&at("GET system/public-server-config"), 200, public(false)).on(
        &at("POST login"),
        403,
        json!({ "error": "invalid password" }),
    );
    assert_snapshot!(Kargo::stranger(script).run("login kargo.test --admin --password x"));
    let script = Script::new().on(&at("GET system/public-server-config"), 200, json!({}));
    let kargo = Kargo::stranger(script);
    assert_snapshot!(kargo.run("login kargo.test --admin"));
    assert_snapshot!(kargo.run("login kargo.test --sso"));
    assert_snapshot!(kargo.run("login kargo.test"));
    assert_snapshot!(kargo.run("login --admin"));
    assert_snapshot!(kargo.run("login kargo.test --admin --sso"));
}

#[test]
fn a_kubeconfig_has_a_token_or_is_of_no_use() {
    let mut kargo = Kargo::stranger(Script::new());
    assert_snapshot!(kargo.run("login kargo.test --kubeconfig --insecure-skip-tls-verify"));
    assert_snapshot!("kubeconfig_stored", kargo.stored());
    kargo.run("login kargo.test --kubeconfig --service-account kargo/robot");
    assert!(kargo.stored().contains("token of kargo/robot"));
    kargo.cluster_token = Err("its current context has a client certificate".to_owned());
    assert_snapshot!(kargo.run("login kargo.test --kubeconfig"));
}

#[test]
fn single_sign_on_with_a_browser() {
    let (state, nonce) = drawn();
    let provider = Provider::new();
    let token = provider.token(&claims(&nonce));
    let mut kargo = Kargo::stranger(provider.script(&token));
    kargo.callbacks = vec![
        ("/favicon.ico".to_owned(), String::new()),
        ("/auth/callback".to_owned(), format!("state={state}&code=c0de")),
    ];
    let told = kargo.run("login kargo.test --sso");
    assert!(told.ends_with("exit 0"), "{told}");
    assert!(told.contains("grant_type=authorization_code&client_id=cli&code=c0de"), "{told}");
    assert!(
        told.contains("offline_access") && told.contains("code_challenge_method=S256"),
        "{told}"
    );
    let stored = kargo.stored();
    assert!(stored.contains(&token) && stored.contains("refreshToken: refresh-2"), "{stored}");
}

#[test]
fn an_address_that_is_given_inherits_nothing_even_if_it_is_the_stored_one() {
    const STORED: &str = "authMethod: sso\napiAddress: https://kargo.test\ncallbackPort: 8085\n";
    let login =
        |command: &str| Kargo::stranger(Provider::new().script("x")).config(STORED).run(command);
    let stored = login("login");
    assert!(stored.contains("localhost%3A8085"), "{stored}");
    for address in ["kargo.test", "https://kargo.test", "https://kargo.test/"] {
        let without_method = login(&format!("login {address}"));
        let required = "at least one of the flags in the group [admin kubeconfig sso] is required";
        assert!(without_method.contains(required), "{without_method}");
        let without_port = login(&format!("login {address} --sso"));
        assert!(without_port.contains("localhost%3A40000"), "{without_port}");
    }
}

#[test]
fn a_login_that_cannot_be_believed_is_not_kept() {
    let (state, nonce) = drawn();
    let provider = Provider::new();
    let stranger = Provider::new().token(&claims(&nonce));
    let with = |change: fn(&mut Value)| {
        let mut claims = claims(&nonce);
        change(&mut claims);
        provider.token(&claims)
    };
    let cases = [
        ("is not of the identity provider", stranger),
        ("another provider issued it", with(|claims| claims["iss"] = json!("https://evil.test"))),
        ("it is for another client", with(|claims| claims["aud"] = json!(["web"]))),
        ("it is over", with(|claims| claims["exp"] = json!(1))),
        ("it is of another login", with(|claims| claims["nonce"] = json!("x"))),
        ("it is no JWT", "opaque".to_owned()),
    ];
    for (reason, token) in cases {
        let mut kargo = Kargo::stranger(provider.script(&token));
        kargo.callbacks = vec![("/auth/callback".to_owned(), format!("state={state}&code=c"))];
        let told = kargo.run("login kargo.test --sso");
        assert!(told.contains(reason) && kargo.stored().is_empty(), "{reason}: {told}");
    }
    let mut kargo = Kargo::stranger(provider.script("x"));
    kargo.callbacks = vec![("/auth/callback".to_owned(), "state=forged&code=c".to_owned())];
    let told = kargo.run("login kargo.test --sso");
    assert!(told.contains("(page 400)") && told.ends_with("exit 4"), "{told}");
}

#[test]
fn a_user_who_never_comes_back_is_not_waited_for_forever() {
    let told = Kargo::stranger(Provider::new().script("x")).run("login kargo.test --sso");
    assert!(told.contains("timed out waiting for user to complete authentication"), "{told}");
    assert!(told.ends_with("exit 6"), "{told}");
}

#[test]
fn a_code_on_another_device_needs_no_browser() {
    let provider = Provider::new();
    let token = provider.token(&claims(""));
    let device = json!({ "device_code": "d", "user_code": "ABCD-EFGH", "verification_uri": "https://idp.test/go" });
    let pending = json!({ "error": "authorization_pending" });
    let script = Script::new().on("POST https://idp.test/device", 200, device).on(
        "POST https://idp.test/token",
        400,
        pending,
    );
    let kargo = Kargo::stranger(provider.added_to(script, &token));
    let told = kargo.run("login kargo.test --sso --no-browser");
    assert!(
        told.contains("Open https://idp.test/go on any device and confirm this code: ABCD-EFGH"),
        "{told}"
    );
    assert!(told.ends_with("exit 0") && kargo.stored().contains(&token), "{told}");
}

#[test]
fn a_token_that_is_over_is_refreshed_and_kept() {
    let provider = Provider::new();
    let fresh = provider.token(&claims(""));
    let over = provider.token(&json!({ "exp": 1_700_000_000 }));
    let config = format!(
        "authMethod: sso\napiAddress: https://kargo.test\nbearerToken: {over}\nrefreshToken: refresh-1\n"
    );
    let script = provider.script(&fresh).on(&at("GET projects"), 200, json!({ "items": [] }));
    let kargo = Kargo::stranger(script).config(&config);
    let told = kargo.run("get projects");
    assert!(told.ends_with("exit 0"), "{told}");
    assert!(
        told.contains("grant_type=refresh_token&client_id=cli&refresh_token=refresh-1"),
        "{told}"
    );
    assert!(kargo.stored().contains(&fresh) && kargo.stored().contains("refresh-2"));
}

#[test]
fn a_token_is_refreshed_as_the_web_client_where_the_command_line_has_none() {
    let provider = Provider::new();
    let mut claims = claims("");
    claims["aud"] = json!("web");
    let fresh = provider.token(&claims);
    let over = provider.token(&json!({ "exp": 1_700_000_000 }));
    let config = format!(
        "authMethod: sso\napiAddress: https://kargo.test\nbearerToken: {over}\nrefreshToken: refresh-1\n"
    );
    let mut public = public(true);
    public["oidcConfig"]["cliClientId"] = json!("");
    let first = Script::new().on(&at("GET system/public-server-config"), 200, public);
    let script =
        provider.added_to(first, &fresh).on(&at("GET projects"), 200, json!({ "items": [] }));
    let told = Kargo::stranger(script).config(&config).run("get projects");
    assert!(told.ends_with("exit 0"), "{told}");
    assert!(told.contains("grant_type=refresh_token&client_id=web&"), "{told}");
}

#[test]
fn a_token_that_is_over_and_cannot_be_refreshed_ends_the_session() {
    let over = Provider::new().token(&json!({ "exp": 1_700_000_000 }));
    let config = format!("apiAddress: https://kargo.test\nbearerToken: {over}\n");
    let told = Kargo::stranger(Script::new()).config(&config).run("get projects");
    assert_snapshot!(told);
    let config = format!("{config}refreshToken: r\n");
    let kargo = Kargo::stranger(Script::new()).config(&config);
    assert_snapshot!(kargo.run("get projects --verbose"));
    assert!(kargo.stored().contains("refreshToken: r"));
}

#[test]
fn tokens_are_in_the_keyring_where_there_is_one() {
    let script = Script::new().on(&at("GET projects"), 200, json!({ "items": [] }));
    let mut kargo = Kargo::stranger(script);
    let drawer = std::sync::Arc::new(Drawer::default());
    kargo.keyring = Some(drawer.clone());
    let login = kargo.run("login kargo.test --kubeconfig");
    assert!(login.ends_with("exit 0"), "{login}");
    assert!(!kargo.stored().contains("cluster-token"), "{}", kargo.stored());
    assert!(kargo.stored().contains("tokenStore: keyring"));
    let listed = kargo.run("get projects");
    assert!(listed.ends_with("exit 0"), "{listed}");
    // What the keyring does not give now is not lost.
    kargo.keyring = None;
    assert!(kargo.run("get projects").ends_with("exit 4"));
    assert!(kargo.run("config set-project p").ends_with("exit 0"));
    kargo.keyring = Some(drawer.clone());
    assert!(kargo.run("get projects").ends_with("exit 0"));
    assert!(kargo.run("logout").ends_with("exit 0"));
    assert!(drawer.0.lock().is_empty());
}
