//! What webhooks say about a request besides yes and no: warnings for the client, annotations for the audit log. They
//! count even if the request is refused in the end, so they are kept beside the verdict.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// Entries of either kind that one request keeps; webhooks are not ours to trust.
const MOST: usize = 64;
/// The longest text of one entry, in characters.
const LONGEST: usize = 4096;

/// The remarks on one request.
#[derive(Debug, Default)]
pub(crate) struct Remarks(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    warnings: Vec<String>,
    annotations: BTreeMap<String, String>,
    asked: bool,
}

impl Remarks {
    /// Warns the client, once for each text: a write that is admitted anew would say everything twice.
    pub(crate) fn warn(&self, text: &str) {
        let mut noted = self.0.lock();
        let text = bounded(text);
        if noted.warnings.len() < MOST && !noted.warnings.contains(&text) {
            noted.warnings.push(text);
        }
    }

    /// Adds to the audit log; the first value of a key stays.
    pub(crate) fn annotate(&self, key: String, value: &str) {
        let mut noted = self.0.lock();
        if noted.annotations.len() < MOST {
            noted.annotations.entry(bounded(&key)).or_insert_with(|| bounded(value));
        }
    }

    /// Notes that a webhook was asked.
    pub(crate) fn note_asked(&self) {
        self.0.lock().asked = true;
    }

    /// Whether any webhook was asked, which makes admitting anew expensive.
    pub(crate) fn was_asked(&self) -> bool {
        self.0.lock().asked
    }

    /// The warnings and the annotations, which are then gone from here.
    pub(crate) fn take(&self) -> (Vec<String>, BTreeMap<String, String>) {
        let noted = std::mem::take(&mut *self.0.lock());
        (noted.warnings, noted.annotations)
    }
}

fn bounded(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_come_once_and_first_annotations_stay() {
        let remarks = Remarks::default();
        remarks.warn("a");
        remarks.warn("b");
        remarks.warn("a");
        remarks.annotate("k".into(), "1");
        remarks.annotate("k".into(), "2");
        let (warnings, annotations) = remarks.take();
        assert_eq!(warnings, ["a", "b"]);
        assert_eq!(annotations["k"], "1");
    }

    #[test]
    fn both_are_bounded() {
        let remarks = Remarks::default();
        for number in 0..1000 {
            remarks.warn(&format!("{number}{}", "x".repeat(10_000)));
            remarks.annotate(number.to_string(), "v");
        }
        let (warnings, annotations) = remarks.take();
        assert_eq!((warnings.len(), annotations.len()), (MOST, MOST));
        assert!(warnings.iter().all(|text| text.len() <= LONGEST));
    }
}
