//! Real servers of the outside world, started and stopped by the test that needs them.

mod bucket;
mod chart;
mod git_http;
mod git_repository;
mod http_server;
pub mod registry;
pub mod scm;
mod ssh;
mod tls_front;
mod toxic;
pub mod webhook;

pub use bucket::BucketServer;
pub use chart::ChartServer;
pub use git_http::{Behaviour, GitHttp, Seen};
pub use git_repository::GitRepository;
pub use http_server::HttpServer;
pub use ssh::{SshServer, missing_sshd};
pub use tls_front::TlsFront;
pub use toxic::{ToxicProxy, Toxin};
