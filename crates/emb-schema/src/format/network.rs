//! Names and addresses of hosts, mail and resources.

use std::net::IpAddr;

/// An absolute URI or an absolute path.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte.is_ascii_control()) {
        return false;
    }
    let has_scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
        let mut characters = scheme.chars();
        characters.next().is_some_and(|first| first.is_ascii_alphabetic())
            && characters.all(|next| next.is_ascii_alphanumeric() || "+-.".contains(next))
            && !rest.is_empty()
    });
    (text == "*" || text.starts_with('/') || has_scheme) && has_valid_escapes(text)
}

fn has_valid_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        after.as_bytes().get(..2).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
    })
}

/// `local@domain`, alone or as `Name <local@domain>`.
pub(super) fn is_email(text: &str) -> bool {
    let text = text.trim();
    let address = match text.strip_suffix('>') {
        None => text,
        Some(before) => match before.rsplit_once('<') {
            Some((name, address)) if !name.contains(['<', '>', '@']) => address,
            _ => return false,
        },
    };
    address.rsplit_once('@').is_some_and(|(local, domain)| {
        (is_dot_atom(local) || is_quoted(local)) && (is_dot_atom(domain) || is_literal(domain))
    })
}

fn is_dot_atom(text: &str) -> bool {
    text.split('.').all(|atom| {
        !atom.is_empty()
            && atom.chars().all(|next| {
                next.is_ascii_alphanumeric()
                    || "!#$%&'*+-/=?^_`{|}~".contains(next)
                    || !next.is_ascii()
            })
    })
}

fn is_quoted(text: &str) -> bool {
    text.len() > 2
        && text
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .is_some_and(|inner| !inner.contains('"') && !inner.chars().any(char::is_control))
}

fn is_literal(text: &str) -> bool {
    text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).is_some_and(is_address)
}

/// A host name; letters and symbols of any script count.
pub(super) fn is_hostname(text: &str) -> bool {
    let labels: Vec<&str> = text.split('.').collect();
    let top = labels.last().copied().unwrap_or_default();
    let good_top =
        labels.len() == 1 || (top.chars().count() >= 2 && top.chars().all(char::is_alphabetic));
    text.len() <= 255 && good_top && labels.into_iter().all(is_host_label)
}

fn is_host_label(label: &str) -> bool {
    let inner =
        |next: char| next.is_ascii_alphanumeric() || (!next.is_ascii() && !next.is_control());
    (1..=63).contains(&label.len())
        && label.starts_with(inner)
        && label.ends_with(inner)
        && label.chars().all(|next| inner(next) || next == '-')
}

pub(super) fn is_address(text: &str) -> bool {
    parse_address(text).is_some()
}

/// An address; leading zeros in IPv4 are decimal, as older programs write them.
fn parse_address(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        return text.parse().ok();
    }
    let plain = |part: &str| {
        let digits = part.trim_start_matches('0');
        if digits.is_empty() && !part.is_empty() { "0".to_owned() } else { digits.to_owned() }
    };
    let parts: Vec<String> = text.split('.').map(plain).collect();
    parts.join(".").parse().ok()
}

/// `10.0.0.0/8`
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let plain = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    let most = match parse_address(address) {
        Some(IpAddr::V4(_)) => 32,
        Some(IpAddr::V6(_)) => 128,
        None => return false,
    };
    plain && length.parse::<u32>().is_ok_and(|length| length <= most)
}

/// Six, eight or twenty octets, in pairs (`:` or `-`) or in quadruples (`.`).
pub(super) fn is_mac(text: &str) -> bool {
    let (separator, width) = match text.chars().find(|next| !next.is_ascii_hexdigit()) {
        Some(found @ (':' | '-')) => (found, 2),
        Some('.') => ('.', 4),
        _ => return false,
    };
    let groups: Vec<&str> = text.split(separator).collect();
    let shaped = groups
        .iter()
        .all(|group| group.len() == width && group.bytes().all(|byte| byte.is_ascii_hexdigit()));
    shaped && matches!(groups.len() * width / 2, 6 | 8 | 20)
}

/// One segment of a Kubernetes name, of any length.
pub(super) fn is_name_segment(text: &str) -> bool {
    let edge = |next: char| next.is_ascii_lowercase() || next.is_ascii_digit();
    text.starts_with(edge)
        && text.ends_with(edge)
        && text.chars().all(|next| edge(next) || next == '-')
}

pub(super) fn is_short_name(text: &str) -> bool {
    text.len() <= 63 && is_name_segment(text)
}
