//! Requests that people leave in annotations: verify again, abort.
//!
//! The value is either the plain identifier (or action) or a JSON object that also says who asks.
//! A value that is JSON but no such object is no request.

use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A request about one verification of a Stage: to repeat it, or to abort it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerificationRequest {
    /// The verification.
    pub id: String,
    /// Who asks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// Whether the control plane itself asks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub control_plane: bool,
}

/// A request to abort a Promotion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AbortRequest {
    /// What to do; only `terminate` has a meaning.
    pub action: String,
    /// Who asks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// Whether the control plane itself asks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub control_plane: bool,
}

impl VerificationRequest {
    /// The request in an annotation's value, if it is one.
    pub fn parse(annotation: &str) -> Option<Self> {
        let Fields { subject: id, actor, control_plane } = Fields::parse(annotation, "id")?;
        Some(Self { id, actor, control_plane })
    }

    /// Whether the request is about this verification.
    pub fn is_for(&self, id: &str) -> bool {
        !self.id.is_empty() && self.id == id
    }

    /// The annotation's value; nothing when no verification is named.
    pub fn to_annotation(&self) -> String {
        if self.id.is_empty() { String::new() } else { to_json(self) }
    }
}

impl AbortRequest {
    /// The request in an annotation's value, if it is one.
    pub fn parse(annotation: &str) -> Option<Self> {
        let Fields { subject: action, actor, control_plane } = Fields::parse(annotation, "action")?;
        Some(Self { action, actor, control_plane })
    }

    /// The annotation's value; nothing when no action is named.
    pub fn to_annotation(&self) -> String {
        if self.action.is_empty() { String::new() } else { to_json(self) }
    }
}

/// What both requests have in common: what they are about, and who asks.
#[derive(Default)]
struct Fields {
    subject: String,
    actor: String,
    control_plane: bool,
}

impl Fields {
    fn parse(annotation: &str, subject_member: &'static str) -> Option<Self> {
        let is_json = serde_json::from_str::<IgnoredAny>(annotation).is_ok();
        let fields = if is_json {
            let visitor = FieldsVisitor { subject_member };
            serde_json::Deserializer::from_str(annotation).deserialize_map(visitor).ok()?
        } else {
            Self { subject: annotation.to_owned(), ..Self::default() }
        };
        (!fields.subject.is_empty()).then_some(fields)
    }
}

/// Reads the members in upstream's manner: any case, the last one wins, null leaves a member alone.
struct FieldsVisitor {
    subject_member: &'static str,
}

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a request object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Fields, A::Error> {
        let mut fields = Fields::default();
        while let Some(member) = members.next_key::<String>()? {
            if member.eq_ignore_ascii_case(self.subject_member) {
                replace(&mut fields.subject, members.next_value()?);
            } else if member.eq_ignore_ascii_case("actor") {
                replace(&mut fields.actor, members.next_value()?);
            } else if member.eq_ignore_ascii_case("controlPlane") {
                replace(&mut fields.control_plane, members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(fields)
    }
}

fn replace<'de, T: Deserialize<'de>>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

fn to_json(request: &impl Serialize) -> String {
    // A struct of texts and flags always has a JSON form.
    serde_json::to_string(request).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{AbortRequest, VerificationRequest};

    fn id(annotation: &str) -> Option<String> {
        VerificationRequest::parse(annotation).map(|request| request.id)
    }

    #[test]
    fn plain_text_is_the_identifier() {
        assert_eq!(id("abc def").as_deref(), Some("abc def"));
        assert_eq!(id(r#"{"id":"x""#).as_deref(), Some(r#"{"id":"x""#));
        assert_eq!(id(""), None);
    }

    #[test]
    fn json_of_another_shape_is_no_request() {
        for annotation in
            ["123", "true", "null", "\"x\"", "[]", "{}", r#"{"id":5}"#, r#"{"id":""}"#]
        {
            assert_eq!(id(annotation), None, "{annotation}");
        }
        assert_eq!(id(r#"{"id":"x","controlPlane":"yes"}"#), None);
    }

    #[test]
    fn members_are_read_in_any_case_and_the_last_one_wins() {
        assert_eq!(id(r#"{"ID":"x","unknown":{"a":[1]}}"#).as_deref(), Some("x"));
        assert_eq!(id(r#"{"id":"x","Id":"y","iD":null}"#).as_deref(), Some("y"));
    }

    #[test]
    fn requests_are_written_without_empty_members() {
        let request = AbortRequest {
            action: "terminate".into(),
            actor: "email:x".into(),
            control_plane: true,
        };
        let annotation = r#"{"action":"terminate","actor":"email:x","controlPlane":true}"#;
        assert_eq!(request.to_annotation(), annotation);
        assert_eq!(AbortRequest::parse(annotation), Some(request));
        assert_eq!(VerificationRequest::default().to_annotation(), "");
        assert!(!VerificationRequest::default().is_for(""));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(id in any::<String>(), actor in any::<String>(), control_plane in any::<bool>()) {
            let request = VerificationRequest { id, actor, control_plane };
            let read = VerificationRequest::parse(&request.to_annotation());
            prop_assert_eq!(read, Some(request).filter(|request| !request.id.is_empty()));
        }
    }
}
