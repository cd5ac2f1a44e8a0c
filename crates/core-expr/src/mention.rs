//! What an expression mentions: variables with the members it takes from them, and functions with the
//! texts it gives them. For checks that run nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::ast::{Ast, Kind, NodeId};
use crate::program::Program;

/// Something that an expression mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mention {
    /// A variable and the members taken from it, as far as they are written out: `outputs.a.b`.
    Variable {
        /// The name and the members.
        path: Vec<String>,
        /// Where in the source text.
        range: Range<usize>,
    },
    /// A call of a function of the library.
    Call {
        /// Its name.
        function: String,
        /// The arguments that are written out as texts.
        arguments: Vec<Option<String>>,
        /// Where in the source text.
        range: Range<usize>,
    },
}

impl Mention {
    pub(crate) fn moved(mut self, offset: usize) -> Self {
        let (Self::Variable { range, .. } | Self::Call { range, .. }) = &mut self;
        *range = range.start + offset..range.end + offset;
        self
    }
}

impl Program {
    /// What the expression mentions, in no particular order. Variables of its own are left out.
    pub fn mentions(&self) -> Vec<Mention> {
        let ast = self.ast();
        let nodes = ast.below(self.root());
        let mut inner = BTreeSet::new();
        let mut own = BTreeSet::new();
        for &id in &nodes {
            match ast.kind(id) {
                Kind::Member(member) if text(ast, member.property).is_some() => {
                    inner.insert(member.object.index());
                }
                Kind::Chain(child) => {
                    inner.insert(child.index());
                }
                Kind::Call { callee, .. } => {
                    inner.insert(callee.index());
                }
                Kind::Let { name, .. } => {
                    own.insert(name.clone());
                }
                _ => {}
            }
        }
        let whole = nodes.iter().filter(|id| !inner.contains(&id.index()));
        let calls = nodes.iter().filter_map(|&id| call(ast, id));
        let variables = whole.filter_map(|&id| {
            let (path, start) = path(ast, id)?;
            let is_own = path.first().is_some_and(|name| own.contains(name.as_str()));
            (!is_own).then(|| Mention::Variable { path, range: start..ast.range(id).end })
        });
        variables.chain(calls).collect()
    }
}

/// The members down to a node, and where the variable stands.
fn path(ast: &Ast, mut id: NodeId) -> Option<(Vec<String>, usize)> {
    let mut reversed = Vec::new();
    loop {
        match ast.kind(id) {
            Kind::Name(name) => {
                reversed.push(name.to_string());
                reversed.reverse();
                return Some((reversed, ast.range(id).start));
            }
            Kind::Chain(child) => id = *child,
            Kind::Member(member) => {
                reversed.push(text(ast, member.property)?);
                id = member.object;
            }
            _ => return None,
        }
    }
}

fn call(ast: &Ast, id: NodeId) -> Option<Mention> {
    let Kind::Call { callee, arguments } = ast.kind(id) else { return None };
    let Kind::Name(function) = ast.kind(*callee) else { return None };
    let arguments = arguments.iter().map(|argument| text(ast, *argument)).collect();
    Some(Mention::Call { function: function.to_string(), arguments, range: ast.range(id) })
}

fn text(ast: &Ast, id: NodeId) -> Option<String> {
    match ast.kind(id) {
        Kind::Text(text) => std::str::from_utf8(text.as_bytes()).ok().map(str::to_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Mention;
    use crate::{Library, Program};

    fn mentions(source: &str) -> Vec<String> {
        let program = Program::compile(source, Library::STEP).unwrap();
        let mut texts: Vec<String> = program
            .mentions()
            .into_iter()
            .map(|mention| match mention {
                Mention::Variable { path, range } => format!("{} @{}", path.join("."), range.start),
                Mention::Call { function, arguments, .. } => format!("{function}{arguments:?}"),
            })
            .collect();
        texts.sort();
        texts
    }

    #[test]
    fn variables_come_with_the_members_that_are_written_out() {
        assert_eq!(
            mentions("outputs.push.commit + vars['a b']"),
            ["outputs.push.commit @0", "vars.a b @22"]
        );
        assert_eq!(mentions("outputs?.push?.commit"), ["outputs.push.commit @0"]);
        assert_eq!(mentions("outputs[vars.name].x"), ["outputs @0", "vars.name @8"]);
    }

    #[test]
    fn own_variables_are_nobody_elses_business() {
        assert_eq!(mentions("let x = vars.a; x.b"), ["vars.a @8"]);
        assert_eq!(mentions("filter([1], # > 0)"), Vec::<String>::new());
    }

    #[test]
    fn calls_come_with_the_texts_they_are_given() {
        assert_eq!(
            mentions("commitFrom('https://a', warehouse('w')).ID == vars.x"),
            [r#"commitFrom[Some("https://a"), None]"#, "vars.x @46", r#"warehouse[Some("w")]"#]
        );
    }
}
