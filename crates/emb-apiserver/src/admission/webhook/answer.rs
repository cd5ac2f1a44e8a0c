//! What a webhook answers, read and verified.

use base64::{Engine, engine::general_purpose::STANDARD};
use emb_codec::json;
use emb_meta::ObjectExt;
use serde_json::{Map, Value};

use super::{Stage, hook::ReviewVersion};

/// The kind of patch that webhooks may send.
pub(super) const JSON_PATCH: &str = "JSONPatch";

/// What the answer must fit.
pub(super) struct Expected<'a> {
    pub(super) uid: &'a str,
    pub(super) version: ReviewVersion,
    pub(super) stage: Stage,
}

/// A verified answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) allowed: bool,
    /// Why not, in the form of a Status.
    pub(super) status: Option<Value>,
    /// A patch as text; empty for none.
    pub(super) patch: Vec<u8>,
    /// What kind of patch it is.
    pub(super) patch_type: String,
    pub(super) warnings: Vec<String>,
    pub(super) annotations: Vec<(String, String)>,
}

/// The members of the response that are looked at before they are believed.
#[derive(Default)]
struct Given {
    uid: String,
    patch_type: Option<String>,
    answer: Answer,
}

impl Answer {
    /// Reads the body of a reply. The error says what is wrong with it in the words of the API.
    pub(super) fn read(body: &[u8], expected: &Expected<'_>) -> Result<Self, String> {
        let unreadable = |problem: String| format!("failed to call webhook: {problem}");
        let review = json::decode(body)
            .map_err(|error| format!("couldn't get version/kind; json parse error: {error}"))
            .map_err(unreadable)?
            .value;
        let given = match review.get("response") {
            None | Some(Value::Null) => None,
            Some(Value::Object(members)) => Some(Given::read(members).map_err(unreadable)?),
            Some(_) => return Err(unreadable(mismatch("response"))),
        };
        given
            .ok_or_else(|| "webhook response was absent".to_owned())
            .and_then(|given| given.verified(&review, expected))
            .map_err(|problem| format!("received invalid webhook response: {problem}"))
    }
}

impl Given {
    fn read(members: &Map<String, Value>) -> Result<Self, String> {
        let mut given = Self::default();
        for (key, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            given.take(key, value).ok_or_else(|| mismatch(key))?;
        }
        Ok(given)
    }

    /// Takes one member over; `None` when it has the wrong type.
    fn take(&mut self, key: &str, value: &Value) -> Option<()> {
        let answer = &mut self.answer;
        match key {
            "uid" => value.as_str()?.clone_into(&mut self.uid),
            "allowed" => answer.allowed = value.as_bool()?,
            "status" => answer.status = Some(value.as_object().map(|_| value.clone())?),
            "patch" => answer.patch = STANDARD.decode(value.as_str()?).ok()?,
            "patchType" => self.patch_type = Some(value.as_str()?.to_owned()),
            "warnings" => {
                for warning in value.as_array()? {
                    answer.warnings.push(warning.as_str()?.to_owned());
                }
            }
            "auditAnnotations" => {
                for (key, value) in value.as_object()? {
                    answer.annotations.push((key.clone(), value.as_str()?.to_owned()));
                }
            }
            _ => {}
        }
        Some(())
    }

    fn verified(self, review: &Value, expected: &Expected<'_>) -> Result<Answer, String> {
        if expected.version == ReviewVersion::V1 {
            self.check_identity(review, expected)?;
            match expected.stage {
                Stage::Mutating => self.check_patch()?,
                Stage::Validating => self.check_no_patch()?,
            }
        }
        let patch_type = self.patch_type.unwrap_or_else(|| JSON_PATCH.to_owned());
        Ok(Answer { patch_type, ..self.answer })
    }

    fn check_identity(&self, review: &Value, expected: &Expected<'_>) -> Result<(), String> {
        if self.uid != expected.uid {
            return Err(format!("expected response.uid={:?}, got {:?}", expected.uid, self.uid));
        }
        let (wanted, api_version) = (expected.version.api_version(), review.text(&["apiVersion"]));
        let kind = review.text(&["kind"]);
        if api_version != wanted || kind != "AdmissionReview" {
            let got = if api_version.is_empty() { "/" } else { api_version };
            return Err(format!(
                "expected webhook response of {wanted}, Kind=AdmissionReview, got {got}, Kind={kind}"
            ));
        }
        Ok(())
    }

    fn check_patch(&self) -> Result<(), String> {
        match (self.answer.patch.is_empty(), self.patch_type.as_deref()) {
            (false, None) => {
                Err("webhook returned response.patch but not response.patchType".to_owned())
            }
            (true, Some(_)) => {
                Err("webhook returned response.patchType but not response.patch".to_owned())
            }
            (false, Some("")) => {
                Err("webhook returned invalid response.patchType of \"\"".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn check_no_patch(&self) -> Result<(), String> {
        if !self.answer.patch.is_empty() {
            return Err("validating webhook may not return response.patch".to_owned());
        }
        if self.patch_type.is_some() {
            return Err("validating webhook may not return response.patchType".to_owned());
        }
        Ok(())
    }
}

fn mismatch(field: &str) -> String {
    format!("json: cannot unmarshal into Go struct field AdmissionReview.response.{field}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(stage: Stage, response: Value) -> Result<Answer, String> {
        let review = json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response
        });
        let expected = Expected { uid: "u", version: ReviewVersion::V1, stage };
        Answer::read(review.to_string().as_bytes(), &expected)
    }

    #[test]
    fn a_sound_answer_is_taken_as_it_is() {
        let answer = read(
            Stage::Mutating,
            json!({
                "uid": "u", "allowed": true, "patchType": "JSONPatch", "patch": "W10=",
                "warnings": ["w"], "auditAnnotations": {"k": "v"}, "status": null,
            }),
        );
        let expected = Answer {
            allowed: true,
            patch: b"[]".to_vec(),
            patch_type: JSON_PATCH.into(),
            warnings: vec!["w".into()],
            annotations: vec![("k".into(), "v".into())],
            ..Answer::default()
        };
        assert_eq!(answer, Ok(expected));
    }

    #[test]
    fn what_does_not_fit_the_question_is_refused() {
        let invalid = "received invalid webhook response: ";
        let cases = [
            (Stage::Mutating, json!(null), "webhook response was absent"),
            (Stage::Mutating, json!({"uid": "x"}), "expected response.uid=\"u\", got \"x\""),
            (
                Stage::Mutating,
                json!({"uid": "u", "patch": "W10="}),
                "webhook returned response.patch but not response.patchType",
            ),
            (
                Stage::Mutating,
                json!({"uid": "u", "patchType": "JSONPatch"}),
                "webhook returned response.patchType but not response.patch",
            ),
            (
                Stage::Mutating,
                json!({"uid": "u", "patch": "W10=", "patchType": ""}),
                "webhook returned invalid response.patchType of \"\"",
            ),
            (
                Stage::Validating,
                json!({"uid": "u", "patch": "W10="}),
                "validating webhook may not return response.patch",
            ),
        ];
        for (stage, response, problem) in cases {
            assert_eq!(read(stage, response), Err(format!("{invalid}{problem}")));
        }
        for response in [json!({"allowed": "yes"}), json!({"patch": "§"}), json!([])] {
            let problem = read(Stage::Mutating, response).unwrap_err();
            assert!(problem.starts_with("failed to call webhook: json: cannot"), "{problem}");
        }
    }

    #[test]
    fn the_older_form_is_not_held_to_uid_and_kind() {
        let expected =
            Expected { uid: "u", version: ReviewVersion::V1Beta1, stage: Stage::Mutating };
        let answer = Answer::read(br#"{"response":{"allowed":true,"patch":"W10="}}"#, &expected);
        assert_eq!(answer.map(|answer| answer.patch), Ok(b"[]".to_vec()));
    }

    proptest! {
        #[test]
        fn no_body_panics(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let expected = Expected { uid: "", version: ReviewVersion::V1, stage: Stage::Mutating };
            let _ = Answer::read(&body, &expected);
        }
    }
}
