//! The first thing an upload-pack server says: what it can do, and before version 2 all its refs.

use bytes::Bytes;
use gix_hash::ObjectId;

use super::{packets::Packets, pkt_line::Packet};
use crate::{error::Error, refs::Ref};

/// The most capabilities a version 2 server may list.
const MAX_CAPABILITIES: usize = 1_000;

/// What a server says it can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capabilities(Vec<String>);

impl Capabilities {
    /// The value of `name=value`, or an empty text for a bare `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find_map(|line| match line.split_once('=') {
            Some((key, value)) => (key == name).then_some(value),
            None => (line == name).then_some(""),
        })
    }

    /// Whether the value of `name` lists `word`.
    pub(crate) fn lists(&self, name: &str, word: &str) -> bool {
        self.get(name).is_some_and(|value| value.split(' ').any(|each| each == word))
    }

    /// The branch behind `HEAD`, as servers before version 2 tell it.
    pub(crate) fn head(&self) -> Option<&str> {
        let mut symrefs = self.0.iter().filter_map(|line| line.strip_prefix("symref="));
        symrefs.find_map(|symref| symref.strip_prefix("HEAD:"))
    }

    pub(crate) fn object_format(&self) -> gix_hash::Kind {
        match self.get("object-format") {
            Some("sha256") => gix_hash::Kind::Sha256,
            _ => gix_hash::Kind::Sha1,
        }
    }
}

/// The opening of a conversation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Advertisement {
    /// Version 2: refs are asked for next.
    Capabilities(Capabilities),
    /// Versions 0 and 1: here they are, all of them.
    Refs(Capabilities, Vec<Ref>),
}

/// Reads the opening. Over HTTP a service line and a flush come before it.
pub(crate) async fn read(packets: &mut Packets, max_refs: usize) -> Result<Advertisement, Error> {
    let mut first = packets.expect().await?;
    if matches!(&first, Packet::Data(data) if data.starts_with(b"# service=")) {
        first = packets.expect().await?;
        if first == Packet::Flush {
            first = packets.expect().await?;
        }
    }
    match text(packets, &first)?.as_deref() {
        Some("version 2") => Ok(Advertisement::Capabilities(read_capabilities(packets).await?)),
        Some("version 1") => {
            let first = packets.expect().await?;
            read_refs(packets, first, max_refs).await
        }
        _ => read_refs(packets, first, max_refs).await,
    }
}

async fn read_capabilities(packets: &mut Packets) -> Result<Capabilities, Error> {
    let mut lines = Vec::new();
    loop {
        let packet = packets.expect().await?;
        let Some(line) = text(packets, &packet)? else { return Ok(Capabilities(lines)) };
        if lines.len() == MAX_CAPABILITIES {
            return Err(packets.protocol("it lists capabilities without end"));
        }
        lines.push(line);
    }
}

async fn read_refs(
    packets: &mut Packets,
    first: Packet,
    max_refs: usize,
) -> Result<Advertisement, Error> {
    let mut capabilities = Capabilities::default();
    let mut refs: Vec<Ref> = Vec::new();
    let mut packet = first;
    while let Packet::Data(data) = &packet {
        let (line, after) = divide(data);
        if let Some(after) = after {
            let words = String::from_utf8_lossy(after);
            capabilities = Capabilities(words.split_whitespace().map(str::to_owned).collect());
        }
        if !line.starts_with(b"shallow ") {
            add_ref(packets, line, &mut refs)?;
        }
        if refs.len() > max_refs {
            let limit = u64::try_from(max_refs).unwrap_or(u64::MAX);
            return Err(packets.too_large(limit, "refs"));
        }
        packet = packets.expect().await?;
    }
    Ok(Advertisement::Refs(capabilities, refs))
}

/// A ref line and what follows its zero byte.
fn divide(data: &Bytes) -> (&[u8], Option<&[u8]>) {
    let data = data.strip_suffix(b"\n").unwrap_or(data);
    match data.iter().position(|byte| *byte == 0) {
        Some(at) => (data.get(..at).unwrap_or_default(), data.get(at + 1..)),
        None => (data, None),
    }
}

/// `<id> <name>`; a name that ends in `^{}` tells where the tag before it leads.
fn add_ref(packets: &Packets, line: &[u8], refs: &mut Vec<Ref>) -> Result<(), Error> {
    let unexpected = || packets.protocol("a line is no ref");
    let at = line.iter().position(|byte| *byte == b' ').ok_or_else(unexpected)?;
    let (id, name) = line.split_at(at);
    let id = ObjectId::from_hex(id).map_err(|_| unexpected())?;
    // A name that is not text can be neither asked for nor shown.
    let Ok(name) = std::str::from_utf8(name.get(1..).unwrap_or_default()) else { return Ok(()) };
    if name == "capabilities^{}" {
        return Ok(());
    }
    match name.strip_suffix("^{}") {
        Some(tag) => {
            if let Some(last) = refs.last_mut().filter(|last| last.name == tag) {
                last.peeled = Some(id);
            }
        }
        None => refs.push(Ref { name: name.to_owned(), id, peeled: None }),
    }
    Ok(())
}

/// A line of text without its newline; `None` for a signal.
pub(crate) fn text(packets: &Packets, packet: &Packet) -> Result<Option<String>, Error> {
    let Packet::Data(data) = packet else { return Ok(None) };
    let (line, _) = divide(data);
    let line = std::str::from_utf8(line).map_err(|_| packets.protocol("a line is not text"))?;
    Ok(Some(line.to_owned()))
}
