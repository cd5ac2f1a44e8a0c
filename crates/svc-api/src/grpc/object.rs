//! Objects of routes as messages.

use api_grpc::v1::{Kind, Object};
use serde::Deserialize;
use serde_json::value::RawValue;
use tonic::Status;

/// What names an object, of all that is in it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    name: String,
    namespace: String,
    resource_version: String,
}

/// An object from its JSON.
pub(super) fn object(kind: Kind, json: &str) -> Result<Object, Status> {
    let named: Named =
        serde_json::from_str(json).map_err(|_| Status::internal("the answer is no object"))?;
    let Metadata { name, namespace, resource_version } = named.metadata;
    let kind = kind.into();
    Ok(Object { kind, project: namespace, name, resource_version, json: json.to_owned() })
}

/// Objects from theirs.
pub(super) fn objects(kind: Kind, items: &[Box<RawValue>]) -> Result<Vec<Object>, Status> {
    items.iter().map(|item| object(kind, item.get())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_named_and_whole() {
        let json = r#"{"kind":"Stage","metadata":{"name":"qa","namespace":"demo","resourceVersion":"7","uid":"u"}}"#;
        let expected = Object {
            kind: Kind::Stage.into(),
            project: "demo".to_owned(),
            name: "qa".to_owned(),
            resource_version: "7".to_owned(),
            json: json.to_owned(),
        };
        assert_eq!(object(Kind::Stage, json).unwrap(), expected);
        assert!(object(Kind::Stage, "7").is_err());
    }
}
