//! Normal form of Helm repository addresses.

use super::image::normalize_image;
use super::uri::Uri;
use super::{lower, sanitize};

/// The address as if it were an image's, after dropping `oci://`.
///
/// Classic repositories come out in lower case; that the port of one without a path is taken for a
/// tag and lost is kept, because the result is part of Freight names.
pub fn normalize_chart(address: &str) -> String {
    let cleaned = sanitize(address);
    if Uri::parse(&cleaned).is_err() {
        return address.to_owned();
    }
    let lowered = lower(&cleaned);
    normalize_image(lowered.strip_prefix("oci://").unwrap_or(&lowered))
}
