//! The formats that schemas name, as upstream reads them.

/// Whether this is an address of a person: `a@b`, or `Name <a@b>`.
pub(super) fn is_email(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((name, address)) => is_display_name(name.trim()) && is_address(address.trim()),
        None => is_address(text),
    }
}

fn is_display_name(name: &str) -> bool {
    let mut rest = name;
    while !rest.is_empty() {
        rest = rest.trim_start();
        let end = if let Some(quoted) = rest.strip_prefix('"') {
            let Some(end) = end_of_quote(quoted) else { return false };
            end + 2
        } else {
            match rest.find(|letter| !(is_atom_letter(letter) || letter == '.')) {
                Some(0) => return false,
                found => found.unwrap_or(rest.len()),
            }
        };
        rest = rest.get(end..).unwrap_or_default();
    }
    true
}

/// Where the quoted text ends, which starts after its opening quote.
fn end_of_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(index),
            '\r' | '\n' => return None,
            _ => {}
        }
    }
    None
}

fn is_address(address: &str) -> bool {
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let is_quoted = |text: &str| {
        let quoted = text.strip_prefix('"');
        quoted.is_some_and(|quoted| end_of_quote(quoted) == Some(quoted.len().saturating_sub(1)))
    };
    (is_dotted_atoms(local) || is_quoted(local)) && is_domain(domain)
}

fn is_domain(domain: &str) -> bool {
    match domain.strip_prefix('[').and_then(|literal| literal.strip_suffix(']')) {
        Some(literal) => literal.parse::<std::net::IpAddr>().is_ok(),
        None => is_dotted_atoms(domain),
    }
}

fn is_dotted_atoms(text: &str) -> bool {
    text.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atom_letter))
}

fn is_atom_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || "!#$%&'*+-/=?^_`{|}~".contains(letter)
        || (!letter.is_ascii() && letter != char::REPLACEMENT_CHARACTER)
}

/// Whether this is an address with a scheme, without backslashes, that Go would parse.
pub(super) fn is_uri(text: &str) -> bool {
    let has_control = text.bytes().any(|byte| byte < 0x20 || byte == 0x7f);
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    if has_control || text.contains('\\') || !is_scheme(scheme) {
        return false;
    }
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let rest = rest.split_once('?').map_or(rest, |(path, _)| path);
    if !is_escaped_well(fragment) {
        return false;
    }
    match rest.strip_prefix("//") {
        Some(rest) if !rest.starts_with('/') => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            is_authority(authority) && is_escaped_well(path)
        }
        // Without a slash the rest is opaque and Go does not look at it.
        _ => !rest.starts_with('/') || is_escaped_well(rest),
    }
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", authority),
    };
    let is_user_letter =
        |letter: char| letter.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(letter);
    user.chars().all(is_user_letter) && is_escaped_well(user) && is_host(host)
}

fn is_host(host: &str) -> bool {
    if let Some(literal) = host.strip_prefix('[') {
        let Some((_, port)) = literal.rsplit_once(']') else { return false };
        return is_port(port);
    }
    let (name, port) = host.rfind(':').map_or((host, ""), |colon| host.split_at(colon));
    let is_name_letter = |letter: char| {
        !letter.is_ascii()
            || letter.is_ascii_alphanumeric()
            || "-._~!$&'()*+,;=:[]<>\"%".contains(letter)
    };
    is_port(port) && name.chars().all(is_name_letter) && escapes_only_beyond_ascii(name)
}

/// Nothing, or a colon and digits, of which there may be none.
fn is_port(port: &str) -> bool {
    port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
}

fn is_escaped_well(text: &str) -> bool {
    escapes(text).all(|code| code.is_some())
}

/// Hosts may escape bytes that ASCII has not.
fn escapes_only_beyond_ascii(text: &str) -> bool {
    escapes(text).all(|code| code.is_some_and(|code| code >= 0x80))
}

fn escapes(text: &str) -> impl Iterator<Item = Option<u8>> {
    text.split('%').skip(1).map(|rest| {
        let digits = rest.get(..2).filter(|two| two.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u8::from_str_radix(digits, 16).ok()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_of_people_are_read_as_mail_programs_do() {
        for good in [
            "a@b",
            "Name <a@b.example>",
            "\"A. B\" <a@b>",
            "<a@b>",
            "a.b+c@d.e",
            "é@ü",
            "a@[1.2.3.4]",
        ] {
            assert!(is_email(good), "{good}");
        }
        for bad in ["", "a", "a@", "@b", "a b@c", "a..b@c", "Name <a@b", "a@b>", "a@b, c@d", "<>"] {
            assert!(!is_email(bad), "{bad}");
        }
    }

    #[test]
    fn addresses_of_things_need_a_scheme_and_no_backslash() {
        for good in [
            "https://github.com/a/b.git",
            "ssh://git@host:22/a",
            "mailto:x",
            "http://[::1]:80/",
            "file:///a b",
            "https://h",
            "https://ü.example/",
        ] {
            assert!(is_uri(good), "{good}");
        }
        for bad in [
            "",
            "git@host:path",
            "github.com/a/b",
            "https://a\\b",
            "https://a b/",
            "http://h:x/",
            "http://h/%zz",
            "1http://h",
            ":x",
            "http://h/\u{7f}",
        ] {
            assert!(!is_uri(bad), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(text in "\\PC{0,40}") {
            let _ = (is_email(&text), is_uri(&text));
        }
    }
}
