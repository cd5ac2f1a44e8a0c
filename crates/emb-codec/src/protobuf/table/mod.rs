//! Which field number of which message is which JSON member: facts of the published API, one table per message.

mod admission;
mod authentication;
mod authorization;
mod coordination;
mod core;
mod events;
mod extensions;
mod meta;
mod rbac;

/// One message.
#[derive(Debug)]
pub(super) struct Table {
    /// What the message becomes.
    pub(super) shape: Shape,
    /// Its fields.
    pub(super) members: &'static [Member],
}

/// What a message becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// An object.
    Object,
    /// Just the value of the first member, in the order of the table, that is there.
    OneOf,
}

/// One field of a message.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) number: u32,
    pub(super) slot: Slot,
    pub(super) kind: Kind,
}

/// Where the value of a field goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// A member, whenever the field is sent.
    Kept(&'static str),
    /// A member, when the value is not empty.
    Filled(&'static str),
    /// An item of the list in a member.
    List(&'static str),
    /// An entry of the map in a member.
    Map(&'static str),
    /// The members go into the object around.
    Inline,
}

/// What a field holds.
#[derive(Debug)]
pub(super) enum Kind {
    /// Text.
    Text,
    /// A boolean.
    Bool,
    /// An integer of 32 or 64 bits.
    Int,
    /// A floating-point number.
    Double,
    /// Bytes; base64 in JSON.
    Bytes,
    /// A message `{1: seconds, 2: nanoseconds}`; the zero time is null.
    Time,
    /// As `Time`, written with six decimals.
    MicroTime,
    /// A message `{1: bytes}` whose bytes are JSON.
    RawJson,
    /// A message `{1: items}` that is a list of texts.
    TextList,
    /// Another message.
    Message(&'static Table),
}

/// The message of a kind; `None` for kinds that only come as text.
pub(super) fn find(api_version: &str, kind: &str) -> Option<&'static Table> {
    // Clients name the version of the resource that they delete, whatever it is.
    if kind == "DeleteOptions" {
        return Some(&meta::DELETE_OPTIONS);
    }
    let kinds = match api_version {
        "v1" => core::KINDS,
        "admissionregistration.k8s.io/v1" => admission::KINDS,
        "apiextensions.k8s.io/v1" => extensions::KINDS,
        "authentication.k8s.io/v1" => authentication::KINDS,
        "authorization.k8s.io/v1" => authorization::KINDS,
        "coordination.k8s.io/v1" => coordination::KINDS,
        "events.k8s.io/v1" => events::KINDS,
        "rbac.authorization.k8s.io/v1" => rbac::KINDS,
        _ => return None,
    };
    kinds.iter().find(|(name, _)| *name == kind).map(|(_, table)| *table)
}

/// A message that is a JSON object.
const fn object(members: &'static [Member]) -> Table {
    Table { shape: Shape::Object, members }
}

/// A message that stands for the first of its members that is there.
const fn one_of(members: &'static [Member]) -> Table {
    Table { shape: Shape::OneOf, members }
}

/// A member that appears whenever the field is sent, be it zero.
const fn kept(number: u32, name: &'static str, kind: Kind) -> Member {
    Member { number, slot: Slot::Kept(name), kind }
}

/// A member that appears only when it is not zero or empty: encoders send such fields always.
const fn filled(number: u32, name: &'static str, kind: Kind) -> Member {
    Member { number, slot: Slot::Filled(name), kind }
}

/// A member that is a list.
const fn list(number: u32, name: &'static str, kind: Kind) -> Member {
    Member { number, slot: Slot::List(name), kind }
}

/// A member that is a map with text keys.
const fn map(number: u32, name: &'static str, kind: Kind) -> Member {
    Member { number, slot: Slot::Map(name), kind }
}

/// A message whose members belong to the object around it.
const fn inline(number: u32, message: &'static Table) -> Member {
    Member { number, slot: Slot::Inline, kind: Kind::Message(message) }
}
