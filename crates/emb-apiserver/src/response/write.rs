//! From a verb's answer to an HTTP response.

use bytes::Bytes;
use emb_meta::{ObjectExt, Reason, Status};
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

use super::{
    Body, list,
    shape::{self, TableForm},
};
use crate::{
    call::{Call, Reply},
    request::{
        negotiate::{Encoding, Form, Shape},
        query::Managers,
    },
    verb::list::List,
};

/// Writes what a verb answered.
pub(crate) fn reply(call: &Call, form: Form, reply: Reply) -> Result<Response<Body>, Status> {
    let managers = call.info.query.managers();
    match reply {
        Reply::Written(response) => Ok(response),
        Reply::Plain(code, body) => Ok(value(code, form.encoding, &body)),
        Reply::Object(code, mut object) => {
            if managers == Managers::Omitted {
                object.metadata_mut().remove("managedFields");
            }
            one(call, form, code, object)
        }
        Reply::Stored(code, entry) if form == Form::JSON => {
            Ok(document(code, "application/json", call.served.bytes(&entry, managers)))
        }
        Reply::Stored(code, entry) => one(call, form, code, call.served.shown(&entry, managers)),
        Reply::List(list) => many(call, form, list, managers),
    }
}

fn one(call: &Call, form: Form, code: StatusCode, object: Value) -> Result<Response<Body>, Status> {
    let shaped = match form.shape {
        Shape::Full => object,
        Shape::Table(version) => table(call, version)?.one(&call.served.resource, &object, true),
        Shape::Metadata => shape::partial_metadata(&object),
        Shape::MetadataList | Shape::Discovery(_) => {
            return Err(Status::new(
                Reason::NotAcceptable,
                "you requested PartialObjectMetadataList, but the requested object is not a list",
            ));
        }
    };
    Ok(value(code, form.encoding, &shaped))
}

fn many(
    call: &Call,
    form: Form,
    listed: List,
    managers: Managers,
) -> Result<Response<Body>, Status> {
    if form.encoding != Encoding::Json {
        return Ok(value(
            StatusCode::OK,
            form.encoding,
            &collected(call, form, &listed, managers)?,
        ));
    }
    let body = match form.shape {
        Shape::Full => list::body(&call.served, listed, managers),
        Shape::MetadataList => list::metadata_body(listed, managers),
        Shape::Table(version) => Body::full(table(call, version)?.text(&call.served, &listed)),
        Shape::Metadata | Shape::Discovery(_) => return Err(is_a_list(call)),
    };
    let mut response = Response::new(body);
    set_content_type(&mut response, "application/json");
    Ok(response)
}

/// A list as one document, for the encodings that are not plain JSON.
fn collected(call: &Call, form: Form, listed: &List, managers: Managers) -> Result<Value, Status> {
    let resource = &call.served.resource;
    let metadata = list::metadata(listed);
    let objects = |managers| listed.entries.iter().map(move |e| call.served.shown(e, managers));
    Ok(match form.shape {
        Shape::Full => {
            let items: Vec<Value> = objects(managers).map(|item| list_item(call, item)).collect();
            json!({
                "kind": &*resource.list_kind, "apiVersion": resource.gvk.group_version().to_string(),
                "metadata": metadata, "items": items,
            })
        }
        Shape::Table(version) => {
            table(call, version)?.document(resource, objects(Managers::Omitted), metadata)
        }
        Shape::MetadataList => {
            let items: Vec<Value> =
                objects(managers).map(|object| shape::partial_metadata(&object)).collect();
            json!({
                "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                "metadata": metadata, "items": items,
            })
        }
        Shape::Metadata | Shape::Discovery(_) => return Err(is_a_list(call)),
    })
}

fn is_a_list(call: &Call) -> Status {
    let message = format!(
        "you requested PartialObjectMetadata, but the requested object is a list ({})",
        call.served.resource.list_kind
    );
    Status::new(Reason::NotAcceptable, message)
}

/// Items of built-in lists show neither kind nor apiVersion, as typed clients know both.
fn list_item(call: &Call, mut object: Value) -> Value {
    if let (None, Some(members)) = (&call.served.custom, object.as_object_mut()) {
        members.remove("kind");
        members.remove("apiVersion");
    }
    object
}

/// How the client wants tables.
pub(crate) fn table(call: &Call, version: &'static str) -> Result<TableForm, Status> {
    let include = shape::include(call.info.query.get("includeObject"))?;
    Ok(TableForm { version, include, now: call.state.clock.now() })
}

/// Writes a document that has no other shapes.
pub(crate) fn value(code: StatusCode, encoding: Encoding, value: &Value) -> Response<Body> {
    match encoding {
        Encoding::Json => document(code, "application/json", value.to_string()),
        Encoding::PrettyJson => document(code, "application/json", format!("{value:#}\n")),
        Encoding::Yaml => document(code, "application/yaml", emb_codec::yaml::encode(value)),
    }
}

/// Writes a failure.
pub(crate) fn status(status: &Status, encoding: Encoding) -> Response<Body> {
    let code = StatusCode::from_u16(status.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = value(code, encoding, &status.to_value());
    let retry = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    if retry > 0 {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry));
    }
    response
}

/// Writes a short text, as health checks and missing pages do.
pub(crate) fn plain_text(code: StatusCode, text: impl Into<Bytes>) -> Response<Body> {
    let mut response = document(code, "text/plain; charset=utf-8", text);
    let nosniff = HeaderValue::from_static("nosniff");
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    response
}

/// Writes bytes of a content type.
pub(crate) fn document(
    code: StatusCode,
    content_type: &'static str,
    bytes: impl Into<Bytes>,
) -> Response<Body> {
    let mut response = Response::new(Body::full(bytes));
    *response.status_mut() = code;
    set_content_type(&mut response, content_type);
    response
}

fn set_content_type(response: &mut Response<Body>, content_type: &'static str) {
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
}
