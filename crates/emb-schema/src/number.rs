//! Numbers in messages, printed as the Go programs of the ecosystem print them.

use emb_meta::{FieldError, FieldErrorKind};
use serde_json::Value;

/// An error that shows `value`, floats in Go's form.
pub(crate) fn invalid(field: String, value: &Value, detail: &str) -> FieldError {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(float) => {
            let message = format!("Invalid value: {}: {detail}", go_float(float));
            FieldError::of(FieldErrorKind::Invalid, field, message)
        }
        None => FieldError::invalid(field, value, detail),
    }
}

/// A float in its shortest form; with an exponent below 1e-4 and from 1e6 on.
pub(crate) fn go_float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let Ok(exponent) = exponent.parse::<i32>() else { return scientific };
    if (-4..6).contains(&exponent) {
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_switch_to_an_exponent_where_go_does() {
        for (value, text) in [
            (1.5, "1.5"),
            (100_000.0, "100000"),
            (1_000_000.0, "1e+06"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.25e100, "1.25e+100"),
        ] {
            assert_eq!(go_float(value), text);
        }
    }
}
