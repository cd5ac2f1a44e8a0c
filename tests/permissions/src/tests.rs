//! The proof on the embedded engine, and that the tables are complete.

use core_rules::access::{Component, SystemRole};
use dev_testkit::engine::Engine;

use crate::{catalog::RESOURCES, install, proof, table::ROWS};

#[tokio::test]
async fn every_identity_may_do_what_it_must_and_nothing_else() {
    let engine = Engine::start().await.unwrap();
    let client = engine.admin_client();
    install::install(&client).await.unwrap();
    let outcome = proof::prove(&client).await.unwrap();
    assert!(outcome.differences.is_empty(), "{outcome}");
    assert!(outcome.allowed > 1000 && outcome.refused > outcome.allowed, "{outcome}");
}

#[test]
fn every_component_and_role_has_a_row() {
    let accounts = Component::ALL.map(Component::service_account);
    let roles = SystemRole::ALL.map(SystemRole::name);
    for account in accounts.into_iter().chain(roles) {
        assert!(ROWS.iter().any(|row| row.account == account), "{account}");
    }
}

#[test]
fn every_kind_is_asked_about() {
    for crd in api_kinds::crd::crds() {
        let plural = format!("kargo:{}", crd["spec"]["names"]["plural"].as_str().unwrap());
        assert!(RESOURCES.contains(&plural.as_str()), "{plural}");
    }
}
