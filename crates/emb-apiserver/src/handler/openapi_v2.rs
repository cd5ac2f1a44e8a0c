//! The little of OpenAPI v2 that clients still need: `kubectl` looks there, and only there, whether unknown fields of a
//! `v1` `List` are checked by the server. It asks for a namespace in place of the list, in protobuf.

use http::{Response, StatusCode};

use crate::{
    request::Info,
    response::{Body, document},
};

const MEDIA_TYPE: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// Answers `/openapi/v2`; there is no JSON form.
pub(super) fn serve(info: &Info) -> Response<Body> {
    if !info.header("accept").contains(MEDIA_TYPE) {
        return super::page_not_found();
    }
    document(
        StatusCode::OK,
        "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
        specification(),
    )
}

/// A document with one operation: the patch of a namespace takes `fieldValidation`.
fn specification() -> Vec<u8> {
    let kind = b"group: \"\"\nkind: Namespace\nversion: v1\n";
    let extension = [text(1, b"x-kubernetes-group-version-kind"), text(2, &text(2, kind))].concat();
    let query = [text(2, b"query"), text(4, b"fieldValidation"), text(6, b"string")].concat();
    let parameter = text(1, &text(2, &text(3, &query)));
    let patch = [text(8, &parameter), text(13, &extension)].concat();
    let path = [text(1, b"/api/v1/namespaces/{name}"), text(2, &text(8, &patch))].concat();
    let info = [text(1, b"Kubernetes"), text(2, b"unversioned")].concat();
    [text(1, b"2.0"), text(2, &info), text(8, &text(2, &path))].concat()
}

/// A field with a length: texts and messages.
fn text(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 0x7f {
        field.push(u8::try_from(length & 0x7f).unwrap_or(0) | 0x80);
        length >>= 7;
    }
    field.push(u8::try_from(length).unwrap_or(0));
    field.extend_from_slice(bytes);
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_take_as_many_bytes_as_they_need() {
        assert_eq!(text(1, b"ab"), [0x0a, 2, b'a', b'b']);
        let long = text(2, &[0; 200]);
        assert_eq!(&long[..3], [0x12, 0xc8, 0x01]);
    }
}
