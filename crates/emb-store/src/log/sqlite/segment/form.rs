//! The bytes of a segment: numbers of eight bytes, texts and bodies behind their length, and a checksum over all of it.

use std::collections::BTreeMap;

use bytes::Bytes;
use emb_meta::GroupResource;
use xxhash_rust::xxh3::xxh3_128;

use super::Span;
use crate::{
    Identity,
    log::sqlite::{
        row::StoredRow,
        schema::{signed, unsigned},
        sealing::Needs,
    },
};

/// How every segment begins; the digit is the version of this form.
const MAGIC: &[u8] = b"kargoseg1";
/// The length of the checksum at the end.
const SUM: usize = size_of::<u128>();

/// What stands before the rows.
pub(super) struct Header {
    pub(super) identity: Identity,
    pub(super) span: Span,
    /// The keys of sealed bodies.
    pub(super) keys: Needs,
    /// The resources of the rows by their number there.
    pub(super) kinds: BTreeMap<i64, GroupResource>,
    pub(super) rows: i64,
}

impl Header {
    /// A whole segment.
    pub(super) fn encode(&self, rows: Encoder) -> Bytes {
        let mut all = Encoder(MAGIC.to_vec());
        all.text(&self.identity.uuid);
        for number in [self.identity.epoch, self.span.first, self.span.last] {
            all.number(signed(number));
        }
        all.text(&self.keys.listed);
        all.text(&self.keys.complete);
        all.number(i64::try_from(self.kinds.len()).unwrap_or(i64::MAX));
        for (id, resource) in &self.kinds {
            all.number(*id);
            all.text(&resource.group);
            all.text(&resource.resource);
        }
        all.number(self.rows);
        all.0.extend(rows.0);
        let sum = xxh3_128(&all.0);
        all.0.extend(sum.to_le_bytes());
        all.0.into()
    }
}

/// Bytes being written.
#[derive(Default)]
pub(super) struct Encoder(Vec<u8>);

impl Encoder {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// A row with the checksum that stands beside it.
    pub(super) fn row(&mut self, row: &StoredRow<'_>, checksum: i64) {
        for number in [row.rev, row.kind_id, row.op, row.prev_rev, row.written_at, checksum] {
            self.number(number);
        }
        for text in [row.ns, row.name, row.uid] {
            self.text(text);
        }
        self.bytes(row.body);
    }

    fn number(&mut self, number: i64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
        self.0.extend(bytes);
    }
}

/// Bytes being read. Everything is `None` where they end too early or mean nothing.
pub(super) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    /// A segment, if it is as it was written.
    pub(super) fn new(segment: &'a [u8]) -> Option<Self> {
        let (content, sum) = segment.split_last_chunk::<SUM>()?;
        (xxh3_128(content) == u128::from_le_bytes(*sum))
            .then(|| content.strip_prefix(MAGIC).map(Self))
            .flatten()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn header(&mut self) -> Option<Header> {
        let uuid = self.text()?.to_owned();
        let epoch = unsigned(self.number()?);
        let span = Span { first: unsigned(self.number()?), last: unsigned(self.number()?) };
        let keys = Needs { listed: self.text()?.to_owned(), complete: self.text()?.to_owned() };
        let mut kinds = BTreeMap::new();
        for _ in 0..self.number()? {
            let id = self.number()?;
            let (group, resource) = (self.text()?, self.text()?);
            kinds.insert(id, GroupResource::new(group, resource));
        }
        let rows = self.number()?;
        Some(Header { identity: Identity { uuid, epoch }, span, keys, kinds, rows })
    }

    pub(super) fn row(&mut self) -> Option<StoredRow<'a>> {
        let [rev, kind_id, op, prev_rev, written_at, checksum] = self.numbers()?;
        let (ns, name, uid) = (self.text()?, self.text()?, self.text()?);
        let body = self.bytes()?;
        let row = StoredRow { rev, kind_id, ns, name, op, uid, prev_rev, written_at, body };
        row.verified(checksum)
    }

    fn numbers<const N: usize>(&mut self) -> Option<[i64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    fn number(&mut self) -> Option<i64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(i64::from_le_bytes(*number))
    }

    fn text(&mut self) -> Option<&'a str> {
        str::from_utf8(self.bytes()?).ok()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }
}
