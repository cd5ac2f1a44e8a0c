//! How a pass ends, when it comes to creating Freight and when it does not.

use api_kinds::{Freight, warehouse::WarehouseStatus};
use core_clock::Time;

use super::pass::Pass;

/// The end of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// The status to write.
    pub status: WarehouseStatus,
    /// Why the pass must be repeated soon, if it must.
    pub error: Option<String>,
}

/// Freight that must exist.
#[derive(Clone, Debug)]
pub struct Creation<'a> {
    pass: Pass<'a>,
    freight: Box<Freight>,
}

impl<'a> Creation<'a> {
    pub(super) fn new(pass: Pass<'a>, freight: Box<Freight>) -> Self {
        Self { pass, freight }
    }

    /// The Freight. Its name says what it consists of: under that name it may exist already.
    pub fn freight(&self) -> &Freight {
        &self.freight
    }

    /// It was created.
    pub fn created(self, now: Time) -> End {
        self.exists(true, now)
    }

    /// It existed already.
    pub fn already_exists(self, now: Time) -> End {
        self.exists(false, now)
    }

    fn exists(mut self, is_new: bool, now: Time) -> End {
        let subscriptions = self.pass.subscriptions();
        let mut rows = self.pass.rows(now);
        rows.criteria(true);
        rows.created(is_new);
        rows.succeeded(subscriptions);
        self.pass.status.last_freight_id = self.freight.metadata.name.unwrap_or_default();
        End { status: self.pass.status, error: None }
    }

    /// It could not be created.
    pub fn failed(mut self, error: &str, now: Time) -> End {
        let metadata = &self.freight.metadata;
        let name = metadata.name.as_deref().unwrap_or_default();
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        let message =
            format!("Error creating Freight {name:?} in namespace {namespace:?}: {error}");
        let has_discovered = self.pass.has_discovered;
        let mut rows = self.pass.rows(now);
        if has_discovered {
            rows.forget_created();
        }
        rows.criteria(true);
        rows.creation_failed(&message);
        End { status: self.pass.status, error: Some(message) }
    }
}
