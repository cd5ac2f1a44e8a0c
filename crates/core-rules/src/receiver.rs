//! Webhook receivers: where senders reach them.

use core_pattern::{Uri, UriError};

use crate::digest::sha256_hex;

/// Where a receiver is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverAddress {
    /// The path that is served and looked up.
    pub path: String,
    /// The complete address to give to the sender.
    pub url: String,
}

/// What makes a receiver's address.
#[derive(Clone, Copy, Debug)]
pub struct Receiver<'a> {
    /// The kind, such as `github`.
    pub kind: &'a str,
    /// The Project, or nothing for a receiver of the whole system.
    pub project: &'a str,
    /// The receiver's name.
    pub name: &'a str,
    /// The values of its secret.
    pub secret_values: &'a [&'a str],
}

/// The address of a receiver beneath `base_url`. It cannot be guessed without the secret and
/// changes with it.
pub fn receiver_address(
    base_url: &str,
    receiver: &Receiver<'_>,
) -> Result<ReceiverAddress, UriError> {
    let hashed = [&[receiver.project, receiver.name], receiver.secret_values].concat().concat();
    let url = Uri::parse(base_url)?.joined(&[receiver.kind, &sha256_hex(hashed.as_bytes())])?;
    Ok(ReceiverAddress { path: url.encoded_path(), url: url.to_string() })
}

#[cfg(test)]
mod tests {
    use super::{Receiver, receiver_address};

    #[test]
    fn the_address_hides_the_secret_beneath_the_base() {
        let receiver =
            Receiver { kind: "gitlab", project: "demo", name: "r", secret_values: &["x"] };
        let address = receiver_address("https://acme.io/hooks/", &receiver).unwrap();
        let hash = "4dc014e643dbed07cc344e4c1770e6f5a95cead7cfb301cc4dcf25c0e0837482";
        assert_eq!(address.path, format!("/hooks/gitlab/{hash}"));
        assert_eq!(address.url, format!("https://acme.io/hooks/gitlab/{hash}"));
        assert!(receiver_address("://bad", &receiver).is_err());
    }
}
