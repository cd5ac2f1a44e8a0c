//! Reads of objects and collections.

use http::Method;

use super::{Generator, request};
use crate::{
    kinds::Kind,
    operation::{Body, Request},
};

const PARTIAL: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const PARTIAL_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// Label selectors of all forms, right and wrong.
const LABEL_SELECTORS: [&str; 14] = [
    "tier=front",
    "tier==back",
    "tier",
    "!tier",
    "tier!=front",
    "tier in (front,back)",
    "tier notin (back)",
    "tier=",
    "example.com/rank>1",
    "example.com/rank<10,tier",
    " tier = front , app ",
    "app in ()",
    "tier=front=x",
    "tier in front",
];

/// Field selectors that all kinds know, that some know, and that are wrong.
const FIELD_SELECTORS: [&str; 9] = [
    "metadata.name=x",
    "metadata.name!=x",
    "metadata.namespace=<history>-a",
    "metadata.name=x,metadata.namespace!=other",
    "spec.color=red",
    "type=Opaque",
    "involvedObject.name=x",
    "reason!=Seen",
    "metadata.name",
];

impl Generator {
    /// One object, whole or its metadata, from the main path or `/status`. A read that names a revision may show that
    /// state or a later one; it names the latest, so that there is one answer.
    pub(super) fn get(&mut self) {
        let (kind, key) = self.target();
        let mut path = kind.item(&key);
        let with_revision = self.dice.percent(8);
        if with_revision {
            self.list_all(kind, key.namespace);
        }
        if kind.status && self.dice.percent(15) {
            path.push_str("/status");
        }
        let mut request = request(Method::GET, path, Body::Empty, Some(&key));
        match self.dice.below(12) {
            _ if with_revision => {
                request.query.push(("resourceVersion", "<list-revision>".into()));
            }
            1 => request.accept = Some(PARTIAL),
            2 => request.query.push(("resourceVersion", "abc".into())),
            _ => {}
        }
        if request.accept.is_some() {
            request.target = None;
        }
        self.push(request);
    }

    /// A collection, with selectors and versions.
    pub(super) fn list(&mut self) {
        let kind = self.kind();
        let namespace = self.namespace(kind);
        let mut request = self.plain_list(kind, namespace);
        match self.dice.below(10) {
            0..=3 => self.select(&mut request),
            4 => {
                self.list_all(kind, namespace);
                request.query.push(("resourceVersion", "<list-revision>".into()));
            }
            5 => {
                self.list_all(kind, namespace);
                request.query.push(("resourceVersion", "<list-revision>".into()));
                let which = if self.dice.percent(50) { "Exact" } else { "NotOlderThan" };
                request.query.push(("resourceVersionMatch", which.into()));
            }
            6 => request.query.push(("resourceVersionMatch", "Exact".into())),
            7 => request.accept = Some(PARTIAL_LIST),
            _ => {}
        }
        if kind.namespaced && self.dice.percent(15) {
            request.query.push(("limit", "2".into()));
        }
        self.push(request);
    }

    /// A collection in pages, with other steps between them. Where pages end in a collection that all histories share is
    /// not for one of them to say.
    pub(super) fn page(&mut self) {
        let kind = self.kind();
        if !kind.namespaced {
            return self.list();
        }
        let namespace = self.namespace(kind);
        let limit = if self.dice.percent(60) { "1" } else { "2" };
        let mut request = request(Method::GET, kind.collection(namespace), Body::Empty, None);
        request.query.push(("limit", limit.into()));
        self.push(request.clone());
        for _ in 0..=self.dice.below(2) {
            if self.dice.percent(50) {
                self.create();
            }
            let mut next = request.clone();
            next.query.push(("continue", "<continue>".into()));
            self.push(next);
        }
    }

    /// A whole collection.
    pub(super) fn list_all(&mut self, kind: &'static Kind, namespace: char) {
        let request = self.plain_list(kind, namespace);
        self.push(request);
    }

    /// Only what belongs to this history.
    pub(super) fn plain_list(&self, kind: &Kind, namespace: char) -> Request {
        let everywhere = !kind.namespaced || (self.namespaces.len() > 1 && self.dice.percent(10));
        let path = if everywhere { kind.everywhere() } else { kind.collection(namespace) };
        let mut request = request(Method::GET, path, Body::Empty, None);
        if everywhere {
            request.query.push(("labelSelector", "history=<history>".into()));
        }
        request
    }

    fn select(&self, request: &mut Request) {
        let (name, choices): (&str, &[&str]) = if self.dice.percent(65) {
            ("labelSelector", &LABEL_SELECTORS)
        } else {
            ("fieldSelector", &FIELD_SELECTORS)
        };
        let selector = self.dice.pick(choices).unwrap_or_default();
        match request.query.iter_mut().find(|(known, _)| *known == name) {
            Some((_, own)) => *own = format!("{own},{selector}"),
            None => request.query.push((name, selector.to_owned())),
        }
    }
}
