//! Built-ins without predicate.

use crate::ast::{Kind, NodeId};
use crate::builtin::Builtin;
use crate::check::signature::{Param, check_arguments};
use crate::check::{Checker, Form, MapNature, Nature};
use crate::error::Error;

impl Checker<'_> {
    pub(super) fn builtin(
        &mut self,
        id: NodeId,
        builtin: Builtin,
        arguments: &[NodeId],
    ) -> Result<Nature, Error> {
        if builtin.predicate_parameters().is_some() {
            return self.predicate_builtin(builtin, arguments);
        }
        let natures = self.visit_all(arguments)?;
        if builtin == Builtin::Get {
            return self.get(id, arguments, &natures);
        }
        check(builtin, &natures).map_err(|message| self.error(id, message))
    }

    fn get(&self, id: NodeId, arguments: &[NodeId], natures: &[Nature]) -> Result<Nature, Error> {
        let ([object_id, _], [object, property]) = (arguments, natures) else {
            let message = wrong_count("2", natures.len());
            return Err(self.error(id, message));
        };
        let is_environment =
            matches!(self.ast.kind(*object_id), Kind::Name(name) if **name == *"$env");
        let fits = match object {
            Nature::Unknown | Nature::Map(MapNature::Pairs | MapNature::Groups) => true,
            _ if is_environment => true,
            Nature::Map(_) => matches!(property, Nature::Text | Nature::Unknown),
            _ => object.is_list() && (property.is_integer() || property.is_unknown()),
        };
        if fits {
            return Ok(object.element());
        }
        Err(self.error(id, format!("type {object} cannot be indexed by {property}")))
    }
}

fn wrong_count(expected: &str, got: usize) -> String {
    format!("invalid number of arguments (expected {expected}, got {got})")
}

/// The nature of the result.
fn check(builtin: Builtin, arguments: &[Nature]) -> Result<Nature, String> {
    if let Some((overloads, result)) = overloads(builtin) {
        let mut problem = String::new();
        for parameters in overloads {
            match check_arguments(builtin.name(), parameters, arguments) {
                Ok(()) => return Ok(result),
                Err(message) => problem = message,
            }
        }
        return Err(problem);
    }
    match builtin {
        Builtin::Max | Builtin::Min | Builtin::Mean | Builtin::Median => {
            check_aggregate(builtin, arguments)
        }
        Builtin::Now => match arguments {
            [] | [Nature::Zone] => Ok(Nature::Time),
            _ => Err(wrong_count("0", arguments.len())),
        },
        Builtin::Date => check_date(arguments),
        Builtin::Concat => {
            if arguments.is_empty() {
                return Err(wrong_count("at least 1", 0));
            }
            arguments.iter().try_for_each(|argument| expect_list(builtin, argument))?;
            Ok(Nature::list())
        }
        Builtin::Take => check_take(arguments),
        _ => match arguments {
            [argument] => check_single(builtin, argument),
            _ => Err(wrong_count("1", arguments.len())),
        },
    }
}

type Overloads = &'static [&'static [Param]];

/// Built-ins whose parameters have types.
fn overloads(builtin: Builtin) -> Option<(Overloads, Nature)> {
    use Param::{Any, Int, List, Text, Texts};
    Some(match builtin {
        Builtin::Type | Builtin::String | Builtin::ToJson => (&[&[Any]], Nature::Text),
        Builtin::Trim | Builtin::TrimPrefix | Builtin::TrimSuffix => {
            (&[&[Text], &[Text, Text]], Nature::Text)
        }
        Builtin::Upper | Builtin::Lower | Builtin::ToBase64 | Builtin::FromBase64 => {
            (&[&[Text]], Nature::Text)
        }
        Builtin::Split | Builtin::SplitAfter => {
            (&[&[Text, Text], &[Text, Text, Int]], Nature::Texts)
        }
        Builtin::Replace => (&[&[Text, Text, Text, Int], &[Text, Text, Text]], Nature::Text),
        Builtin::Repeat => (&[&[Text, Int]], Nature::Text),
        Builtin::Join => (&[&[Texts, Text], &[Texts], &[List, Text], &[List]], Nature::Text),
        Builtin::IndexOf | Builtin::LastIndexOf => (&[&[Text, Text]], Nature::Int),
        Builtin::HasPrefix | Builtin::HasSuffix => (&[&[Text, Text]], Nature::Bool),
        Builtin::FromJson => (&[&[Text]], Nature::Unknown),
        Builtin::Duration => (&[&[Text]], Nature::Duration),
        Builtin::Timezone => (&[&[Text]], Nature::Zone),
        Builtin::Sort => (&[&[List], &[List, Text], &[Texts], &[Texts, Text]], Nature::list()),
        Builtin::BitAnd
        | Builtin::BitOr
        | Builtin::BitXor
        | Builtin::BitNand
        | Builtin::BitShl
        | Builtin::BitShr
        | Builtin::BitUshr => (&[&[Int, Int]], Nature::Int),
        Builtin::BitNot => (&[&[Int]], Nature::Int),
        _ => return None,
    })
}

fn is_numeric_form(nature: &Nature) -> bool {
    matches!(nature.form(), Form::Int | Form::Int64 | Form::Uint | Form::Float)
}

fn check_aggregate(builtin: Builtin, arguments: &[Nature]) -> Result<Nature, String> {
    let name = builtin.name();
    let Some(first) = arguments.first() else {
        return Err(format!("not enough arguments to call {name}"));
    };
    for argument in arguments {
        if argument.is_unknown() || argument.is_list() {
            return Ok(Nature::Unknown);
        }
        if !is_numeric_form(argument) {
            return Err(format!("invalid argument for {name} (type {argument})"));
        }
    }
    Ok(first.clone())
}

fn check_date(arguments: &[Nature]) -> Result<Nature, String> {
    let rest = match arguments {
        [] => return Err(wrong_count("at least 1", 0)),
        [Nature::Zone, rest @ ..] => rest,
        all => all,
    };
    if rest.len() > 3 { Err(wrong_count("at most 3", rest.len())) } else { Ok(Nature::Time) }
}

fn check_take(arguments: &[Nature]) -> Result<Nature, String> {
    let [list, count] = arguments else { return Err(wrong_count("2", arguments.len())) };
    expect_list(Builtin::Take, list)?;
    if !count.is_unknown() && !matches!(count.form(), Form::Int | Form::Int64) {
        return Err(format!("cannot take {count} elements"));
    }
    Ok(without_elements(list))
}

/// What is known of a list once a built-in has looked at its type alone.
fn without_elements(list: &Nature) -> Nature {
    match list {
        Nature::List(_) => Nature::list(),
        other => other.clone(),
    }
}

fn expect_list(builtin: Builtin, argument: &Nature) -> Result<(), String> {
    if argument.is_list() || argument.is_unknown() {
        return Ok(());
    }
    Err(format!("cannot {} {argument}", builtin.name()))
}

fn check_single(builtin: Builtin, argument: &Nature) -> Result<Nature, String> {
    let form = argument.form();
    let is_unknown = argument.is_unknown();
    let invalid = || Err(format!("invalid argument for {} (type {argument})", builtin.name()));
    match builtin {
        Builtin::Len if is_unknown || matches!(form, Form::List | Form::Map | Form::Text) => {
            Ok(Nature::Int)
        }
        Builtin::Abs if is_unknown || is_numeric_form(argument) => Ok(argument.clone()),
        Builtin::Ceil | Builtin::Floor | Builtin::Round
            if is_unknown || is_numeric_form(argument) =>
        {
            Ok(Nature::Float)
        }
        Builtin::Int if is_unknown || is_numeric_form(argument) || form == Form::Text => {
            Ok(Nature::Int)
        }
        Builtin::Float if is_unknown || is_numeric_form(argument) || form == Form::Text => {
            Ok(Nature::Float)
        }
        Builtin::First | Builtin::Last if is_unknown => Ok(Nature::Unknown),
        Builtin::First | Builtin::Last if form == Form::List => {
            Ok(without_elements(argument).element())
        }
        Builtin::Keys | Builtin::Values | Builtin::ToPairs if is_unknown || form == Form::Map => {
            Ok(Nature::list())
        }
        Builtin::FromPairs if is_unknown || form == Form::List => Ok(Nature::Map(MapNature::Pairs)),
        Builtin::Reverse | Builtin::Uniq | Builtin::Flatten if is_unknown || form == Form::List => {
            Ok(Nature::list())
        }
        _ => invalid(),
    }
}
