//! Kinds of `authentication.k8s.io`.

use super::{
    Kind::{Bool, Int, Message, Text, TextList, Time},
    Table, filled, kept, list, map, meta, object,
};

/// The kinds that are read.
pub(super) static KINDS: &[(&str, &Table)] = &[
    ("TokenReview", &TOKEN_REVIEW),
    ("TokenRequest", &TOKEN_REQUEST),
    ("SelfSubjectReview", &SELF_SUBJECT_REVIEW),
];

static TOKEN_REVIEW_SPEC: Table = object(&[filled(1, "token", Text), list(2, "audiences", Text)]);

static USER_INFO: Table = object(&[
    filled(1, "username", Text),
    filled(2, "uid", Text),
    list(3, "groups", Text),
    map(4, "extra", TextList),
]);

static TOKEN_REVIEW_STATUS: Table = object(&[
    filled(1, "authenticated", Bool),
    filled(2, "user", Message(&USER_INFO)),
    filled(3, "error", Text),
    list(4, "audiences", Text),
]);

static TOKEN_REVIEW: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    kept(2, "spec", Message(&TOKEN_REVIEW_SPEC)),
    filled(3, "status", Message(&TOKEN_REVIEW_STATUS)),
]);

static BOUND_OBJECT_REFERENCE: Table = object(&[
    filled(1, "kind", Text),
    filled(2, "apiVersion", Text),
    filled(3, "name", Text),
    filled(4, "uid", Text),
]);

static TOKEN_REQUEST_SPEC: Table = object(&[
    list(1, "audiences", Text),
    kept(3, "boundObjectRef", Message(&BOUND_OBJECT_REFERENCE)),
    kept(4, "expirationSeconds", Int),
]);

static TOKEN_REQUEST_STATUS: Table =
    object(&[kept(1, "token", Text), kept(2, "expirationTimestamp", Time)]);

static TOKEN_REQUEST: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    kept(2, "spec", Message(&TOKEN_REQUEST_SPEC)),
    filled(3, "status", Message(&TOKEN_REQUEST_STATUS)),
]);

static SELF_SUBJECT_REVIEW_STATUS: Table = object(&[filled(1, "userInfo", Message(&USER_INFO))]);

static SELF_SUBJECT_REVIEW: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    filled(2, "status", Message(&SELF_SUBJECT_REVIEW_STATUS)),
]);
