//! Built-ins that take a predicate.

use crate::ast::NodeId;
use crate::builtin::Builtin;
use crate::check::{Checker, MapNature, Nature, Scope};
use crate::error::Error;

impl Checker<'_> {
    pub(super) fn predicate_builtin(
        &mut self,
        builtin: Builtin,
        arguments: &[NodeId],
    ) -> Result<Nature, Error> {
        let Some((list, rest)) = arguments.split_first() else { return Ok(Nature::Unknown) };
        let collection = self.visit(*list)?;
        if !collection.is_list() && !collection.is_unknown() {
            let name = builtin.name();
            let message = format!("builtin {name} takes only array (got {collection})");
            return Err(self.error(*list, message));
        }
        let element = collection.element();
        let Some((predicate, rest)) = rest.split_first() else {
            return Ok(if builtin == Builtin::Count { Nature::Int } else { element });
        };
        let given = self.predicate(builtin, collection.clone(), *predicate)?;
        for extra in rest {
            let order = self.visit(*extra)?;
            let fits = builtin == Builtin::Reduce || order == Nature::Text || order.is_unknown();
            if !fits {
                let message = format!("sortBy order argument must be a string (got {order})");
                return Err(self.error(*extra, message));
            }
        }
        Ok(match builtin {
            Builtin::All | Builtin::None | Builtin::Any | Builtin::One => Nature::Bool,
            Builtin::Filter => Nature::list_of(element),
            Builtin::Map => Nature::list_of(given),
            Builtin::Count | Builtin::FindIndex | Builtin::FindLastIndex => Nature::Int,
            Builtin::Find | Builtin::FindLast => element,
            Builtin::GroupBy => Nature::Map(MapNature::Groups),
            Builtin::SortBy => collection,
            _ => given,
        })
    }

    /// What the predicate gives.
    fn predicate(
        &mut self,
        builtin: Builtin,
        collection: Nature,
        predicate: NodeId,
    ) -> Result<Nature, Error> {
        self.scopes.push(Scope {
            collection,
            has_index: matches!(builtin, Builtin::Map | Builtin::Reduce),
            has_accumulator: builtin == Builtin::Reduce,
        });
        let given = self.visit(predicate);
        self.scopes.pop();
        let given = given?;
        if given == Nature::Nil {
            return Err(self.error(predicate, "predicate should have one result"));
        }
        let wants_truth = matches!(
            builtin,
            Builtin::All
                | Builtin::None
                | Builtin::Any
                | Builtin::One
                | Builtin::Filter
                | Builtin::Count
                | Builtin::Find
                | Builtin::FindLast
                | Builtin::FindIndex
                | Builtin::FindLastIndex
        );
        if wants_truth && given != Nature::Bool && !given.is_unknown() {
            let message = format!("predicate should return boolean (got {given})");
            return Err(self.error(predicate, message));
        }
        Ok(given)
    }
}
