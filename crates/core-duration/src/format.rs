//! Go's canonical duration text: the largest unit first, no leading zero units, decimals trimmed.

use std::fmt;

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000 * MICROSECOND;
const SECOND: u64 = 1_000 * MILLISECOND;

/// Writes `nanos` in canonical form.
pub fn write(nanos: i64, out: &mut impl fmt::Write) -> fmt::Result {
    if nanos < 0 {
        out.write_char('-')?;
    }
    let magnitude = nanos.unsigned_abs();
    match magnitude {
        0 => out.write_str("0s"),
        1..MICROSECOND => write!(out, "{magnitude}ns"),
        MICROSECOND..MILLISECOND => write_decimal(magnitude, MICROSECOND, "\u{b5}s", out),
        MILLISECOND..SECOND => write_decimal(magnitude, MILLISECOND, "ms", out),
        SECOND.. => write_clock(magnitude, out),
    }
}

/// Writes hours, minutes and seconds, leaving out leading units that are zero.
fn write_clock(nanos: u64, out: &mut impl fmt::Write) -> fmt::Result {
    let minutes = nanos / (60 * SECOND);
    let hours = minutes / 60;
    if hours > 0 {
        write!(out, "{hours}h")?;
    }
    if minutes > 0 {
        write!(out, "{}m", minutes % 60)?;
    }
    write_decimal(nanos % (60 * SECOND), SECOND, "s", out)
}

/// Writes `nanos` as a decimal number of `unit`s without trailing zeros.
fn write_decimal(nanos: u64, unit: u64, name: &str, out: &mut impl fmt::Write) -> fmt::Result {
    write!(out, "{}", nanos / unit)?;
    let remainder = nanos % unit;
    if remainder > 0 {
        let places = usize::try_from(unit.ilog10()).unwrap_or_default();
        let digits = format!("{remainder:0places$}");
        write!(out, ".{}", digits.trim_end_matches('0'))?;
    }
    out.write_str(name)
}
