//! The `ls-refs` command of protocol version 2.

use gix_hash::ObjectId;

use super::{
    advertisement::{Capabilities, text},
    packets::Packets,
    pkt_line::{Encoder, Packet},
};
use crate::{error::Error, refs::Ref};

/// What one listing found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) refs: Vec<Ref>,
    pub(crate) head: Option<String>,
}

/// The request for all refs whose names start with one of `prefixes`.
pub(crate) fn request(capabilities: &Capabilities, prefixes: &[String]) -> Vec<u8> {
    let mut message = Encoder::default().line("command=ls-refs");
    if capabilities.get("agent").is_some() {
        message = message.line("agent=kargo");
    }
    if let Some(format) = capabilities.get("object-format") {
        message = message.line(&format!("object-format={format}"));
    }
    message = message.delimiter().line("peel").line("symrefs");
    if capabilities.lists("ls-refs", "unborn") {
        message = message.line("unborn");
    }
    let lines = prefixes.iter().map(|prefix| format!("ref-prefix {prefix}"));
    lines.fold(message, |message, line| message.line(&line)).flush()
}

/// Reads the answer. The server may send more than was asked for; only what matches is kept.
pub(crate) async fn read(
    packets: &mut Packets,
    prefixes: &[String],
    max_refs: usize,
) -> Result<Listing, Error> {
    let mut listing = Listing::default();
    loop {
        let packet = packets.expect().await?;
        if !matches!(packet, Packet::Data(_)) {
            return Ok(listing);
        }
        let Some(line) = text(packets, &packet).ok().flatten() else {
            // A name that is not text can be neither asked for nor shown.
            continue;
        };
        let (found, head) =
            parse(&line).ok_or_else(|| packets.protocol("a line of ls-refs is no ref"))?;
        listing.head = listing.head.or(head);
        listing.refs.extend(found.filter(|found| wanted(&found.name, prefixes)));
        if listing.refs.len() > max_refs {
            return Err(packets.too_large(u64::try_from(max_refs).unwrap_or(u64::MAX), "refs"));
        }
    }
}

/// Whether a ref was asked for. Without prefixes everything was.
pub(crate) fn wanted(name: &str, prefixes: &[String]) -> bool {
    prefixes.is_empty() || prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
}

/// `<id> <name> [symref-target:<name>] [peeled:<id>]`, or `unborn HEAD symref-target:<name>`.
fn parse(line: &str) -> Option<(Option<Ref>, Option<String>)> {
    let mut words = line.split(' ');
    let id = words.next()?;
    let name = words.next()?;
    let mut peeled = None;
    let mut target = None;
    for attribute in words {
        if let Some(id) = attribute.strip_prefix("peeled:") {
            peeled = Some(ObjectId::from_hex(id.as_bytes()).ok()?);
        }
        target = target.or(attribute.strip_prefix("symref-target:"));
    }
    let head = target.filter(|_| name == "HEAD").map(str::to_owned);
    if id == "unborn" {
        return Some((None, head));
    }
    let id = ObjectId::from_hex(id.as_bytes()).ok()?;
    Some((Some(Ref { name: name.to_owned(), id, peeled }), head))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn lines_carry_ids_tags_and_the_head() {
        let (found, head) = parse(&format!("{ID} HEAD symref-target:refs/heads/main")).unwrap();
        assert_eq!(
            (found.unwrap().name.as_str(), head.as_deref()),
            ("HEAD", Some("refs/heads/main"))
        );
        let (found, head) = parse(&format!("{ID} refs/tags/v1 peeled:{ID}")).unwrap();
        assert_eq!(
            (found.unwrap().peeled.map(|id| id.to_string()), head),
            (Some(ID.to_owned()), None)
        );
        let unborn = parse("unborn HEAD symref-target:refs/heads/main").unwrap();
        assert_eq!(unborn, (None, Some("refs/heads/main".to_owned())));
        assert_eq!(parse("nonsense"), None);
    }

    proptest! {
        #[test]
        fn any_line_is_parsed_without_panic(line in ".*") {
            let _ = parse(&line);
        }
    }
}
