//! Where credentials come from: what a Secret holds, or who this process is.
//!
//! Two visible lists, asked in order; nothing registers itself. A provider answers "none" when a
//! repository or a Secret is not its business, and then the next one is asked. An error ends the
//! search: with another credential the lookup would succeed for the wrong reason.

mod acr;
mod aws;
mod basic;
mod call;
mod ecr;
mod error;
mod gar;
mod github_app;
mod jwt;
mod ssh;
mod token_file;

use core_rules::credential::Credential;
use futures::future::BoxFuture;
use io_http::outbound::Outbound;
use io_kube::Ports;

use crate::{
    Settings,
    matching::{Address, Material},
};

pub use self::{
    aws::{AwsKeys, AwsKeysError},
    error::ProviderError,
};

/// Who wants a credential, and for what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) project: &'a str,
    pub(crate) address: &'a Address,
}

pub(crate) type Answer<'a> = BoxFuture<'a, Result<Option<Credential>, ProviderError>>;

/// A provider that makes a credential of what a Secret holds.
pub(crate) trait FromSecret: Send + Sync {
    fn answer<'a>(&'a self, request: Request<'a>, material: &'a Material) -> Answer<'a>;
}

/// A provider that makes a credential of the identity of this process.
pub(crate) trait Ambient: Send + Sync {
    /// Whose identity it is, for messages.
    fn cloud(&self) -> &'static str;
    fn answer<'a>(&'a self, request: Request<'a>) -> Answer<'a>;
}

/// All providers, in the order in which they are asked.
pub(crate) struct Providers {
    pub(crate) from_secret: Vec<Box<dyn FromSecret>>,
    pub(crate) ambient: Vec<Box<dyn Ambient>>,
}

impl Providers {
    /// The providers that `settings` enable.
    pub(crate) fn new(settings: &Settings, outbound: Outbound, ports: &Ports) -> Self {
        if !settings.providers_enabled {
            return Self { from_secret: Vec::new(), ambient: Vec::new() };
        }
        let caller = call::Caller::new(outbound);
        Self {
            from_secret: vec![
                Box::new(basic::Basic),
                Box::new(ecr::AccessKey::new(settings, &caller, ports)),
                Box::new(gar::ServiceAccountKey::new(&caller, ports)),
                Box::new(github_app::GithubApp::new(&caller, ports)),
                Box::new(ssh::Ssh),
            ],
            ambient: vec![
                Box::new(acr::WorkloadIdentity::new(settings, &caller, ports)),
                Box::new(ecr::ManagedIdentity::new(settings, &caller, ports)),
                Box::new(gar::WorkloadIdentity::new(settings, &caller, ports)),
            ],
        }
    }
}
