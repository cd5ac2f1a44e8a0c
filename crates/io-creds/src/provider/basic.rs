//! Name and password as a Secret has them.

use core_rules::credential::Credential;
use futures::FutureExt;

use super::{Answer, FromSecret, Request};
use crate::matching::Material;

/// For every kind of repository; both must be there. Git over SSH knows no passwords.
pub(crate) struct Basic;

impl FromSecret for Basic {
    fn answer<'a>(&'a self, request: Request<'a>, material: &'a Material) -> Answer<'a> {
        let login = || {
            let username = material.plain("username")?.to_owned();
            let password = material.get("password")?.clone();
            Some(Credential::Basic { username, password })
        };
        let credential = if request.address.is_ssh() { None } else { login() };
        std::future::ready(Ok(credential)).boxed()
    }
}
