//! Restrictions on strings and numbers, and the `enum` keyword.

use emb_meta::FieldError;
use serde_json::{Number, Value, json};

use super::structure::Walk;
use crate::{
    format::FormatName,
    node::{Bound, Constraints, JsonType, Node, Types},
    number::{self, go_float},
    place::Place,
};

pub(super) fn check(walk: &mut Walk<'_>, node: &Node, value: &Value, place: &Place<'_>) {
    match value {
        Value::String(text) => check_text(walk, &node.constraints, text, place),
        Value::Number(number) => check_number(walk, node, number, place),
        _ => {}
    }
}

/// Whether the value is one of those listed.
pub(super) fn check_choice(walk: &mut Walk<'_>, node: &Node, value: &Value, place: &Place<'_>) {
    let choices = &node.constraints.choices;
    if choices.is_empty() || choices.contains(value) {
        return;
    }
    let texts: Vec<String> = choices
        .iter()
        .map(|choice| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned))
        .collect();
    let supported = texts.iter().map(String::as_str);
    walk.errors.push(FieldError::not_supported(walk.field(place), value, supported));
}

fn check_text(walk: &mut Walk<'_>, constraints: &Constraints, text: &str, place: &Place<'_>) {
    check_length_and_pattern(walk, constraints, text, place);
    if let Some(format) = constraints.format.as_ref().filter(|format| !format.name.admits(text)) {
        let detail = format!("{place} in body must be of type {}: {text:?}", format.text);
        walk.errors.push(FieldError::type_invalid(walk.field(place), &json!(text), &detail));
    }
}

/// The first of these that fails is told, not all.
fn check_length_and_pattern(
    walk: &mut Walk<'_>,
    constraints: &Constraints,
    text: &str,
    place: &Place<'_>,
) {
    // Counting code points is needed only where counting bytes leaves doubt.
    let length = || text.chars().count() as u64;
    let detail = if let Some(most) =
        constraints.max_length.filter(|&most| text.len() as u64 > most && length() > most)
    {
        let limit = usize::try_from(most).unwrap_or(usize::MAX);
        walk.errors.push(FieldError::too_long(walk.field(place), limit));
        return;
    } else if let Some(least) = constraints.min_length.filter(|&least| length() < least) {
        format!("{place} in body should be at least {least} chars long")
    } else if let Some(pattern) =
        constraints.pattern.as_ref().filter(|pattern| !pattern.regex.is_match(text))
    {
        format!("{place} in body should match '{}'", pattern.text)
    } else {
        return;
    };
    walk.errors.push(FieldError::invalid(walk.field(place), &json!(text), &detail));
}

fn check_number(walk: &mut Walk<'_>, node: &Node, number: &Number, place: &Place<'_>) {
    check_range(walk, node, number, place);
    let constraints = &node.constraints;
    let problems = [
        constraints.multiple_of.and_then(|factor| not_multiple(number, factor)),
        constraints.minimum.and_then(|bound| out_of(number, bound, Side::Below)),
        constraints.maximum.and_then(|bound| out_of(number, bound, Side::Above)),
    ];
    for problem in problems.into_iter().flatten() {
        let detail = format!("{place} in body {problem}");
        let value = Value::Number(number.clone());
        walk.errors.push(number::invalid(walk.field(place), &value, &detail));
    }
}

/// Whether an integer fits its format. The API blames no field for this.
fn check_range(walk: &mut Walk<'_>, node: &Node, number: &Number, place: &Place<'_>) {
    if node.types != Types::One(JsonType::Integer) {
        return;
    }
    let format = node.constraints.format.as_ref();
    let fits = match (format.map(|format| format.name), whole(number)) {
        (_, None) => false,
        (Some(FormatName::Int32), Some(whole)) => i32::try_from(whole).is_ok(),
        (_, Some(_)) => true,
    };
    if fits {
        return;
    }
    let detail = match format {
        Some(format) => {
            format!("Checked value must be of type integer with format {} in {place}", format.text)
        }
        None => format!("Checked value must be of type integer (default format) in {place}"),
    };
    walk.errors.push(FieldError::invalid("<nil>", &json!(""), &detail));
}

fn whole(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let float = number.as_f64()?;
        let exact = float.fract() == 0.0 && float.abs() < 9.2e18;
        #[expect(clippy::cast_possible_truncation, reason = "whole and within range")]
        exact.then_some(float as i64)
    })
}

#[derive(Clone, Copy)]
enum Side {
    Below,
    Above,
}

fn out_of(number: &Number, bound: Bound, side: Side) -> Option<String> {
    #[expect(clippy::cast_possible_truncation, reason = "integers are compared with whole bounds")]
    let bound_whole = bound.value as i64;
    let (order, limit) = match number.as_i64() {
        Some(whole) => (Some(whole.cmp(&bound_whole)), bound_whole.to_string()),
        None => (number.as_f64()?.partial_cmp(&bound.value), go_float(bound.value)),
    };
    let order = order?;
    let (outside, words) = match side {
        Side::Below => (order.is_lt(), "greater than"),
        Side::Above => (order.is_gt(), "less than"),
    };
    if bound.exclusive {
        (outside || order.is_eq()).then(|| format!("should be {words} {limit}"))
    } else {
        outside.then(|| format!("should be {words} or equal to {limit}"))
    }
}

fn not_multiple(number: &Number, factor: f64) -> Option<String> {
    if factor <= 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole")]
    let whole_factor = (factor.fract() == 0.0 && factor < 9e15).then_some(factor as i64);
    let is_multiple = match (number.as_i64(), whole_factor) {
        (Some(whole), Some(factor)) => whole % factor == 0,
        _ => (number.as_f64()? / factor).fract() == 0.0,
    };
    (!is_multiple).then(|| format!("should be a multiple of {}", go_float(factor)))
}
