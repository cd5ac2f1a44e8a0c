//! Replies without what no two servers share: uids, revisions, times and random names.
//!
//! A uid or revision becomes the number of its first sight, so that two servers agree exactly when the same replies show
//! the same ones. Revisions of lists and bookmarks depend on what others write meanwhile; they become one word.

use serde_json::{Value, json};

/// The translation of one player.
pub(crate) struct Normaliser {
    history: String,
    /// Whether the managers of fields are compared.
    managers: bool,
    uids: Vec<String>,
    revisions: Vec<String>,
    /// Times that objects have shown; messages tell them too.
    times: Vec<String>,
    generated: Vec<(String, String)>,
}

/// How many uids and revisions a normaliser knew at some time.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    uids: usize,
    revisions: usize,
}

impl Normaliser {
    pub(crate) fn new(history: &str, managers: bool) -> Self {
        Self {
            history: history.to_owned(),
            managers,
            uids: Vec::new(),
            revisions: Vec::new(),
            times: Vec::new(),
            generated: Vec::new(),
        }
    }

    /// How much is known: for [`Self::forget_since`].
    pub(crate) fn known(&self) -> Known {
        Known { uids: self.uids.len(), revisions: self.revisions.len() }
    }

    /// Forgets the uids and revisions that were seen since: the other server has not shown its own.
    pub(crate) fn forget_since(&mut self, known: Known) {
        self.uids.truncate(known.uids);
        self.revisions.truncate(known.revisions);
    }

    /// The comparable form of a reply.
    pub(crate) fn reply(&mut self, body: &Value) -> Value {
        self.learn_generated(body);
        let mut body = body.clone();
        tidy_causes(&mut body);
        if body.get("items").is_some() {
            list_metadata(&mut body);
            for item in body.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten() {
                self.object(item);
            }
        } else {
            self.object(&mut body);
        }
        self.texts(&mut body);
        body
    }

    /// The comparable form of a watch event.
    pub(crate) fn event(&mut self, event: &Value) -> Value {
        let kind = event.get("type").cloned().unwrap_or_default();
        let mut object = event.get("object").cloned().unwrap_or_default();
        if kind == "BOOKMARK" {
            // Typed kinds show the empty values of their fields, which say nothing.
            if let Some(fields) = object.as_object_mut() {
                fields
                    .retain(|name, _| ["apiVersion", "kind", "metadata"].contains(&name.as_str()));
            }
            list_metadata(&mut object);
        } else {
            self.object(&mut object);
        }
        self.texts(&mut object);
        json!({"type": kind, "object": object})
    }

    /// A name that the server made up is known by the prefix, of which a history has each only once.
    fn learn_generated(&mut self, body: &Value) {
        let metadata = |field: &str| {
            body.pointer(&format!("/metadata/{field}")).and_then(Value::as_str).unwrap_or_default()
        };
        // A refusal shows the name too, and only there.
        let refused = body.pointer("/details/name").and_then(Value::as_str).unwrap_or_default();
        let (name, prefix) = match (metadata("name"), metadata("generateName"), refused) {
            (_, "", name) => match name.rsplit_once('-') {
                Some((prefix, _)) if name.contains("made-") => (name, format!("{prefix}-")),
                _ => return,
            },
            (name, prefix, _) => (name, prefix.to_owned()),
        };
        if name.starts_with(&prefix) && name.len() == prefix.len() + 5 {
            let known = (name.to_owned(), format!("{prefix}<random>"));
            if !self.generated.contains(&known) {
                self.generated.push(known);
            }
        }
    }

    fn object(&mut self, object: &mut Value) {
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
            return;
        };
        for field in ["creationTimestamp", "deletionTimestamp"] {
            if let Some(Value::String(time)) = metadata.get_mut(field) {
                let time = std::mem::replace(time, "<time>".into());
                if !self.times.contains(&time) {
                    self.times.push(time);
                }
            }
        }
        if let Some(Value::String(uid)) = metadata.get_mut("uid") {
            *uid = ordinal(&mut self.uids, "uid", uid);
        }
        if let Some(Value::String(revision)) = metadata.get_mut("resourceVersion") {
            *revision = ordinal(&mut self.revisions, "revision", revision);
        }
        if !self.managers {
            metadata.remove("managedFields");
        }
        let entries = metadata.get_mut("managedFields").and_then(Value::as_array_mut);
        if let Some(entries) = entries {
            for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
                entry.remove("time");
            }
            // Their order depends on whether a second has passed between two writes.
            entries.sort_by_key(|entry| {
                let text = |field| entry.get(field).and_then(Value::as_str).map(str::to_owned);
                ["operation", "manager", "subresource", "apiVersion"].map(text)
            });
        }
    }

    /// Translates what appears inside of texts, such as messages and owner references.
    fn texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.texts(item)),
            Value::Object(fields) => {
                for (mut name, mut field) in std::mem::take(fields) {
                    self.text(&mut name);
                    self.texts(&mut field);
                    fields.insert(name, field);
                }
            }
            _ => {}
        }
    }

    fn text(&self, text: &mut String) {
        for (name, known) in &self.generated {
            if text.contains(name) {
                *text = text.replace(name, known);
            }
        }
        if text.contains(&self.history) {
            *text = text.replace(&self.history, "<history>");
        }
        if text.len() < 36 {
            return;
        }
        for (number, uid) in self.uids.iter().enumerate() {
            if text.contains(uid) {
                *text = text.replace(uid, &format!("<uid {number}>"));
            }
        }
        for time in &self.times {
            if text.contains(time) {
                *text = text.replace(time, "<time>");
            }
        }
        if text.contains("ResourceVersion in") {
            for (number, revision) in self.revisions.iter().enumerate() {
                *text = text.replace(&format!("({revision})"), &format!("(<revision {number}>)"));
            }
            hide_unseen(text);
        }
    }
}

/// kube-apiserver checks metadata up to four times, depending on the kind, and tells each time what it found. The managers
/// in a conflict it tells in any order.
fn tidy_causes(body: &mut Value) {
    let causes = body.pointer_mut("/details/causes").and_then(Value::as_array_mut);
    if let Some(causes) = causes {
        let mut known: Vec<Value> = Vec::with_capacity(causes.len());
        for cause in causes.drain(..) {
            if !known.contains(&cause) {
                known.push(cause);
            }
        }
        let is_conflict =
            |cause: &Value| cause.get("reason") == Some(&"FieldManagerConflict".into());
        if known.iter().all(is_conflict) {
            known.sort_by_key(|cause| cause.get("message").map(Value::to_string));
        }
        *causes = known;
        sort_type_errors(body);
    }
}

/// kube-apiserver walks the members of a schema in any order, so that what is wrong is told in any order beside values of
/// wrong types.
fn sort_type_errors(body: &mut Value) {
    const TYPE: &str = "in body must be of type";
    let Some(causes) = body.pointer("/details/causes").and_then(Value::as_array) else { return };
    let text = |cause: &Value, field: &str| {
        cause.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    if causes.len() < 2 || !causes.iter().any(|cause| text(cause, "message").contains(TYPE)) {
        return;
    }
    let mut causes = causes.clone();
    causes.sort_by_key(|cause| (text(cause, "field"), text(cause, "message")));
    let message = text(body, "message");
    // The message is made of the causes: what is left of it without them is compared.
    let rest = causes.iter().fold(message, |message, cause| {
        message.replacen(&format!("{}: {}", text(cause, "field"), text(cause, "message")), "", 1)
    });
    if let Some(place) = body.get_mut("message") {
        *place = rest.into();
    }
    if let Some(place) = body.pointer_mut("/details/causes") {
        *place = causes.into();
    }
}

/// Replaces a revision in the record of a conflict that no reply has shown.
fn hide_unseen(text: &mut String) {
    let Some((before, record)) = text.split_once("in record (") else { return };
    let Some((revision, after)) = record.split_once(')') else { return };
    if revision.bytes().all(|byte| byte.is_ascii_digit()) {
        *text = format!("{before}in record (<unseen>){after}");
    }
}

/// Replaces what depends on everything else that the server stores.
fn list_metadata(list: &mut Value) {
    let Some(metadata) = list.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    if metadata.contains_key("resourceVersion") {
        metadata.insert("resourceVersion".into(), "<list>".into());
    }
    match metadata.get("continue").and_then(Value::as_str) {
        // Allowed difference 10: the empty token may be left out.
        Some("") => drop(metadata.remove("continue")),
        Some(_) => drop(metadata.insert("continue".into(), "<continue>".into())),
        None => {}
    }
}

fn ordinal(known: &mut Vec<String>, what: &str, text: &str) -> String {
    let number = known.iter().position(|known| known == text).unwrap_or_else(|| {
        known.push(text.to_owned());
        known.len() - 1
    });
    format!("<{what} {number}>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(uid: &str, revision: &str) -> Value {
        json!({"metadata": {"name": "x", "namespace": "h7-a", "uid": uid, "resourceVersion": revision,
            "creationTimestamp": "2026-01-02T03:04:05Z"}})
    }

    const UIDS: [&str; 2] =
        ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];

    #[test]
    fn two_servers_agree_when_the_same_replies_show_the_same_revisions() {
        let (mut one, mut other) = (Normaliser::new("h7", true), Normaliser::new("h7", true));
        for (left, right) in [("5", "90"), ("6", "91"), ("5", "90")] {
            let left = one.reply(&object(UIDS[0], left));
            assert_eq!(left, other.reply(&object(UIDS[1], right)));
        }
        assert_ne!(one.reply(&object(UIDS[0], "5")), other.reply(&object(UIDS[1], "92")));
    }

    #[test]
    fn what_only_one_server_has_shown_can_be_forgotten() {
        let (mut one, mut other) = (Normaliser::new("h7", true), Normaliser::new("h7", true));
        let known = one.known();
        one.reply(&object(UIDS[1], "4"));
        one.forget_since(known);
        assert_eq!(one.reply(&object(UIDS[0], "5")), other.reply(&object(UIDS[1], "90")));
    }

    #[test]
    fn uids_and_revisions_are_found_inside_of_messages() {
        let mut normaliser = Normaliser::new("h7", true);
        normaliser.reply(&object(UIDS[0], "5"));
        let message =
            format!("the UID in record ({}) of h7-a, the ResourceVersion in record (5)", UIDS[0]);
        let shown = normaliser.reply(&json!({"message": message}));
        let want = "the UID in record (<uid 0>) of <history>-a, the ResourceVersion in record (<revision 0>)";
        assert_eq!(shown["message"], want);
    }

    #[test]
    fn times_are_found_inside_of_messages() {
        let mut normaliser = Normaliser::new("h7", true);
        normaliser.reply(&object(UIDS[0], "5"));
        let tell =
            |time: &str| json!({"message": format!("Invalid value: {time:?}: field is immutable")});
        let shown = normaliser.reply(&tell("2026-01-02T03:04:05Z"));
        assert_eq!(shown, tell("<time>"));
        assert_eq!(normaliser.reply(&tell("2026-01-02T03:04:06Z")), tell("2026-01-02T03:04:06Z"));
    }

    #[test]
    fn random_names_and_continue_tokens_become_words() {
        let mut normaliser = Normaliser::new("h7", true);
        let made = json!({"metadata": {"generateName": "one-", "name": "one-x4k2d"}});
        assert_eq!(normaliser.reply(&made)["metadata"]["name"], "one-<random>");
        let list =
            json!({"metadata": {"continue": "abc", "resourceVersion": "8"}, "items": [made]});
        let shown = normaliser.reply(&list);
        assert_eq!(
            shown["metadata"],
            json!({"continue": "<continue>", "resourceVersion": "<list>"})
        );
        assert_eq!(shown["items"][0]["metadata"]["name"], "one-<random>");
    }
}
