//! Where a repository is and how to log in to it.
//!
//! A user name and password written into an http URL are taken out of it at once and become the credential: from then on
//! no URL, argument, file or message holds them.

use std::{fmt, path::PathBuf};

use core_rules::{
    credential::{Credential, Secret},
    digest::hex,
};
use io_http::outbound::Tls;
use sha2::{Digest, Sha256};
use url::Url;

use crate::error::{Error, Offered};

/// A repository as a subscription names it.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its URL as the user wrote it: http(s), ssh or `user@host:path`.
    pub url: String,
    /// How to log in; a password serves http(s), a key SSH.
    pub credential: Option<Credential>,
    /// How far to trust an https server.
    pub tls: Tls,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may hold a password.
        match Target::of(self) {
            Ok(target) => write!(f, "Remote({target})"),
            Err(_) => f.write_str("Remote(an unusable URL)"),
        }
    }
}

/// What to dial.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Address {
    Http(Url),
    Ssh(SshAddress),
    /// Only where the settings allow it.
    File(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SshAddress {
    pub(crate) user: Option<String>,
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
    pub(crate) path: String,
}

/// A remote whose URL was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) address: Address,
    pub(crate) credential: Option<Credential>,
    pub(crate) tls: Tls,
}

impl Target {
    pub(crate) fn of(remote: &Remote) -> Result<Self, Error> {
        let (address, in_url) = parse(&remote.url)?;
        let credential = match (&address, &remote.credential) {
            (Address::Http(_), Some(Credential::Basic { username, password })) => {
                Some(Credential::basic(one_line(username)?, one_line(password.expose())?))
            }
            (Address::Http(_), None) => in_url,
            (Address::Ssh(_), Some(key @ Credential::SshKey(_))) => Some(key.clone()),
            // A key says nothing to a web server, nor a password to ssh in batch mode.
            _ => None,
        };
        Ok(Self { address, credential, tls: remote.tls.clone() })
    }

    /// The host, for messages.
    pub(crate) fn host(&self) -> String {
        match &self.address {
            Address::Http(url) => host_and_port(url.host_str(), url.port()),
            Address::Ssh(ssh) => host_and_port(Some(&ssh.host), ssh.port),
            Address::File(_) => "the local disk".to_owned(),
        }
    }

    pub(crate) fn offered(&self) -> Offered {
        match self.credential {
            Some(Credential::Basic { .. }) => Offered::Password,
            Some(Credential::SshKey(_)) => Offered::Key,
            None => Offered::Nothing,
        }
    }

    /// The secrets that must not show in anything a program prints.
    pub(crate) fn secrets(&self) -> Option<&Secret> {
        match &self.credential {
            Some(Credential::Basic { password, .. }) => Some(password),
            Some(Credential::SshKey(key)) => Some(key),
            None => None,
        }
    }

    /// Names the mirror. The user name or key takes part, a password does not: tokens are renewed every hour, and access
    /// is proven by each listing with the caller's own credential before the mirror is read.
    pub(crate) fn mirror_key(&self) -> String {
        let account = match &self.credential {
            Some(Credential::Basic { username, .. }) => format!("user {username}"),
            Some(Credential::SshKey(key)) => format!("key {}", key.expose()),
            None => "nobody".to_owned(),
        };
        digest(&[&self.identity(), &account])
    }

    /// Names a listing: only requests with the very same credential share one.
    pub(crate) fn listing_key(&self) -> String {
        let secret = self.secrets().map_or("", Secret::expose);
        let tls = format!("{:?}", self.tls);
        digest(&[&self.mirror_key(), secret, &tls])
    }

    /// The address with what does not matter taken away: one trailing slash, `.git`. The path keeps its case, because
    /// servers may tell repositories apart by it, and over SSH its first slash, because it may start at a home.
    fn identity(&self) -> String {
        let text = match &self.address {
            Address::Ssh(ssh) => {
                let user = ssh.user.as_deref().unwrap_or_default();
                format!("{user}@{}:{}:{}", ssh.host, ssh.port.unwrap_or(22), ssh.path)
            }
            _ => self.to_string(),
        };
        let text = text.strip_suffix('/').unwrap_or(&text);
        text.strip_suffix(".git").unwrap_or(text).to_owned()
    }
}

/// The address without userinfo and query, as messages show it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.address {
            Address::Http(url) => {
                let host = host_and_port(url.host_str(), url.port());
                write!(f, "{}://{host}{}", url.scheme(), url.path())
            }
            Address::Ssh(ssh) => write!(f, "{ssh}"),
            Address::File(path) => write!(f, "file://{}", path.display()),
        }
    }
}

impl fmt::Display for SshAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ssh://")?;
        if let Some(user) = &self.user {
            write!(f, "{user}@")?;
        }
        f.write_str(&host_and_port(Some(&self.host), self.port))?;
        let slash = if self.path.starts_with('/') { "" } else { "/" };
        write!(f, "{slash}{}", self.path)
    }
}

fn host_and_port(host: Option<&str>, port: Option<u16>) -> String {
    let host = host.unwrap_or_default();
    port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    short_hex(&hash.finalize())
}

/// The first twenty bytes of a digest, as text: enough to tell apart what one store ever sees.
pub(crate) fn short_hex(digest: &[u8]) -> String {
    hex(digest.get(..20).unwrap_or(digest))
}

fn parse(text: &str) -> Result<(Address, Option<Credential>), Error> {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    let text = text.trim();
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("http" | "https") => parse_http(text),
        Some("ssh" | "git+ssh" | "ssh+git") => Ok((Address::Ssh(parse_ssh(text)?), None)),
        Some("file") => parse_file(text),
        Some(_) => refuse("only http, https and ssh are known"),
        None => Ok((Address::Ssh(parse_scp(text)?), None)),
    }
}

fn parse_http(text: &str) -> Result<(Address, Option<Credential>), Error> {
    let Ok(mut url) = Url::parse(text) else { return refuse("it is not a URL") };
    if url.host_str().is_none_or(str::is_empty) {
        return refuse("it names no host");
    }
    let decoded = |text: &str| percent_decoded(text).unwrap_or_else(|| text.to_owned());
    // A name alone is no login: servers that let everybody in would refuse it.
    let credential = url
        .password()
        .map(|password| Credential::basic(decoded(url.username()), decoded(password)));
    if url.set_username("").is_err() || url.set_password(None).is_err() {
        return refuse("it names no host");
    }
    url.set_fragment(None);
    Ok((Address::Http(url), credential))
}

fn parse_file(text: &str) -> Result<(Address, Option<Credential>), Error> {
    match Url::parse(text).ok().and_then(|url| url.to_file_path().ok()) {
        Some(path) => Ok((Address::File(path), None)),
        None => refuse("it is not the URL of a local directory"),
    }
}

fn parse_ssh(text: &str) -> Result<SshAddress, Error> {
    let Ok(url) = Url::parse(text) else { return refuse("it is not a URL") };
    let user = percent_decoded(url.username()).unwrap_or_default();
    let Some(path) = percent_decoded(url.path()) else { return refuse("its path is not text") };
    // `/~user/x` means the home of `user`, as git reads it.
    let path =
        if path.starts_with("/~") { path.get(1..).unwrap_or_default().to_owned() } else { path };
    check_ssh(SshAddress {
        user: Some(user).filter(|user| !user.is_empty()),
        host: url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned(),
        port: url.port(),
        path,
    })
}

fn parse_scp(text: &str) -> Result<SshAddress, Error> {
    let Some((place, path)) = text.split_once(':') else { return refuse("it is not a URL") };
    if path.starts_with(':') {
        return refuse("only http, https and ssh are known");
    }
    let (user, host) = match place.rsplit_once('@') {
        Some((user, host)) => (Some(user.to_owned()), host),
        None => (None, place),
    };
    check_ssh(SshAddress { user, host: host.to_owned(), port: None, path: path.to_owned() })
}

/// What ends up on a command line must not look like an option, nor break out of its place.
fn check_ssh(ssh: SshAddress) -> Result<SshAddress, Error> {
    let plain = |text: &str| {
        !text.is_empty()
            && !text.starts_with('-')
            && text.chars().all(|c| c.is_alphanumeric() || "-_.:+".contains(c))
    };
    if !plain(&ssh.host) {
        return refuse("it names no host");
    }
    if ssh.user.as_deref().is_some_and(|user| !plain(user)) {
        return refuse("its user name has characters that are not allowed");
    }
    if ssh.path.trim_matches('/').is_empty() || ssh.path.starts_with('-') {
        return refuse("it names no path");
    }
    Ok(ssh)
}

/// Secrets often end in a newline that nobody meant; one inside would speak to git's credential protocol.
fn one_line(text: &str) -> Result<&str, Error> {
    let text = text.trim_end_matches(['\r', '\n']);
    if text.contains(['\r', '\n', '\0']) {
        return Err(Error::Login { reason: "its user name or password has more than one line" });
    }
    Ok(text)
}

fn refuse<T>(reason: &'static str) -> Result<T, Error> {
    Err(Error::Address { reason })
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = (first == b'%').then(|| tail.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str, credential: Option<Credential>) -> Result<Target, Error> {
        Target::of(&Remote { url: url.to_owned(), credential, tls: Tls::default() })
    }

    #[test]
    fn every_way_to_write_a_repository_is_understood() {
        for (url, shown) in [
            ("https://example.com/a/b.git", "https://example.com/a/b.git"),
            (" HTTPS://Example.com:8443/A/b\n", "https://example.com:8443/A/b"),
            ("ssh://git@example.com:2222/a/b", "ssh://git@example.com:2222/a/b"),
            ("git@example.com:a/b.git", "ssh://git@example.com/a/b.git"),
            ("example.com:/srv/b", "ssh://example.com/srv/b"),
        ] {
            assert_eq!(target(url, None).unwrap().to_string(), shown, "{url}");
        }
    }

    #[test]
    fn what_could_be_an_option_or_another_protocol_is_refused() {
        for url in [
            "ftp://example.com/x",
            "ext::sh -c id",
            "-oProxyCommand=id:x",
            "ssh://-oProxyCommand=id/x",
            "a b@example.com:x",
            "git@example.com:-x",
            "https://",
            "example.com",
            "",
        ] {
            assert!(matches!(target(url, None), Err(Error::Address { .. })), "{url}");
        }
    }

    #[test]
    fn a_credential_in_the_url_leaves_it_and_never_beats_a_given_one() {
        let in_url = target("https://me:p%40ss@example.com/x", None).unwrap();
        assert_eq!(in_url.to_string(), "https://example.com/x");
        assert_eq!(in_url.credential, Some(Credential::basic("me", "p@ss")));
        let remote = Remote {
            url: "https://me:p%40ss@example.com/x".to_owned(),
            credential: None,
            tls: Tls::default(),
        };
        let shown = format!("{in_url:?} {remote:?}");
        assert!(!shown.contains("p@ss") && !shown.contains("p%40ss"), "{shown}");
        assert_eq!(target("https://git@example.com/x", None).unwrap().credential, None);
        let given = Credential::basic("kargo", "token");
        let both = target("https://me:old@example.com/x", Some(given.clone())).unwrap();
        assert_eq!(both.credential, Some(given));
    }

    #[test]
    fn a_password_loses_its_last_newline_and_may_have_no_other() {
        let with = |password: &str| {
            target("https://example.com/x", Some(Credential::basic("kargo", password)))
        };
        assert_eq!(with("token\n").unwrap().credential, Some(Credential::basic("kargo", "token")));
        assert!(matches!(with("a\nhost=evil"), Err(Error::Login { .. })));
    }

    #[test]
    fn a_mirror_survives_a_renewed_token_and_a_listing_does_not() {
        let with = |user: &str, token: &str| {
            target("https://example.com/x.git/", Some(Credential::basic(user, token))).unwrap()
        };
        assert_eq!(with("app", "1").mirror_key(), with("app", "2").mirror_key());
        assert_ne!(with("app", "1").listing_key(), with("app", "2").listing_key());
        assert_ne!(with("app", "1").mirror_key(), with("other", "1").mirror_key());
        let bare = target("https://example.com/x", Some(Credential::basic("app", "1"))).unwrap();
        assert_ne!(bare.mirror_key(), target("https://example.com/X", None).unwrap().mirror_key());
    }

    #[test]
    fn names_of_one_repository_share_a_mirror() {
        let key = |url: &str| target(url, None).unwrap().mirror_key();
        assert_eq!(key("https://example.com/a/b.git"), key("https://EXAMPLE.com/a/b"));
        assert_eq!(key("git@example.com:/a/b.git"), key("ssh://git@example.com:22/a/b"));
        assert_ne!(key("git@example.com:a/b.git"), key("ssh://git@example.com/a/b"));
    }
}
