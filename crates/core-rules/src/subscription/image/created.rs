//! When an image was built.
//!
//! Annotations are believed first, because reproducible builds put a fixed date into the
//! configuration; labels only when they are later than that date.

use std::collections::BTreeMap;

use jiff::Timestamp;

/// Where builders write the time, the newer convention first.
const KEYS: [&str; 2] = ["org.opencontainers.image.created", "org.label-schema.build-date"];

/// What indexes say of entries that are not images, such as attestations.
const UNKNOWN: &str = "unknown";

/// Annotations or labels.
type Texts = BTreeMap<String, String>;

/// The time of an image, by the annotations of its manifest, and the labels and the date of its
/// configuration.
pub fn of_image(
    manifest_annotations: &Texts,
    config_labels: &Texts,
    config_created: Option<Timestamp>,
) -> Option<Timestamp> {
    written(manifest_annotations).or_else(|| written(config_labels).max(config_created))
}

/// The time of an entry of an index, by the annotations of its descriptor and the time of what it
/// points to.
pub fn of_entry(descriptor_annotations: &Texts, child: Option<Timestamp>) -> Option<Timestamp> {
    written(descriptor_annotations).or(child)
}

/// The time of an index, by its annotations and the times of its entries.
pub fn of_index(
    index_annotations: &Texts,
    entries: impl IntoIterator<Item = Option<Timestamp>>,
) -> Option<Timestamp> {
    written(index_annotations).or_else(|| entries.into_iter().flatten().max())
}

/// Whether an entry of an index is an image for some platform.
pub fn is_usable_platform(os: &str, arch: &str) -> bool {
    [os, arch].iter().all(|part| !part.is_empty() && *part != UNKNOWN)
}

/// The first time that can be read.
fn written(texts: &Texts) -> Option<Timestamp> {
    KEYS.iter().filter_map(|key| texts.get(*key)).find_map(|text| parse_rfc3339(text))
}

/// The parser below reads several further forms of dates, which upstream passes over.
fn parse_rfc3339(text: &str) -> Option<Timestamp> {
    let is_rfc3339 = text.is_ascii()
        && text.get(10..11) == Some("T")
        && text.get(13..14) == Some(":")
        && text.get(16..17) == Some(":")
        && has_offset(text);
    if is_rfc3339 { text.parse().ok() } else { None }
}

fn has_offset(text: &str) -> bool {
    let offset = text.get(19..).unwrap_or_default();
    let offset = offset.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let is_sign = offset.starts_with(['+', '-']);
    offset == "Z" || (is_sign && offset.len() == 6 && offset.get(3..4) == Some(":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCI: &str = "org.opencontainers.image.created";
    const LEGACY: &str = "org.label-schema.build-date";

    fn month(number: u8) -> Option<Timestamp> {
        format!("2023-{number:02}-01T00:00:00Z").parse().ok()
    }

    fn texts(entries: &[(&str, &str)]) -> Texts {
        entries.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect()
    }

    fn at(key: &str, number: u8) -> Texts {
        texts(&[(key, &format!("2023-{number:02}-01T00:00:00Z"))])
    }

    #[test]
    fn images_by_annotation_then_by_the_later_of_label_and_configuration() {
        let none = Texts::new();
        let both = texts(&[(OCI, "2023-06-01T00:00:00Z"), (LEGACY, "2023-07-01T00:00:00Z")]);
        for (annotations, labels, config, expected) in [
            (at(OCI, 1), none.clone(), month(12), month(1)),
            (none.clone(), at(OCI, 1), month(12), month(12)),
            (none.clone(), at(OCI, 5), None, month(5)),
            (none.clone(), at(OCI, 12), month(5), month(12)),
            (both, none.clone(), None, month(6)),
            (at(LEGACY, 9), at(OCI, 8), None, month(9)),
            (none.clone(), none.clone(), None, None),
        ] {
            assert_eq!(of_image(&annotations, &labels, config), expected);
        }
    }

    #[test]
    fn indexes_by_annotation_then_by_the_newest_entry() {
        let entries = [month(1), None, month(4)];
        assert_eq!(of_index(&Texts::new(), entries), month(4));
        assert_eq!(of_index(&at(OCI, 3), entries), month(3));
        assert_eq!(of_index(&Texts::new(), []), None);
        assert_eq!(of_entry(&at(OCI, 2), month(4)), month(2));
        assert_eq!(of_entry(&Texts::new(), month(4)), month(4));
    }

    #[test]
    fn what_is_not_rfc_3339_is_passed_over() {
        for text in [
            "yesterday",
            "2023-01-01",
            "2023-01-01 00:00:00Z",
            "2023-01-01T00:00:00",
            "20230101T000000Z",
            "",
        ] {
            let annotations = texts(&[(OCI, text), (LEGACY, "2023-02-01T00:00:00Z")]);
            assert_eq!(of_image(&annotations, &Texts::new(), None), month(2), "{text}");
        }
        for text in
            ["2023-02-01T00:00:00Z", "2023-02-01T02:00:00+02:00", "2023-02-01T00:00:00.000Z"]
        {
            assert_eq!(written(&texts(&[(OCI, text)])), month(2), "{text}");
        }
    }

    #[test]
    fn attestations_are_no_platform() {
        assert!(is_usable_platform("linux", "amd64"));
        assert!(!is_usable_platform("unknown", "unknown"));
        assert!(!is_usable_platform("linux", ""));
    }
}
