//! Parameters behind the question mark.

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: ParameterKind,
    /// Whether the route cannot do without.
    pub is_required: bool,
    /// Whether upstream's document names it; it serves more than it documents.
    pub is_documented: bool,
}

/// What a parameter holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Any text.
    Text,
    /// `true`, or anything else for no.
    Flag,
    /// A number.
    Number,
    /// Texts, one per repetition of the name.
    Many,
}

impl Parameter {
    const fn new(name: &'static str, kind: ParameterKind) -> Self {
        Self { name, kind, is_required: false, is_documented: true }
    }

    pub(super) const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    pub(super) const fn undocumented(self) -> Self {
        Self { is_documented: false, ..self }
    }
}

pub(super) const fn text(name: &'static str) -> Parameter {
    Parameter::new(name, ParameterKind::Text)
}

pub(super) const fn flag(name: &'static str) -> Parameter {
    Parameter::new(name, ParameterKind::Flag)
}

pub(super) const fn number(name: &'static str) -> Parameter {
    Parameter::new(name, ParameterKind::Number)
}

pub(super) const fn many(name: &'static str) -> Parameter {
    Parameter::new(name, ParameterKind::Many)
}

/// Answers with a stream of changes.
pub(super) const WATCH: Parameter = flag("watch").undocumented();

/// Where a watch goes on.
pub(super) const RESOURCE_VERSION: Parameter = text("resourceVersion").undocumented();

/// How many objects there are at most in an answer.
pub(super) const LIMIT: Parameter = number("limit").undocumented();

/// Where the answer before ended.
pub(super) const CONTINUE: Parameter = text("continue").undocumented();

/// What of an object is wanted: `card`, or paths separated by commas.
pub(super) const FIELDS: Parameter = text("fields").undocumented();

/// Which labels an object must have.
pub(super) const LABEL_SELECTOR: Parameter = text("labelSelector").undocumented();

/// Which values an object must have.
pub(super) const FIELD_SELECTOR: Parameter = text("fieldSelector").undocumented();

/// `all`: checks everything, and changes nothing.
pub(super) const DRY_RUN: Parameter = text("dryRun").undocumented();

/// Stops at the first object that is not written.
pub(super) const STRICT: Parameter = flag("strict").undocumented();

/// Merges objects into the stored ones, as the manager of their fields that is named here.
pub(super) const FIELD_MANAGER: Parameter = text("fieldManager").undocumented();

/// Takes fields over from other managers.
pub(super) const FORCE: Parameter = flag("force").undocumented();

/// Answers with the objects that a role is made of.
pub(super) const AS_RESOURCES: Parameter = flag("as-resources").undocumented();
