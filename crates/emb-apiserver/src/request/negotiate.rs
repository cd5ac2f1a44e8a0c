//! Choosing the form of the reply from `Accept`, and telling body formats apart by `Content-Type`.

use emb_meta::{Reason, Status};

/// How the bytes of a reply are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    PrettyJson,
    Yaml,
}

/// What the reply shows of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The object as it is.
    Full,
    /// Rows and columns; the text is the version asked for.
    Table(&'static str),
    /// Only metadata of one object.
    Metadata,
    /// Only metadata of each object of a list.
    MetadataList,
    /// Aggregated discovery; the text is the version asked for.
    Discovery(&'static str),
}

/// The negotiated form of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) encoding: Encoding,
    pub(crate) shape: Shape,
}

impl Form {
    /// Plain JSON, what errors fall back to.
    pub(crate) const JSON: Self = Self { encoding: Encoding::Json, shape: Shape::Full };
}

const ACCEPTED: &str = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
const ACCEPTED_WATCH: &str = "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/// Picks the first acceptable clause, in the order of the header. `None`: nothing we can write.
pub(crate) fn form(accept: &str) -> Result<Form, Status> {
    if accept.trim().is_empty() {
        return Ok(Form::JSON);
    }
    accept.split(',').find_map(clause).ok_or_else(|| Status::new(Reason::NotAcceptable, ACCEPTED))
}

/// The same for a watch, which is only written as JSON.
pub(crate) fn watch_form(accept: &str) -> Result<Form, Status> {
    let refused = || Status::new(Reason::NotAcceptable, ACCEPTED_WATCH);
    match form(accept).map_err(|_| refused())? {
        Form { encoding: Encoding::Yaml, .. } => Err(refused()),
        Form { shape, .. } => Ok(Form { encoding: Encoding::Json, shape }),
    }
}

/// Whether a client asked for indented JSON, or looks like a person at a terminal.
pub(crate) fn wants_pretty(pretty: Option<&str>, user_agent: &str) -> bool {
    match pretty {
        Some(value) => !matches!(value, "false" | "0"),
        None => user_agent.starts_with("curl") || user_agent.starts_with("Wget"),
    }
}

fn clause(text: &str) -> Option<Form> {
    let mut parts = text.split(';').map(str::trim);
    let encoding = match parts.next()?.to_ascii_lowercase().as_str() {
        "application/json" | "*/*" | "application/*" => Encoding::Json,
        "application/yaml" => Encoding::Yaml,
        _ => return None,
    };
    let (mut shape_name, mut group, mut version) = ("", "", "");
    for part in parts {
        match part.split_once('=') {
            Some(("as", value)) => shape_name = value,
            Some(("g", value)) => group = value,
            Some(("v", value)) => version = value,
            _ => {}
        }
    }
    let meta_version = match version {
        "v1" => Some("v1"),
        "v1beta1" => Some("v1beta1"),
        _ => None,
    };
    let shape = match (shape_name, group) {
        ("", _) => Shape::Full,
        ("Table", "meta.k8s.io") => Shape::Table(meta_version?),
        ("PartialObjectMetadata", "meta.k8s.io") => meta_version.map(|_| Shape::Metadata)?,
        ("PartialObjectMetadataList", "meta.k8s.io") => {
            meta_version.map(|_| Shape::MetadataList)?
        }
        ("APIGroupDiscoveryList", "apidiscovery.k8s.io") => match version {
            "v2" => Shape::Discovery("v2"),
            "v2beta1" => Shape::Discovery("v2beta1"),
            _ => return None,
        },
        _ => return None,
    };
    Some(Form { encoding, shape })
}

/// The format of a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    Json,
    Yaml,
    Protobuf,
}

/// The format of a body that carries an object.
pub(crate) fn body_format(content_type: &str) -> Result<BodyFormat, Status> {
    match media_type(content_type).as_str() {
        "" | "application/json" => Ok(BodyFormat::Json),
        "application/yaml" => Ok(BodyFormat::Yaml),
        "application/vnd.kubernetes.protobuf" => Ok(BodyFormat::Protobuf),
        _ => Err(Status::new(
            Reason::UnsupportedMediaType,
            "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
        )),
    }
}

/// How a patch body is to be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchType {
    Json,
    Merge,
    Strategic,
    Apply,
}

/// The type of a patch; strategic patches exist for built-in kinds alone.
pub(crate) fn patch_type(content_type: &str, strategic: bool) -> Result<PatchType, Status> {
    match media_type(content_type).as_str() {
        "application/json-patch+json" => Ok(PatchType::Json),
        "application/merge-patch+json" => Ok(PatchType::Merge),
        "application/strategic-merge-patch+json" if strategic => Ok(PatchType::Strategic),
        "application/apply-patch+yaml" => Ok(PatchType::Apply),
        _ => {
            let mut accepted = vec!["application/json-patch+json", "application/merge-patch+json"];
            if strategic {
                accepted.push("application/strategic-merge-patch+json");
            }
            accepted.push("application/apply-patch+yaml");
            Err(Status::new(
                Reason::UnsupportedMediaType,
                format!(
                    "the body of the request was in an unknown format - accepted media types include: {}",
                    accepted.join(", ")
                ),
            ))
        }
    }
}

fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_clause_we_can_write_wins() {
        let kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        assert_eq!(form(kubectl).unwrap().shape, Shape::Table("v1"));
        assert_eq!(form("application/vnd.kubernetes.protobuf, */*").unwrap(), Form::JSON);
        assert_eq!(form("").unwrap(), Form::JSON);
        assert_eq!(form("application/yaml").unwrap().encoding, Encoding::Yaml);
        let discovery =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
        assert_eq!(form(discovery).unwrap().shape, Shape::Discovery("v2"));
        let unknown =
            "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json";
        assert_eq!(form(unknown).unwrap(), Form::JSON);
    }

    #[test]
    fn what_we_cannot_write_is_406() {
        for accept in ["text/xml", "application/vnd.kubernetes.protobuf", "application/cbor"] {
            assert_eq!(form(accept).unwrap_err().code, 406, "{accept}");
        }
        assert!(watch_form("application/yaml").unwrap_err().message.contains("stream=watch"));
    }

    #[test]
    fn strategic_patches_are_for_built_in_kinds() {
        let strategic = "application/strategic-merge-patch+json";
        assert_eq!(patch_type(strategic, true).unwrap(), PatchType::Strategic);
        assert_eq!(patch_type(strategic, false).unwrap_err().code, 415);
        let other = patch_type("application/apply-patch+json", true).unwrap_err();
        assert_eq!(other.code, 415);
        assert!(other.message.ends_with("+json, application/apply-patch+yaml"), "{other}");
    }

    proptest! {
        #[test]
        fn no_header_panics(text in "[ -~]{0,60}") {
            let _ = form(&text);
            let _ = body_format(&text);
            let _ = patch_type(&text, true);
        }
    }
}
