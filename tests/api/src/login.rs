//! Logins at Dex, and what comes of them.

use anyhow::{Result, ensure};
use http::Method;
use serde_json::json;

use crate::{
    browser::VERIFIER,
    dex::{CLI, GROUP, OTHER, WEB},
    world::{OTHER_PROJECT, PROJECT, World},
};

fn stages(project: &str) -> String {
    format!("/projects/{project}/stages")
}

pub(crate) async fn configuration(world: &World) -> Result<()> {
    let url = format!("{}/v1beta1/system/public-server-config", world.url);
    let page = world.browser.send(Method::GET, &url, None, None).await?;
    let expected = json!({"issuerUrl": world.issuer, "clientId": WEB, "cliClientId": CLI,
        "scopes": ["openid", "profile", "email", "groups"]});
    ensure!(page.json()["oidcConfig"] == expected, "{}", page.text);
    Ok(())
}

pub(crate) async fn proxy(world: &World) -> Result<()> {
    let path = format!("{}/.well-known/openid-configuration", world.issuer);
    let page = world.browser.send(Method::GET, &path, None, None).await?;
    ensure!(page.json()["issuer"] == world.issuer, "{}", page.text);
    for path in ["/dex", "/dexter/", "/dex/%2e%2e/healthz", "/dex/..%2f..%2fhealthz"] {
        let page =
            world.browser.send(Method::GET, &format!("{}{path}", world.url), None, None).await?;
        // The library of the test resolves dots itself, where it knows them.
        ensure!(page.status == 404 || page.text == "ok", "{path}: {} {}", page.status, page.text);
    }
    Ok(())
}

pub(crate) async fn group(world: &World) -> Result<()> {
    let token = world.browser.id_token(&world.issuer, WEB).await?;
    world.until(200, &stages(PROJECT), &token).await?;
    let refused = world.get(&stages(OTHER_PROJECT), &token).await?;
    ensure!(refused.status == 403, "{} {}", refused.status, refused.text);
    let path = format!("{}/v1beta1/projects/{PROJECT}/stages/x", world.url);
    let write = world.browser.send(Method::DELETE, &path, Some(&token), None).await?;
    ensure!(write.status == 403, "a viewer deletes: {} {}", write.status, write.text);
    Ok(())
}

pub(crate) async fn verifier(world: &World) -> Result<()> {
    for wrong in ["", "another-verifier-that-is-long-enough-for-the-rules-of-pkce-987654"] {
        let code = world.browser.log_in(&world.issuer, WEB).await?;
        let page = world.browser.trade(&world.issuer, WEB, &code, wrong).await?;
        ensure!(page.status == 400, "{wrong:?}: {} {}", page.status, page.text);
    }
    let code = world.browser.log_in(&world.issuer, WEB).await?;
    let page = world.browser.trade(&world.issuer, WEB, &code, VERIFIER).await?;
    ensure!(page.status == 200, "{} {}", page.status, page.text);
    let again = world.browser.trade(&world.issuer, WEB, &code, VERIFIER).await?;
    ensure!(again.status == 400, "a code is worth something once: {}", again.status);
    Ok(())
}

pub(crate) async fn clients(world: &World) -> Result<()> {
    let cli = world.browser.id_token(&world.issuer, CLI).await?;
    world.until(200, &stages(PROJECT), &cli).await?;
    let other = world.browser.id_token(&world.issuer, OTHER).await?;
    let page = world.get(&stages(PROJECT), &other).await?;
    ensure!(page.status == 401, "{} {}", page.status, page.text);
    Ok(())
}

pub(crate) async fn forged(world: &World) -> Result<()> {
    let token = world.browser.id_token(&world.issuer, WEB).await?;
    let other = world.browser.id_token(&world.issuer, CLI).await?;
    let parts: Vec<&str> = token.split('.').collect();
    let signature = other.rsplit('.').next().unwrap_or_default();
    for bad in [
        format!("{}.{}.{signature}", parts[0], parts[1]),
        format!("{}.{}.", parts[0], parts[1]),
        format!("eyJhbGciOiJub25lIn0.{}.", parts[1]),
    ] {
        let page = world.get(&stages(PROJECT), &bad).await?;
        ensure!(page.status == 401, "{bad}: {} {}", page.status, page.text);
    }
    Ok(())
}

pub(crate) async fn revoked(world: &World) -> Result<()> {
    let token = world.browser.id_token(&world.issuer, WEB).await?;
    world.until(200, &stages(PROJECT), &token).await?;
    world.set_viewers(&["others"]).await?;
    world.until(403, &stages(PROJECT), &token).await?;
    world.set_viewers(&[GROUP]).await?;
    world.until(200, &stages(PROJECT), &token).await
}

pub(crate) async fn rotated(world: &World) -> Result<()> {
    let old = world.browser.id_token(&world.issuer, WEB).await?;
    world.until(200, &stages(PROJECT), &old).await?;
    world.dex.lock().await.restart().await?;
    world.await_dex().await?;
    let fresh = world.browser.id_token(&world.issuer, WEB).await?;
    world.until(200, &stages(PROJECT), &fresh).await
}
