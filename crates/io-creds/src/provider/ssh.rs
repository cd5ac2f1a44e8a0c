//! A private key as a Secret has it.

use core_rules::credential::Credential;
use futures::FutureExt;

use super::{Answer, FromSecret, Request};
use crate::matching::Material;

/// For Git over SSH; nothing else could use a key.
pub(crate) struct Ssh;

impl FromSecret for Ssh {
    fn answer<'a>(&'a self, request: Request<'a>, material: &'a Material) -> Answer<'a> {
        let key = material.get("sshPrivateKey").filter(|_| request.address.is_ssh());
        std::future::ready(Ok(key.cloned().map(Credential::SshKey))).boxed()
    }
}
