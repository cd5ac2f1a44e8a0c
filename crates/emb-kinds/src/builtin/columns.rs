//! The table columns of the built-in kinds. Cells are worded by code, column by column.

use crate::resource::Column;

/// Name, type, format, priority, description.
pub(super) type ColumnEntry = (&'static str, &'static str, &'static str, i32, &'static str);

pub(super) const NAME: ColumnEntry = ("Name", "string", "name", 0, "The object's name.");
const WIDE_NAME: ColumnEntry = ("Name", "string", "name", 1, "The object's name.");
pub(super) const AGE: ColumnEntry =
    ("Age", "string", "", 0, "How long ago the object was created.");
pub(super) const CREATED_AT: ColumnEntry =
    ("Created At", "date", "", 0, "When the object was created.");
const ROLE: ColumnEntry = ("Role", "string", "", 0, "The role that is granted.");
const USERS: ColumnEntry = ("Users", "string", "", 1, "Users that are granted the role.");
const GROUPS: ColumnEntry = ("Groups", "string", "", 1, "Groups that are granted the role.");
const ACCOUNTS: ColumnEntry =
    ("ServiceAccounts", "string", "", 1, "Service accounts that are granted the role.");
pub(super) const WEBHOOKS: ColumnEntry =
    ("Webhooks", "integer", "", 0, "How many webhooks the configuration has.");

pub(super) const EVENT_COLUMNS: &[ColumnEntry] = &[
    ("Last Seen", "string", "", 0, "How long ago it happened last."),
    ("Type", "string", "", 0, "Normal or Warning."),
    ("Reason", "string", "", 0, "What happened, as one word for programs."),
    ("Object", "string", "", 0, "What it happened to."),
    ("Subobject", "string", "", 1, "Which part of the object it is about."),
    ("Source", "string", "", 1, "Who reported it."),
    ("Message", "string", "", 0, "What happened, for people."),
    ("First Seen", "string", "", 1, "How long ago it happened first."),
    ("Count", "string", "", 1, "How often it happened."),
    WIDE_NAME,
];
pub(super) const BINDING_COLUMNS: &[ColumnEntry] = &[NAME, ROLE, AGE, USERS, GROUPS, ACCOUNTS];

/// The descriptor of a column.
pub(super) fn column(&(name, kind, format, priority, description): &ColumnEntry) -> Column {
    Column {
        name: name.to_owned(),
        kind: kind.to_owned(),
        format: format.to_owned(),
        description: description.to_owned(),
        priority,
        path: None,
    }
}
