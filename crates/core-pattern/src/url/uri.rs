//! Generic addresses, read and written as upstream's language does.
//!
//! Not the rules of browsers: nothing is resolved or punycoded, a relative address is fine, and an
//! encoding survives when it was a possible one.

use std::fmt;
use std::net::Ipv6Addr;

use super::MAX_URL_BYTES;
use super::percent::{Component, decode, encode, is_well_encoded};
use crate::slash_path;

/// Why a text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UriError {
    /// The text is longer than [`MAX_URL_BYTES`].
    #[error("address is longer than {MAX_URL_BYTES} bytes")]
    TooLong,
    /// A control character.
    #[error("invalid control character in URL")]
    ControlCharacter,
    /// A colon without a scheme before it.
    #[error("missing protocol scheme")]
    MissingScheme,
    /// The first segment of a relative path holds a colon.
    #[error("first path segment in URL cannot contain colon")]
    ColonInFirstSegment,
    /// A percent sign without two hexadecimal digits, or an encoding that is not allowed there.
    #[error("invalid URL escape")]
    Escape,
    /// A character that cannot be in a host name, or a malformed IPv6 address.
    #[error("invalid character or address in host name")]
    Host,
    /// Something else than digits after the colon of a host.
    #[error("invalid port after host")]
    Port,
    /// A character that cannot be in user information.
    #[error("invalid userinfo")]
    User,
}

/// A parsed address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri {
    scheme: String,
    /// What follows the scheme when that is no path, as in `mailto:a`.
    opaque: String,
    user: Option<User>,
    host: Vec<u8>,
    /// Whether the scheme is followed by a single slash.
    omits_host: bool,
    path: EncodedText,
    query: Option<String>,
    fragment: EncodedText,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

/// A decoded text that remembers how it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct EncodedText {
    decoded: Vec<u8>,
    written: String,
}

impl Uri {
    /// Reads an address, absolute or relative.
    pub fn parse(text: &str) -> Result<Self, UriError> {
        if text.len() > MAX_URL_BYTES {
            return Err(UriError::TooLong);
        }
        let (before_fragment, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut uri = Self::parse_without_fragment(before_fragment)?;
        uri.fragment = EncodedText::parse(fragment, Component::Fragment)?;
        Ok(uri)
    }

    fn parse_without_fragment(text: &str) -> Result<Self, UriError> {
        if text.bytes().any(|byte| byte.is_ascii_control()) {
            return Err(UriError::ControlCharacter);
        }
        let (scheme, rest) = split_scheme(text)?;
        let (rest, query) =
            rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let mut uri = Self {
            scheme: scheme.to_ascii_lowercase(),
            opaque: String::new(),
            user: None,
            host: Vec::new(),
            omits_host: false,
            path: EncodedText::default(),
            query: query.map(str::to_owned),
            fragment: EncodedText::default(),
        };
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                rest.clone_into(&mut uri.opaque);
                return Ok(uri);
            }
            if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
                return Err(UriError::ColonInFirstSegment);
            }
        }
        let path = uri.parse_authority(rest)?;
        uri.path = EncodedText::parse(path, Component::Path)?;
        Ok(uri)
    }

    /// Reads `//user@host:port` if there is one; returns the path behind it.
    fn parse_authority<'a>(&mut self, rest: &'a str) -> Result<&'a str, UriError> {
        let has_scheme = !self.scheme.is_empty();
        let authority = rest.strip_prefix("//").filter(|_| has_scheme || !rest.starts_with("///"));
        let Some(authority) = authority else {
            self.omits_host = has_scheme && rest.starts_with('/');
            return Ok(rest);
        };
        let end = authority.find('/').unwrap_or(authority.len());
        let (authority, path) = authority.split_at_checked(end).unwrap_or((authority, ""));
        let host = match authority.rsplit_once('@') {
            Some((user, host)) => {
                self.user = Some(User::parse(user)?);
                host
            }
            None => authority,
        };
        self.host = parse_host(&self.scheme, host)?;
        Ok(path)
    }

    /// The host with its port, decoded; nothing when it is not valid UTF-8.
    pub fn host(&self) -> &str {
        std::str::from_utf8(&self.host).unwrap_or_default()
    }

    /// The path as it is written in the address.
    pub fn encoded_path(&self) -> String {
        self.path.encoded(Component::Path)
    }

    /// Whether the path is empty.
    pub fn has_empty_path(&self) -> bool {
        self.path.decoded.is_empty()
    }

    /// Whether the query holds at least one readable parameter.
    pub fn has_query_parameters(&self) -> bool {
        let is_parameter = |part: &str| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let is_readable = |text| decode(text, Component::Query).is_ok();
            !part.is_empty() && !part.contains(';') && is_readable(key) && is_readable(value)
        };
        self.query.as_deref().is_some_and(|query| query.split('&').any(is_parameter))
    }

    /// Forgets user and password.
    pub fn remove_user(&mut self) {
        self.user = None;
    }

    /// Removes one `suffix` from the end of the decoded path.
    pub fn strip_path_suffix(&mut self, suffix: &str) {
        if let Some(shorter) = self.path.decoded.strip_suffix(suffix.as_bytes()) {
            self.path.decoded = shorter.to_vec();
        }
    }

    /// This address with encoded `elements` appended to its path, which is cleaned and begins with a
    /// slash.
    pub fn joined(&self, elements: &[&str]) -> Result<Self, UriError> {
        let base = format!("/{}", self.encoded_path());
        let path = slash_path::join(&[&[base.as_str()], elements].concat());
        Ok(Self { path: EncodedText::parse(&path, Component::Path)?, ..self.clone() })
    }

    fn write_authority(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_needed = !self.host.is_empty() || self.user.is_some();
        if is_needed || !(self.scheme.is_empty() || self.omits_host || self.has_empty_path()) {
            f.write_str("//")?;
        }
        if let Some(user) = &self.user {
            write!(f, "{user}@")?;
        }
        f.write_str(&encode(&self.host, Component::Host))
    }

    fn write_path(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.encoded_path();
        if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
            f.write_str("/")?;
        }
        let is_relative = self.scheme.is_empty() && self.host.is_empty() && self.user.is_none();
        if is_relative && path.split('/').next().is_some_and(|segment| segment.contains(':')) {
            f.write_str("./")?;
        }
        f.write_str(&path)
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            self.write_authority(f)?;
            self.write_path(f)?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if let Some(query) = &self.query {
            write!(f, "?{query}")?;
        }
        if !self.fragment.decoded.is_empty() {
            write!(f, "#{}", self.fragment.encoded(Component::Fragment))?;
        }
        Ok(())
    }
}

impl EncodedText {
    fn parse(written: &str, component: Component) -> Result<Self, UriError> {
        Ok(Self { decoded: decode(written, component)?, written: written.to_owned() })
    }

    /// As written if that was a possible encoding of the current value, else freshly encoded.
    fn encoded(&self, component: Component) -> String {
        let is_current = decode(&self.written, component).as_ref() == Ok(&self.decoded);
        if is_current && is_well_encoded(&self.written, component) {
            return self.written.clone();
        }
        if self.decoded == b"*" && component == Component::Path {
            return "*".to_owned();
        }
        encode(&self.decoded, component)
    }
}

impl User {
    fn parse(text: &str) -> Result<Self, UriError> {
        let is_allowed =
            |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
        if !text.bytes().all(is_allowed) {
            return Err(UriError::User);
        }
        let (name, password) =
            text.split_once(':').map_or((text, None), |(name, password)| (name, Some(password)));
        Ok(Self {
            name: decode(name, Component::User)?,
            password: password.map(|password| decode(password, Component::User)).transpose()?,
        })
    }
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode(&self.name, Component::User))?;
        match &self.password {
            Some(password) => write!(f, ":{}", encode(password, Component::User)),
            None => Ok(()),
        }
    }
}

/// Splits `scheme:` off; a text without a well-formed scheme has none.
fn split_scheme(text: &str) -> Result<(&str, &str), UriError> {
    let is_scheme_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let end = text.bytes().position(|byte| !is_scheme_byte(byte)).unwrap_or(text.len());
    let (scheme, rest) = text.split_at_checked(end).unwrap_or(("", text));
    let Some(after_colon) = rest.strip_prefix(':') else { return Ok(("", text)) };
    if scheme.is_empty() {
        return Err(UriError::MissingScheme);
    }
    let begins_with_letter = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    Ok(if begins_with_letter { (scheme, after_colon) } else { ("", text) })
}

fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, UriError> {
    match host.rfind('[') {
        Some(0) => return parse_ip_literal(host),
        Some(_) => return Err(UriError::Host),
        None => {}
    }
    // Web addresses have one colon at most; others may list several hosts with ports.
    let colon = if matches!(scheme, "http" | "https") { host.find(':') } else { host.rfind(':') };
    check_port(colon.and_then(|colon| host.get(colon..)).unwrap_or_default())?;
    decode(host, Component::Host)
}

/// `[v6 address]`, possibly with a zone and a port.
fn parse_ip_literal(host: &str) -> Result<Vec<u8>, UriError> {
    let (literal, port) = host.rsplit_once(']').ok_or(UriError::Host)?;
    check_port(port)?;
    let literal = literal.strip_prefix('[').ok_or(UriError::Host)?;
    let zone_start = literal.find("%25").unwrap_or(literal.len());
    let (address, zone) = literal.split_at_checked(zone_start).ok_or(UriError::Host)?;
    let address = decode(address, Component::Host)?;
    let is_address =
        std::str::from_utf8(&address).is_ok_and(|address| address.parse::<Ipv6Addr>().is_ok());
    let zone = decode(zone, Component::Zone)?;
    if !is_address || zone == b"%" {
        return Err(UriError::Host);
    }
    Ok([b"[", address.as_slice(), &zone, b"]", port.as_bytes()].concat())
}

fn check_port(port: &str) -> Result<(), UriError> {
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    if is_port { Ok(()) } else { Err(UriError::Port) }
}
