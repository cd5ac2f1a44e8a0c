//! Compiled expressions.

use std::fmt;

use crate::ast::{Ast, Kind, NodeId};
use crate::builtin::Builtin;
use crate::check::check;
use crate::error::{Error, ErrorKind, Failure};
use crate::eval::Machine;
use crate::library::Library;
use crate::limits::{Budget, MAX_SOURCE_BYTES};
use crate::optimize::optimize;
use crate::parser::parse;
use crate::print;
use crate::scope::Scope;
use crate::value::Value;

/// An expression that has been read and checked, and can be run any number of times.
#[derive(Clone, Debug)]
pub struct Program {
    ast: Ast,
    root: NodeId,
    library: Library,
    depends_on_time: bool,
}

impl Program {
    /// Reads and checks an expression. It may call the built-ins and the functions of a library.
    pub fn compile(source: &str, library: Library) -> Result<Self, Error> {
        if source.len() > MAX_SOURCE_BYTES {
            let message = format!("the expression is longer than {MAX_SOURCE_BYTES} bytes");
            return Err(Error::new(ErrorKind::Limit, 0..source.len(), message));
        }
        let (mut ast, root) = parse(source, library)?;
        let findings = check(&ast, root, library)?;
        let depends_on_time =
            ast.ids().any(|id| matches!(ast.kind(id), Kind::Builtin { builtin: Builtin::Now, .. }));
        optimize(&mut ast, findings)?;
        Ok(Self { ast, root, library, depends_on_time })
    }

    /// Evaluates the expression.
    pub fn run(&self, scope: &Scope<'_>) -> Result<Value, Failure> {
        self.run_within(scope, &mut Budget::default())
    }

    /// Evaluates the expression as one of several that share their limits.
    pub(crate) fn run_within(
        &self,
        scope: &Scope<'_>,
        budget: &mut Budget,
    ) -> Result<Value, Failure> {
        budget.renew_elements();
        Machine::new(&self.ast, self.library, scope, budget).evaluate(self.root)
    }

    pub(crate) fn ast(&self) -> &Ast {
        &self.ast
    }

    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    /// Whether the result may be another one at another time.
    pub fn depends_on_time(&self) -> bool {
        self.depends_on_time
    }
}

/// The expression in a normal form, with constant parts computed.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::print(&self.ast, self.root))
    }
}
