//! Regular expressions. Matching takes linear time, and the size of an expression is bounded.

use gotmpl::Value;
use regex::{NoExpand, Regex, RegexBuilder};

use super::{Call, Table, texts};

const MAX_COMPILED: usize = 256 * 1024;

pub(super) const TABLE: Table = &[
    ("regexMatch", is_match),
    ("mustRegexMatch", is_match),
    ("regexFind", find),
    ("mustRegexFind", find),
    ("regexFindAll", find_all),
    ("mustRegexFindAll", find_all),
    ("regexReplaceAll", replace),
    ("mustRegexReplaceAll", replace),
    ("regexReplaceAllLiteral", replace_literal),
    ("mustRegexReplaceAllLiteral", replace_literal),
    ("regexSplit", split),
    ("mustRegexSplit", split),
    ("regexQuoteMeta", |call| Ok(regex::escape(&call.text(0)?).into())),
];

fn compiled(call: &Call<'_>) -> Result<Regex, String> {
    let expression = call.text(0)?;
    let regex = RegexBuilder::new(&expression).size_limit(MAX_COMPILED).build();
    regex.map_err(|error| error.to_string())
}

fn is_match(call: &Call<'_>) -> Result<Value, String> {
    Ok(Value::Bool(compiled(call)?.is_match(&call.text(1)?)))
}

fn find(call: &Call<'_>) -> Result<Value, String> {
    let text = call.text(1)?;
    Ok(compiled(call)?.find(&text).map_or("", |found| found.as_str()).into())
}

fn find_all(call: &Call<'_>) -> Result<Value, String> {
    let text = call.text(1)?;
    let regex = compiled(call)?;
    let found = regex.find_iter(&text).map(|found| found.as_str());
    Ok(texts(found.take(count(call, 2)?)))
}

/// Matches replaced by a template in which `$1` or `${name}` stand for groups.
fn replace(call: &Call<'_>) -> Result<Value, String> {
    let (text, replacement) = (call.text(1)?, call.text(2)?);
    let regex = compiled(call)?;
    // Each `$` may bring all of the text, once for each match.
    let groups = replacement.matches('$').count();
    limit(&regex, &text, replacement.len() + groups.saturating_mul(text.len()))?;
    Ok(regex.replace_all(&text, replacement.as_str()).into_owned().into())
}

fn replace_literal(call: &Call<'_>) -> Result<Value, String> {
    let (text, replacement) = (call.text(1)?, call.text(2)?);
    let regex = compiled(call)?;
    limit(&regex, &text, replacement.len())?;
    Ok(regex.replace_all(&text, NoExpand(&replacement)).into_owned().into())
}

fn limit(regex: &Regex, text: &str, replacement: usize) -> Result<(), String> {
    let length = regex.find_iter(text).count().saturating_mul(replacement);
    if length > 4 * crate::MAX_OUTPUT { Err("the text is too long".to_owned()) } else { Ok(()) }
}

fn split(call: &Call<'_>) -> Result<Value, String> {
    let text = call.text(1)?;
    let regex = compiled(call)?;
    Ok(texts(regex.splitn(&text, count(call, 2)?)))
}

/// How many are wanted; all when the number is negative.
fn count(call: &Call<'_>, index: usize) -> Result<usize, String> {
    Ok(usize::try_from(call.integer(index)?).unwrap_or(usize::MAX))
}
