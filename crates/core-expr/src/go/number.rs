//! Numbers and truth values in text.

/// Reads a whole number in base 10 with an optional sign, nothing else.
pub(crate) fn parse_int(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Reads a truth value.
pub(crate) fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// Reads a float: decimal or hexadecimal with an exponent, with underscores between digits, or
/// the names of infinity and not-a-number. Numbers that are too large are none.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    if lower == "inf" || lower == "infinity" || (lower == "nan" && unsigned.len() == text.len()) {
        return text.parse().ok();
    }
    if text.contains('_') && !underscores_separate_digits(unsigned) {
        return None;
    }
    let digits = lower.replace('_', "");
    let number = match digits.strip_prefix("0x") {
        Some(hex) => parse_hex(hex)?,
        None => parse_decimal(&digits)?,
    };
    let number = if text.starts_with('-') { -number } else { number };
    number.is_finite().then_some(number)
}

fn parse_decimal(digits: &str) -> Option<f64> {
    let is_decimal =
        digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-'));
    let starts_well = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if is_decimal && starts_well { digits.parse().ok() } else { None }
}

/// `1.8p3` without the prefix; the exponent is required.
fn parse_hex(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let mut exponent = parse_int(exponent)?.clamp(-100_000, 100_000);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut bits: u64 = 0;
    for (index, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(digit.to_digit(16)?);
        let is_fraction = index >= whole.len();
        if bits >> 59 == 0 {
            bits = bits << 4 | digit;
            exponent -= if is_fraction { 4 } else { 0 };
        } else {
            bits |= u64::from(digit != 0);
            exponent += if is_fraction { 0 } else { 4 };
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "rounding to the nearest float is the point")]
    Some(scale(bits as f64, exponent))
}

/// `number` times two to the power of `exponent`.
fn scale(mut number: f64, mut exponent: i64) -> f64 {
    while exponent != 0 && number != 0.0 && number.is_finite() {
        let step = exponent.clamp(-1000, 1000);
        #[expect(clippy::cast_possible_truncation, reason = "clamped")]
        let factor = 2f64.powi(step as i32);
        number *= factor;
        exponent -= step;
    }
    number
}

/// Underscores stand between digits, or between the prefix of a base and a digit.
fn underscores_separate_digits(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let prefixed = ["0x", "0b", "0o"].iter().find_map(|prefix| lower.strip_prefix(prefix));
    let is_hex = lower.starts_with("0x");
    let mut previous = if prefixed.is_some() { '0' } else { '^' };
    for character in prefixed.unwrap_or(&lower).chars() {
        let is_digit = character.is_ascii_digit() || (is_hex && character.is_ascii_hexdigit());
        match character {
            '_' if previous != '0' => return false,
            _ if !is_digit && character != '_' && previous == '_' => return false,
            _ => {}
        }
        previous = match character {
            '_' => '_',
            _ if is_digit => '0',
            _ => '!',
        };
    }
    previous != '_'
}

/// A float as plain text: an exponent below 1e-4 and from 1e6 on.
pub(crate) fn format_float(number: f64) -> String {
    format_with(number, -4, 6, true)
}

/// A float in JSON: an exponent below 1e-6 and from 1e21 on. `None` for numbers JSON has not.
pub(crate) fn json_float(number: f64) -> Option<String> {
    number.is_finite().then(|| format_with(number, -6, 21, false))
}

fn format_with(number: f64, from: i32, to: i32, two_digits: bool) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if number == 0.0 || (from..to).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let size = exponent.unsigned_abs();
    if two_digits { format!("{digits}e{sign}{size:02}") } else { format!("{digits}e{sign}{size}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_read_as_upstream_does() {
        let cases = [
            ("1e5", Some(1e5)),
            ("0123", Some(123.0)),
            ("1_000", Some(1000.0)),
            ("+1", Some(1.0)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("0x10", None),
            ("0X1P4", Some(16.0)),
            ("0x1p-2", Some(0.25)),
            ("0x_1p0", Some(1.0)),
            ("_1", None),
            ("1_", None),
            ("1__0", None),
            ("12345e678", None),
            ("", None),
            (".", None),
            (" 1", None),
            ("1 ", None),
            ("0o7", None),
            ("inf", Some(f64::INFINITY)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("+nan", None),
            ("0x1.8p1", Some(3.0)),
            ("0xp1", None),
            ("1e", None),
            ("e5", None),
            ("--1", None),
            ("1_e5", None),
            ("-0x1p4", Some(-16.0)),
        ];
        for (text, want) in cases {
            assert_eq!(parse_float(text), want, "{text}");
        }
        assert!(parse_float("NaN").is_some_and(f64::is_nan));
    }

    #[test]
    fn floats_are_written_as_upstream_does() {
        for (number, plain, json) in [
            (1.0, "1", "1"),
            (1e20, "1e+20", "100000000000000000000"),
            (123_456.0, "123456", "123456"),
            (12_345_678.0, "1.2345678e+07", "12345678"),
            (1e21, "1e+21", "1e+21"),
            (1e-5, "1e-05", "0.00001"),
            (1e-7, "1e-07", "1e-7"),
            (0.1, "0.1", "0.1"),
            (-0.0, "-0", "-0"),
            (1.5e300, "1.5e+300", "1.5e+300"),
        ] {
            assert_eq!(format_float(number), plain);
            assert_eq!(json_float(number).as_deref(), Some(json));
        }
        assert_eq!(format_float(f64::NEG_INFINITY), "-Inf");
        assert_eq!(json_float(f64::NAN), None);
    }

    #[test]
    fn whole_numbers_have_no_ornaments() {
        assert_eq!(parse_int("+7"), Some(7));
        assert_eq!(parse_int("9223372036854775808"), None);
        for text in ["", "4.2", " 1", "1_0", "0x1", "+", "--1"] {
            assert_eq!(parse_int(text), None, "{text}");
        }
    }
}
