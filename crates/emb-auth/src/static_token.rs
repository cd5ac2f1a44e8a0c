//! A bearer token known at start, such as the administrator's; only its hash is kept.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::Identity;

/// A fixed token and who it stands for.
#[derive(Clone, Debug)]
pub struct StaticToken {
    hash: [u8; 32],
    identity: Identity,
}

impl StaticToken {
    /// A token whose bearer is `identity`.
    pub fn new(token: &str, identity: Identity) -> Self {
        Self { hash: Sha256::digest(token).into(), identity }
    }

    /// The bearer, if `token` is this one. Takes the same time for every wrong token.
    pub fn check(&self, token: &str) -> Option<&Identity> {
        let hash: [u8; 32] = Sha256::digest(token).into();
        bool::from(hash.ct_eq(&self.hash)).then_some(&self.identity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_itself_is_accepted() {
        let token = StaticToken::new("secret", Identity::admin());
        assert_eq!(token.check("secret").map(|identity| identity.user.as_str()), Some("admin"));
        assert!(token.check("secret ").is_none());
        assert!(!format!("{token:?}").contains("secret"));
    }
}
