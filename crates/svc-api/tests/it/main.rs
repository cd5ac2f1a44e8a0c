//! The server over HTTP, on the embedded engine.

#![expect(clippy::disallowed_methods, reason = "the tests run on the real clock and runtime")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

mod action;
mod advisory;
mod apply;
mod attack;
mod connection;
mod credential;
mod edge;
mod fault;
mod front;
mod fuzz;
mod grpc;
mod listing;
mod log;
mod login;
mod oidc;
mod ours;
mod permission;
mod provider;
mod read;
mod resource;
mod response;
mod role;
mod route;
mod stream;
mod system;
mod table;
mod target;
mod world;

#[test]
fn no_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let names = std::fs::read_dir(here).unwrap().map(|entry| entry.unwrap().file_name());
    let text = include_str!("main.rs");
    for name in names {
        let name = name.to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".rs") else { continue };
        assert!(name == "main" || text.contains(&format!("mod {name};")), "{name}");
    }
}
