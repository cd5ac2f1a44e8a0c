//! How answers are packed: what clients take, and which of it they get.

use std::io::Write;

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, header};

/// As Zstandard counts: fast rather than small, because the link is rarely the narrow place.
const ZSTD_LEVEL: i32 = 1;

/// A way to pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Zstd,
    Gzip,
}

impl Encoding {
    /// The name that clients know.
    pub(crate) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        })
    }

    /// What a client likes best of these; `None` when it takes none of them.
    pub(crate) fn choose(request: &HeaderMap, offered: &[Self]) -> Option<Self> {
        let weighed = offered.iter().map(|encoding| (*encoding, encoding.weight(request)));
        // Of two that are liked as much, the one that is offered first.
        let best = weighed.rev().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        (best.1 > 0.0).then_some(best.0)
    }

    /// How much a client likes it, from 0 to 1.
    fn weight(self, request: &HeaderMap) -> f32 {
        let accepted = request.get_all(header::ACCEPT_ENCODING).iter();
        let codings =
            accepted.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
        let (mut own, mut any) = (None, None);
        for coding in codings {
            let (name, parameter) = coding.split_once(';').unwrap_or((coding, ""));
            let weight = parameter.trim().strip_prefix("q=").map(|text| text.trim().parse::<f32>());
            // What is no number says nothing.
            let weight = weight.and_then(Result::ok).filter(|weight| weight.is_finite());
            let name = name.trim();
            if name == "*" {
                any = Some(weight.unwrap_or(1.0));
            } else if HeaderValue::from_str(name).is_ok_and(|name| name == self.header()) {
                own = Some(weight.unwrap_or(1.0));
            }
        }
        own.or(any).unwrap_or(0.0)
    }

    /// The packed text.
    pub(crate) fn pack(self, plain: &[u8]) -> Bytes {
        let packed = match self {
            Self::Zstd => zstd::bulk::compress(plain, ZSTD_LEVEL),
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(plain).and_then(|()| encoder.finish())
            }
        };
        // Writing to memory does not fail.
        packed.map(Bytes::from).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Encoding; 2] = [Encoding::Zstd, Encoding::Gzip];

    #[test]
    fn a_client_gets_what_it_likes_best() {
        let (zstd, gzip) = (Some(Encoding::Zstd), Some(Encoding::Gzip));
        for (accepted, chosen) in [
            ("gzip, deflate, br, zstd", zstd),
            ("gzip, zstd;q=0.5", gzip),
            ("zstd;q=0, gzip;q=0.1", gzip),
            ("*", zstd),
            ("*;q=0.3, zstd;q=0", gzip),
            ("gzip;q=many", gzip),
            ("gzip;q=0, *;q=0", None),
            ("br", None),
            ("", None),
        ] {
            let headers = [(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))];
            let headers = HeaderMap::from_iter(headers);
            assert_eq!(Encoding::choose(&headers, &BOTH), chosen, "{accepted}");
        }
        assert_eq!(Encoding::choose(&HeaderMap::new(), &BOTH), None);
    }

    #[test]
    fn what_is_packed_is_what_it_was() {
        let plain = "stage ".repeat(1_000);
        let packed = Encoding::Zstd.pack(plain.as_bytes());
        assert!(packed.len() < 100);
        assert_eq!(zstd::bulk::decompress(&packed, 10_000).unwrap(), plain.as_bytes());
    }
}
