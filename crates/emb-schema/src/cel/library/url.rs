//! URLs, taken apart as Go takes those of requests apart.

/// A URL, or the path of one.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cel) struct Url {
    pub(super) scheme: String,
    /// With the port, if there is one.
    pub(super) host: String,
    path: String,
    query: String,
}

impl Url {
    /// Reads an absolute URL or an absolute path.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return None;
        }
        let (scheme, rest) = split_scheme(text)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut url = Self {
            scheme: scheme.to_ascii_lowercase(),
            host: String::new(),
            path: String::new(),
            query: query.to_owned(),
        };
        if !rest.starts_with('/') {
            // What follows a scheme without a slash is not looked at.
            return (!scheme.is_empty()).then_some(url);
        }
        let path = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
            None => rest,
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
                valid_host(host)?.clone_into(&mut url.host);
                path
            }
        };
        Some(path).filter(|path| has_valid_escapes(path))?.clone_into(&mut url.path);
        Some(url)
    }

    pub(super) fn hostname(&self) -> &str {
        let (host, _) = split_port(&self.host);
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    pub(super) fn port(&self) -> &str {
        split_port(&self.host).1
    }

    pub(super) fn escaped_path(&self) -> String {
        const PLAIN: &[u8] = b"-_.~$&+,/:;=@!'()*[]%";
        let escape = |byte: u8| match byte {
            _ if byte.is_ascii_alphanumeric() || PLAIN.contains(&byte) => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        };
        self.path.bytes().map(escape).collect()
    }

    /// The values of each parameter, in order of the first mention of it.
    pub(super) fn query(&self) -> Vec<(String, Vec<String>)> {
        let mut parameters: Vec<(String, Vec<String>)> = Vec::new();
        for part in self.query.split('&').filter(|part| !part.is_empty() && !part.contains(';')) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (Some(name), Some(value)) = (unescape(name), unescape(value)) else { continue };
            match parameters.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.push(value),
                None => parameters.push((name, vec![value])),
            }
        }
        parameters
    }
}

/// The scheme, or nothing, and the rest; none if a colon stands where a scheme should.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let is_part = |(at, byte): (usize, u8)| {
        byte.is_ascii_alphabetic()
            || at > 0 && (byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'))
    };
    let end = text.bytes().enumerate().position(|part| !is_part(part))?;
    match (end, text.as_bytes().get(end)) {
        (0, Some(b':')) => None,
        (_, Some(b':')) => Some((text.get(..end)?, text.get(end + 1..)?)),
        _ => Some(("", text)),
    }
}

fn valid_host(host: &str) -> Option<&str> {
    let valid = if host.starts_with('[') {
        let (_, port) = host.rsplit_once(']')?;
        is_port(port)
    } else {
        host.rfind(':').and_then(|at| host.get(at..)).is_none_or(is_port)
            && host.matches(':').count() < 2
    };
    (valid && has_valid_escapes(host) && !host.contains(' ')).then_some(host)
}

/// Whether this is nothing, or a colon and digits.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
}

fn split_port(host: &str) -> (&str, &str) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port),
        _ => (host, ""),
    }
}

fn has_valid_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| {
        rest.as_bytes().get(..2).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
    })
}

fn unescape(text: &str) -> Option<String> {
    let plain = text.replace('+', " ");
    let mut parts = plain.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let code = part.get(..2).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
