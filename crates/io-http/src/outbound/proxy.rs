//! Proxies as the environment names them.

use core_clock::Environment;
use reqwest::{NoProxy, Proxy, Url};

/// Never proxied, whatever the environment says: a proxy's own loopback is not ours.
const ALWAYS_DIRECT: &str = "localhost,127.0.0.0/8,::1";

/// Which proxies to use; the addresses may hold credentials, so there is no `Debug`.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Proxies {
    http: Option<String>,
    https: Option<String>,
    direct: Option<String>,
    everything: Option<Url>,
}

impl Proxies {
    /// `http_proxy`, `https_proxy`, `no_proxy`, in lower or upper case.
    pub(super) fn from_environment(environment: &dyn Environment) -> Self {
        let var = |name: &str| {
            let value = environment.var(name).or_else(|| environment.var(&name.to_uppercase()));
            value.filter(|value| !value.trim().is_empty())
        };
        Self {
            http: var("http_proxy"),
            https: var("https_proxy"),
            direct: var("no_proxy"),
            everything: None,
        }
    }

    /// One proxy for everything.
    pub(super) fn only(address: Url) -> Self {
        Self { everything: Some(address), ..Self::default() }
    }

    /// The proxies in the client's terms; an error names the variable, never its value.
    pub(super) fn build(&self) -> Result<Vec<Proxy>, &'static str> {
        if let Some(address) = &self.everything {
            return Ok(vec![Proxy::all(address.clone()).map_err(|_| "proxy")?]);
        }
        let list = self
            .direct
            .as_deref()
            .map_or_else(|| ALWAYS_DIRECT.to_owned(), |direct| format!("{direct},{ALWAYS_DIRECT}"));
        let direct = NoProxy::from_string(&list);
        let mut proxies = Vec::new();
        if let Some(address) = &self.http {
            proxies.push(
                Proxy::http(with_scheme(address))
                    .map_err(|_| "http_proxy")?
                    .no_proxy(direct.clone()),
            );
        }
        if let Some(address) = &self.https {
            proxies.push(
                Proxy::https(with_scheme(address)).map_err(|_| "https_proxy")?.no_proxy(direct),
            );
        }
        Ok(proxies)
    }
}

/// `proxy:3128` is a common way to write `http://proxy:3128`.
fn with_scheme(address: &str) -> String {
    if address.contains("://") { address.to_owned() } else { format!("http://{address}") }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    #[test]
    fn both_cases_are_read_and_lower_case_wins() {
        let environment: FixedEnvironment = [
            ("HTTP_PROXY", "upper:1"),
            ("http_proxy", "lower:2"),
            ("HTTPS_PROXY", "http://secure:3"),
        ]
        .into_iter()
        .collect();
        let proxies = Proxies::from_environment(&environment);
        assert_eq!(proxies.http.as_deref(), Some("lower:2"));
        assert_eq!(proxies.https.as_deref(), Some("http://secure:3"));
        assert_eq!(proxies.build().unwrap().len(), 2);
    }

    #[test]
    fn a_proxy_that_is_no_address_is_named_by_its_variable() {
        let environment: FixedEnvironment = [("https_proxy", "http://")].into_iter().collect();
        assert_eq!(Proxies::from_environment(&environment).build().err(), Some("https_proxy"));
    }
}
