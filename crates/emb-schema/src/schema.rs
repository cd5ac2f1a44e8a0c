//! The schema of one kind in one version.

use std::sync::Arc;

use emb_meta::{FieldError, FieldPath};
use serde_json::Value;

use crate::{
    admit,
    compile::Compiler,
    defaulting::{self, Nulls},
    node::{Envelope, Node},
    prune, validate,
};

/// A compiled schema. Clones share the tree.
#[derive(Clone, Debug)]
pub struct Schema(Arc<Node>);

/// How much work the rules of a schema may do for one object, in abstract units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// All rules together.
    pub object: u64,
    /// One evaluation of one rule.
    pub rule: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { object: 10_000_000, rule: 1_000_000 }
    }
}

impl Schema {
    /// Compiles the schema of a custom resource, which stands at `at` in its definition. Gives the warnings that the
    /// author of the definition should see, or everything that is wrong with the schema.
    pub fn compile(
        open_api_v3_schema: &Value,
        at: &FieldPath,
    ) -> Result<(Self, Vec<String>), Vec<FieldError>> {
        let mut errors = admit::structure(open_api_v3_schema, at);
        let mut compiler = Compiler::new();
        let root = compiler.root(open_api_v3_schema, at, Envelope::Root);
        errors.append(&mut compiler.errors);
        if errors.is_empty() {
            admit::defaults(&root, at, &mut errors);
        }
        if errors.is_empty() { Ok((Self(Arc::new(root)), compiler.warnings)) } else { Err(errors) }
    }

    /// Compiles a schema that belongs to the server. It says everything itself: `apiVersion`, `kind` and `metadata` are
    /// known only where it names them.
    pub fn compile_builtin(schema: &Value) -> Result<Self, Vec<FieldError>> {
        let mut compiler = Compiler::new();
        let root = compiler.root(schema, &FieldPath::root(), Envelope::None);
        if compiler.errors.is_empty() { Ok(Self(Arc::new(root))) } else { Err(compiler.errors) }
    }

    /// The paths of the fields that the schema does not know, as `spec.items[0].bogus`, sorted.
    pub fn unknown_fields(&self, object: &Value) -> Vec<String> {
        prune::unknown_fields(&self.0, object)
    }

    /// Removes the fields that the schema does not know.
    pub fn prune(&self, object: &mut Value) {
        prune::prune(&self.0, object);
    }

    /// Drops nulls where the schema does not allow them, then fills in defaults.
    pub fn drop_nulls_and_default(&self, object: &mut Value) {
        defaulting::default(&self.0, object, Nulls::Drop);
    }

    /// Fills in defaults, also in place of nulls. Other nulls stay, allowed or not.
    pub fn default(&self, object: &mut Value) {
        defaulting::default(&self.0, object, Nulls::Keep);
    }

    /// Everything that is wrong with `new`. With `old`, the object it replaces, what was wrong already and did not
    /// change is accepted.
    pub fn validate(&self, new: &Value, old: Option<&Value>, budget: Budget) -> Vec<FieldError> {
        self.validate_after(new, old, budget, &[])
    }

    /// The same for an object of which something wrong is known already, for example in its metadata: what keeps the
    /// rules of the schema from running does so wherever it stands.
    pub fn validate_after(
        &self,
        new: &Value,
        old: Option<&Value>,
        budget: Budget,
        known: &[FieldError],
    ) -> Vec<FieldError> {
        validate::validate(&self.0, new, old, budget, known)
    }

    /// The same without a look at the structure, for an object that says it is of another kind.
    pub fn validate_beyond_structure(
        &self,
        new: &Value,
        old: Option<&Value>,
        budget: Budget,
        known: &[FieldError],
    ) -> Vec<FieldError> {
        validate::validate_beyond_structure(&self.0, new, old, budget, known, Vec::new())
    }
}
