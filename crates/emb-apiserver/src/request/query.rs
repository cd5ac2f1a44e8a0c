//! Query parameters, and the options that lists, writes and deletes take from them.

use emb_meta::{FieldError, GroupKind, Reason, Status};
use serde_json::json;

use super::{negotiate::PatchType, path::decode};

/// The query parameters in the order they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Splits and decodes a query string; parts that do not decode are dropped, as unknown ones are ignored.
    pub(crate) fn parse(text: &str) -> Self {
        let parts = text.split('&').filter(|part| !part.is_empty()).filter_map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            Some((decode(&key.replace('+', " "))?, decode(&value.replace('+', " "))?))
        });
        Self(parts.collect())
    }

    /// The first value of a parameter; "" when absent.
    pub(crate) fn get(&self, key: &str) -> &str {
        self.find(key).unwrap_or_default()
    }

    /// The first value of a parameter.
    pub(crate) fn find(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Every value of a parameter.
    pub(crate) fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// A switch: `true`, `1`, or named without a value.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.find(key).is_some_and(|value| !matches!(value, "false" | "0"))
    }

    /// `omitManagedFields`, a parameter of our own: controllers have no use for managedFields.
    pub(crate) fn managers(&self) -> Managers {
        if self.flag("omitManagedFields") { Managers::Omitted } else { Managers::Shown }
    }

    /// A whole number, or 400 in the words of the API.
    pub(crate) fn number(&self, key: &str) -> Result<Option<i64>, Status> {
        match self.find(key) {
            None | Some("") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| {
                Status::new(
                    Reason::BadRequest,
                    format!(
                        "unable to decode query: {key}: strconv.ParseInt: parsing {text:?}: invalid syntax"
                    ),
                )
            }),
        }
    }
}

/// Whether a reply shows `metadata.managedFields`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Managers {
    Shown,
    Omitted,
}

/// How strictly unknown and duplicate fields are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    Warn,
    Strict,
}

/// The options of a create, update or patch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteOptions {
    pub(crate) dry_run: bool,
    pub(crate) field_validation: FieldValidation,
}

impl WriteOptions {
    /// Reads `fieldManager`, `dryRun` and `fieldValidation`; `options` names the options kind in errors.
    pub(crate) fn read(query: &Query, options: &str) -> Result<Self, Status> {
        Self::read_after(query, options, Vec::new())
    }

    /// The same for a patch, where apply needs a manager and nothing else may be forced.
    pub(crate) fn read_patch(query: &Query, kind: PatchType) -> Result<Self, Status> {
        let error = if kind == PatchType::Apply {
            let detail = "is required for apply patch";
            let missing = query.get("fieldManager").is_empty();
            missing.then(|| FieldError::required("fieldManager", detail))
        } else {
            let detail = "may not be specified for non-apply patch";
            query.find("force").map(|_| FieldError::forbidden("force", detail))
        };
        Self::read_after(query, "PatchOptions", error.into_iter().collect())
    }

    fn read_after(
        query: &Query,
        options: &str,
        mut errors: Vec<FieldError>,
    ) -> Result<Self, Status> {
        check_field_manager(query.get("fieldManager"), &mut errors);
        let dry_run = read_dry_run(query, &mut errors);
        let field_validation = match query.get("fieldValidation") {
            "" | "Warn" => FieldValidation::Warn,
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            other => {
                errors.push(FieldError::not_supported(
                    "fieldValidation",
                    &json!(other),
                    ["", "Ignore", "Strict", "Warn"],
                ));
                FieldValidation::Warn
            }
        };
        if errors.is_empty() {
            Ok(Self { dry_run, field_validation })
        } else {
            Err(Status::invalid(&GroupKind::new("meta.k8s.io", options), "", &errors))
        }
    }
}

fn read_dry_run(query: &Query, errors: &mut Vec<FieldError>) -> bool {
    let mut dry = false;
    for value in query.all("dryRun").filter(|value| !value.is_empty()) {
        if value == "All" {
            dry = true;
        } else {
            errors.push(FieldError::not_supported("dryRun", &json!([value]), ["All"]));
        }
    }
    dry
}

fn check_field_manager(manager: &str, errors: &mut Vec<FieldError>) {
    if manager.len() > 128 {
        errors.push(FieldError::too_long("fieldManager", 128));
    }
    for (at, letter) in manager.char_indices() {
        if letter.is_control() || (letter.is_whitespace() && letter != ' ') {
            let detail =
                format!("invalid character U+{:04X} (at position {at})", u32::from(letter));
            errors.push(FieldError::invalid("fieldManager", &json!(manager), &detail));
        }
    }
}

/// Reads a resourceVersion parameter: `None` when unset, else a number; other text is 400.
pub(crate) fn resource_version(text: &str) -> Result<Option<u64>, Status> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        Status::new(
            Reason::BadRequest,
            format!(
                "invalid resource version: resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_looked_up() {
        let query = Query::parse("labelSelector=a%3Db%2Cc&watch&limit=5&bad=%z1&empty=");
        assert_eq!(query.get("labelSelector"), "a=b,c");
        assert!(query.flag("watch"));
        assert!(!query.flag("absent"));
        assert_eq!(query.number("limit").unwrap(), Some(5));
        assert_eq!(query.find("bad"), None);
    }

    #[test]
    fn unknown_option_values_are_refused_by_name() {
        let read = |text: &str| WriteOptions::read(&Query::parse(text), "CreateOptions");
        assert!(read("dryRun=All").unwrap().dry_run);
        assert_eq!(read("dryRun=Foo").unwrap_err().code, 422);
        assert_eq!(read("fieldValidation=Maybe").unwrap_err().code, 422);
        let long = format!("fieldManager={}", "x".repeat(129));
        assert_eq!(read(&long).unwrap_err().code, 422);
        let read = |text: &str, kind| {
            WriteOptions::read_patch(&Query::parse(text), kind).err().map(|status| status.message)
        };
        assert_eq!(read("fieldManager=me&force=true", PatchType::Apply), None);
        let missing = read("force=true", PatchType::Apply).unwrap_or_default();
        assert!(missing.ends_with("fieldManager: Required value: is required for apply patch"));
        let forced = read("force=false", PatchType::Merge).unwrap_or_default();
        assert!(forced.ends_with("force: Forbidden: may not be specified for non-apply patch"));
    }

    #[test]
    fn a_version_is_a_number() {
        assert_eq!(resource_version("").unwrap(), None);
        assert_eq!(resource_version("7").unwrap(), Some(7));
        assert!(resource_version("abc").unwrap_err().message.ends_with("invalid syntax"));
    }
}
