//! Name resolution under the dial policy: what a name resolves to is judged, not the name.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{Error, Policy};

/// Resolves with the system's resolver and leaves out what the policy refuses. The connector dials
/// exactly the addresses returned here, so a second answer of the name server changes nothing.
pub(super) struct GuardedResolver {
    policy: Policy,
}

impl GuardedResolver {
    pub(super) fn new(policy: Policy) -> Self {
        Self { policy }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = self.policy.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found = tokio::net::lookup_host((host.as_str(), 0)).await;
            let found = found.map_err(|_| Error::Name { host: host.clone() })?;
            Ok(allowed(&policy, &host, found)?)
        })
    }
}

fn allowed(
    policy: &Policy,
    host: &str,
    found: impl Iterator<Item = SocketAddr>,
) -> Result<Addrs, Error> {
    let mut refused = None;
    let mut allowed = Vec::new();
    for address in found {
        match policy.check(address.ip()) {
            Ok(()) => allowed.push(address),
            Err(refusal) => {
                refused.get_or_insert(Error::Refused {
                    host: host.to_owned(),
                    address: address.ip(),
                    refusal,
                });
            }
        }
    }
    match refused {
        Some(error) if allowed.is_empty() => Err(error),
        _ => Ok(Box::new(allowed.into_iter())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> Vec<SocketAddr> {
        list.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 0)).collect()
    }

    #[test]
    fn refused_addresses_are_left_out_and_a_name_with_no_other_is_refused() {
        let policy = Policy::default();
        let mixed = addresses(&["169.254.169.254", "10.0.0.7"]);
        let kept: Vec<_> = allowed(&policy, "mixed.example", mixed.into_iter()).unwrap().collect();
        assert_eq!(kept, addresses(&["10.0.0.7"]));
        let metadata = addresses(&["169.254.169.254"]);
        let Err(error) = allowed(&policy, "rebound.example", metadata.into_iter()) else {
            panic!("a metadata address was let through")
        };
        assert_eq!(
            error.to_string(),
            "rebound.example is not dialled: its address 169.254.169.254 is refused, because \
             link-local addresses are never dialled"
        );
    }
}
