//! Writing times.

use std::fmt::Write as _;

use crate::time::layout::{Fill, OffsetForm, Part, next_part};
use crate::time::{Calendar, month_name, weekday_name};

/// The time as a layout shows it.
pub(crate) fn format(calendar: &Calendar, layout: &str) -> String {
    let mut output = String::new();
    let mut rest = layout;
    loop {
        let (before, part, after) = next_part(rest);
        output.push_str(before);
        let Some(part) = part else { return output };
        write_part(calendar, part, &mut output);
        rest = after;
    }
}

fn write_part(calendar: &Calendar, part: Part, output: &mut String) {
    let local = calendar.local;
    let abbreviated = |name: &'static str| name.get(..3).unwrap_or(name);
    match part {
        Part::LongMonth => output.push_str(month_name(calendar.month())),
        Part::ShortMonth => output.push_str(abbreviated(month_name(calendar.month()))),
        Part::Month { zero } => number(output, local.month(), zero),
        Part::LongWeekday => output.push_str(weekday_name(calendar.weekday())),
        Part::ShortWeekday => output.push_str(abbreviated(weekday_name(calendar.weekday()))),
        Part::Day { fill: Fill::Space } => put(output, format_args!("{:2}", local.day())),
        Part::Day { fill } => number(output, local.day(), fill == Fill::Zero),
        Part::YearDay { fill: Fill::Space } => {
            put(output, format_args!("{:3}", local.day_of_year()));
        }
        Part::YearDay { .. } => put(output, format_args!("{:03}", local.day_of_year())),
        Part::Hour => number(output, local.hour(), true),
        Part::Hour12 { zero } => number(output, (local.hour() + 11) % 12 + 1, zero),
        Part::Minute { zero } => number(output, local.minute(), zero),
        Part::Second { zero } => number(output, local.second(), zero),
        Part::LongYear => put(output, format_args!("{:04}", local.year())),
        Part::Year => put(output, format_args!("{:02}", local.year().rem_euclid(100))),
        Part::HalfDay { upper } => output.push_str(match (local.hour() >= 12, upper) {
            (true, true) => "PM",
            (false, true) => "AM",
            (true, false) => "pm",
            (false, false) => "am",
        }),
        Part::ZoneName if calendar.abbreviation.is_empty() => {
            let form = OffsetForm { with_z: false, colons: false, minutes: true, seconds: false };
            write_offset(calendar.offset_seconds, form, output);
        }
        Part::ZoneName => output.push_str(&calendar.abbreviation),
        Part::Offset(form) => write_offset(calendar.offset_seconds, form, output),
        Part::Fraction { digits, trim, separator } => {
            let all = format!("{:09}", local.subsec_nanosecond());
            let shown = all.get(..digits.min(9)).unwrap_or(&all);
            let shown = if trim { shown.trim_end_matches('0') } else { shown };
            if !(trim && shown.is_empty()) {
                put(output, format_args!("{separator}{shown}"));
            }
        }
    }
}

fn put(output: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = output.write_fmt(arguments);
}

fn number(output: &mut String, number: i8, zero: bool) {
    if zero {
        put(output, format_args!("{number:02}"));
    } else {
        put(output, format_args!("{number}"));
    }
}

fn write_offset(seconds: i32, form: OffsetForm, output: &mut String) {
    if form.with_z && seconds == 0 {
        output.push('Z');
        return;
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let size = seconds.unsigned_abs();
    let colon = if form.colons { ":" } else { "" };
    put(output, format_args!("{sign}{:02}", size / 3600));
    if form.minutes {
        put(output, format_args!("{colon}{:02}", size / 60 % 60));
    }
    if form.seconds {
        put(output, format_args!("{colon}{:02}", size % 60));
    }
}

#[cfg(test)]
mod tests {
    use crate::time::Moment;

    #[test]
    fn layouts_show_all_parts() {
        let moment = Moment::with_offset("2024-02-05T15:04:09.012Z".parse().unwrap(), -5400);
        let calendar = moment.calendar();
        for (layout, want) in [
            ("Monday, 2 January 2006 03:04:05 PM", "Monday, 5 February 2024 01:34:09 PM"),
            ("Mon Jan _2 15:04:05.000 06", "Mon Feb  5 13:34:09.012 24"),
            ("2006-01-02T15:04:05.999999999Z07:00", "2024-02-05T13:34:09.012-01:30"),
            ("002 __2 3pm 1/2 MST -07 Z0700", "036  36 1pm 2/5 -0130 -01 -0130"),
        ] {
            assert_eq!(super::format(&calendar, layout), want);
        }
    }
}
