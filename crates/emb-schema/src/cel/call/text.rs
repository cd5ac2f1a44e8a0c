//! Methods of strings. Positions count characters.

use super::convert::position;
use crate::{
    cel::{
        ast::Call,
        evaluate::Evaluated,
        function::Function,
        program::{EvalError, Meter},
        value::Val,
    },
    pattern,
};

/// Compiling a pattern that is not a literal costs this much: the work is far beyond its length.
const PATTERN_COST: usize = 10_000;

pub(super) fn apply<'v>(
    function: Function,
    text: &str,
    rest: &[Val<'v>],
    meter: &mut Meter,
) -> Evaluated<'v> {
    meter.charge_text(text.len())?;
    Ok(match (function, rest) {
        (Function::Contains, [Val::Text(part)]) => Val::Bool(text.contains(part.as_ref())),
        (Function::StartsWith, [Val::Text(part)]) => Val::Bool(text.starts_with(part.as_ref())),
        (Function::EndsWith, [Val::Text(part)]) => Val::Bool(text.ends_with(part.as_ref())),
        (Function::LowerAscii, []) => Val::text(text.to_ascii_lowercase()),
        (Function::UpperAscii, []) => Val::text(text.to_ascii_uppercase()),
        (Function::Trim, []) => Val::text(text.trim()),
        (Function::CharAt, [Val::Int(index)]) => char_at(text, *index)?,
        (Function::IndexOf, [Val::Text(part)]) => index_of(text, part, 0),
        (Function::IndexOf, [Val::Text(part), Val::Int(from)]) => {
            index_of(text, part, offset(text, *from)?)
        }
        (Function::LastIndexOf, [Val::Text(part)]) => {
            position(text.rfind(part.as_ref()).map(|at| characters(text, at)))
        }
        (Function::LastIndexOf, [Val::Text(part), Val::Int(until)]) => {
            let end = offset(text, *until)? + part.len();
            let searched = text.get(..end.min(text.len())).unwrap_or(text);
            position(searched.rfind(part.as_ref()).map(|at| characters(text, at)))
        }
        (Function::Replace, [Val::Text(old), Val::Text(new), limit @ ..]) => {
            replace(text, old, new, limit_of(limit), meter)?
        }
        (Function::Split, [Val::Text(separator), limit @ ..]) => {
            split(text, separator, limit_of(limit), meter)?
        }
        (Function::Substring, [Val::Int(from)]) => {
            Val::text(text.get(offset(text, *from)?..).unwrap_or_default())
        }
        (Function::Substring, [Val::Int(from), Val::Int(to)]) => {
            let (from, to) = (offset(text, *from)?, offset(text, *to)?);
            let part = text.get(from..to);
            Val::text(part.ok_or_else(|| EvalError::failed("invalid substring range"))?)
        }
        _ => return Err(EvalError::NoSuchOverload),
    })
}

/// `matches`, `find` and `findAll`.
pub(super) fn search<'v>(
    call: &Call,
    text: &Val<'v>,
    pattern_text: &Val<'v>,
    limit: Option<&Val<'v>>,
    meter: &mut Meter,
) -> Evaluated<'v> {
    let (Val::Text(text), Val::Text(pattern_text)) = (text, pattern_text) else {
        return Err(EvalError::NoSuchOverload);
    };
    let per_byte = 1 + pattern_text.len() / 4;
    meter.charge((1 + text.len() / 10).saturating_mul(per_byte))?;
    let compiled;
    let regex = if let Some(regex) = &call.pattern {
        regex
    } else {
        meter.charge(PATTERN_COST)?;
        compiled = pattern::compile(pattern_text).map_err(EvalError::Failed)?;
        &compiled
    };
    Ok(match call.function {
        Function::Matches => Val::Bool(regex.is_match(text)),
        Function::Find => Val::text(regex.find_iter(text).next().unwrap_or_default()),
        _ => {
            let most = limit.map_or(usize::MAX, |limit| limit_of(std::slice::from_ref(limit)));
            let found: Vec<Val<'v>> = regex.find_iter(text).take(most).map(Val::text).collect();
            meter.charge(found.len())?;
            Val::list(found)
        }
    })
}

/// A limit; negative ones mean no limit.
fn limit_of(limit: &[Val<'_>]) -> usize {
    match limit.first() {
        Some(Val::Int(limit)) => usize::try_from(*limit).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

/// The byte at which a character starts; one past the last is fine.
fn offset(text: &str, index: i64) -> Result<usize, EvalError> {
    let out = || EvalError::failed(format!("index out of range: {index}"));
    let wanted = usize::try_from(index).map_err(|_| out())?;
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(wanted).ok_or_else(out)
}

fn characters(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or_default().chars().count()
}

fn char_at<'v>(text: &str, index: i64) -> Evaluated<'v> {
    let rest = text.get(offset(text, index)?..).unwrap_or_default();
    Ok(Val::text(rest.chars().next().map(String::from).unwrap_or_default()))
}

fn index_of<'v>(text: &str, part: &str, from: usize) -> Val<'v> {
    let found = text.get(from..).and_then(|rest| rest.find(part));
    position(found.map(|at| characters(text, from + at)))
}

fn replace<'v>(text: &str, old: &str, new: &str, limit: usize, meter: &mut Meter) -> Evaluated<'v> {
    // Paid for before it is built: an empty `old` matches between all characters.
    let places = text.matches(old).take(limit).count();
    meter.charge_text(places.saturating_mul(new.len()))?;
    Ok(Val::text(text.replacen(old, new, places)))
}

fn split<'v>(text: &str, separator: &str, limit: usize, meter: &mut Meter) -> Evaluated<'v> {
    let parts: Vec<Val<'v>> = match (limit, separator) {
        (0, _) => Vec::new(),
        (limit, "") => {
            let mut characters: Vec<String> = text.chars().map(String::from).collect();
            if characters.len() > limit {
                let rest = characters.split_off(limit - 1).concat();
                characters.push(rest);
            }
            characters.into_iter().map(Val::text).collect()
        }
        (limit, separator) => text.splitn(limit, separator).map(Val::text).collect(),
    };
    meter.charge(parts.len())?;
    Ok(Val::list(parts))
}
