//! Reading times.

use jiff::civil::{Date, DateTime};

use crate::time::layout::{Fill, OffsetForm, Part, next_part};
use crate::time::scan::{
    digits, nanoseconds, number, set, sexagesimal, skip, store, take_name, zone_name_length,
};
use crate::time::{Moment, Zone, month_name, weekday_name};

/// The layouts that `date()` tries when it is given none.
const COMMON_LAYOUTS: [&str; 7] = [
    "2006-01-02",
    "15:04:05",
    "2006-01-02 15:04:05",
    "2006-01-02T15:04:05Z07:00",
    "02 Jan 06 15:04 MST",
    "Monday, 02-Jan-06 15:04:05 MST",
    "Mon, 02 Jan 2006 15:04:05 MST",
];

/// The layouts that YAML readers take for a time.
const YAML_LAYOUTS: [&str; 4] = [
    "2006-1-2T15:4:5.999999999Z07:00",
    "2006-1-2t15:4:5.999999999Z07:00",
    "2006-1-2 15:4:5.999999999",
    "2006-1-2",
];

/// Whether a YAML reader would take the text for a time.
pub(crate) fn looks_like_time(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let may_be_date = digits == 4 && text.as_bytes().get(4) == Some(&b'-');
    may_be_date && YAML_LAYOUTS.iter().any(|layout| parse(layout, text, &Zone::Utc).is_some())
}

/// Reads a time in one of the common layouts. Times without a zone are in `zone`.
pub(crate) fn parse_any(text: &str, zone: &Zone) -> Option<Moment> {
    COMMON_LAYOUTS.iter().find_map(|layout| parse(layout, text, zone))
}

/// Reads a time in a layout. Times without a zone are in `zone`.
pub(crate) fn parse(layout: &str, text: &str, zone: &Zone) -> Option<Moment> {
    let mut fields = Fields::default();
    let (mut layout, mut rest) = (layout, text);
    loop {
        let (before, part, after) = next_part(layout);
        rest = skip(rest, before)?;
        let Some(part) = part else { break };
        layout = after;
        rest = fields.read(part, rest, layout)?;
    }
    if rest.is_empty() { fields.resolve(zone) } else { None }
}

/// What has been read so far.
#[derive(Default)]
struct Fields {
    year: i16,
    month: Option<i8>,
    day: Option<i8>,
    year_day: Option<i16>,
    hour: i8,
    minute: i8,
    second: i8,
    nanosecond: i32,
    is_afternoon: Option<bool>,
    place: Option<Place>,
}

/// A zone as it stands in the text.
enum Place {
    Utc,
    Offset(i32),
    Abbreviation(String),
}

impl Fields {
    /// Takes a part from the start of the text.
    fn read<'a>(&mut self, part: Part, text: &'a str, layout: &str) -> Option<&'a str> {
        Some(match part {
            Part::LongMonth => self.take_month(text, false)?,
            Part::ShortMonth => self.take_month(text, true)?,
            Part::LongWeekday => take_name(text, (0..7).map(weekday_name), false)?.1,
            Part::ShortWeekday => take_name(text, (0..7).map(weekday_name), true)?.1,
            Part::Month { zero } => store(&mut self.month, number(text, zero)?, 1..=12)?,
            Part::Day { fill } => {
                let text =
                    if fill == Fill::Space { text.strip_prefix(' ').unwrap_or(text) } else { text };
                store(&mut self.day, number(text, fill == Fill::Zero)?, 0..=99)?
            }
            Part::YearDay { fill } => self.take_year_day(text, fill)?,
            Part::Hour => set(&mut self.hour, number(text, false)?, 0..=23)?,
            Part::Hour12 { zero } => set(&mut self.hour, number(text, zero)?, 0..=12)?,
            Part::Minute { zero } => set(&mut self.minute, number(text, zero)?, 0..=59)?,
            Part::Second { zero } => {
                let rest = set(&mut self.second, number(text, zero)?, 0..=59)?;
                self.take_unannounced_fraction(rest, layout)
            }
            Part::LongYear => {
                let (digits, rest) = digits(text, 4)?;
                self.year = digits.parse().ok()?;
                rest
            }
            Part::Year => {
                let (digits, rest) = digits(text, 2)?;
                let year: i16 = digits.parse().ok()?;
                self.year = if year >= 69 { year + 1900 } else { year + 2000 };
                rest
            }
            Part::HalfDay { upper } => {
                let words = if upper { ["AM", "PM"] } else { ["am", "pm"] };
                let index = words.iter().position(|word| text.starts_with(word))?;
                self.is_afternoon = Some(index == 1);
                text.get(2..)?
            }
            Part::ZoneName => self.take_zone_name(text)?,
            Part::Offset(form) => self.take_offset(text, form)?,
            Part::Fraction { digits: count, trim: false, .. } => {
                let fraction = text.strip_prefix(['.', ','])?;
                let (digits, rest) = digits(fraction, count)?;
                self.nanosecond = nanoseconds(digits);
                rest
            }
            Part::Fraction { trim: true, .. } => self.take_fraction(text),
        })
    }

    fn take_month<'a>(&mut self, text: &'a str, short: bool) -> Option<&'a str> {
        let (index, rest) = take_name(text, (1..=12).map(month_name), short)?;
        self.month = i8::try_from(index + 1).ok();
        Some(rest)
    }

    fn take_year_day<'a>(&mut self, text: &'a str, fill: Fill) -> Option<&'a str> {
        let padding = if fill == Fill::Space {
            text.bytes().take_while(|b| *b == b' ').count().min(2)
        } else {
            0
        };
        let (digits, rest) = digits(text.get(padding..)?, 3 - padding)?;
        self.year_day = Some(digits.parse().ok()?);
        Some(rest)
    }

    /// A fraction may follow the seconds although the layout does not mention one.
    fn take_unannounced_fraction<'a>(&mut self, text: &'a str, layout: &str) -> &'a str {
        let is_announced = matches!(next_part(layout), (before, Some(Part::Fraction { .. }), _) if before.is_empty());
        if is_announced { text } else { self.take_fraction(text) }
    }

    fn take_fraction<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(fraction) = text.strip_prefix(['.', ',']) else { return text };
        let end = fraction.bytes().take_while(u8::is_ascii_digit).count();
        match fraction.split_at_checked(end) {
            Some((digits, rest)) if !digits.is_empty() => {
                self.nanosecond = nanoseconds(digits);
                rest
            }
            _ => text,
        }
    }

    fn take_offset<'a>(&mut self, text: &'a str, form: OffsetForm) -> Option<&'a str> {
        if form.with_z
            && let Some(rest) = text.strip_prefix('Z')
        {
            self.place = Some(Place::Utc);
            return Some(rest);
        }
        let (sign, rest) = match text.as_bytes().first()? {
            b'+' => (1, text.get(1..)?),
            b'-' => (-1, text.get(1..)?),
            _ => return None,
        };
        let (hours, rest) = digits(rest, 2)?;
        let (minutes, rest) = sexagesimal(rest, form.minutes, form.colons)?;
        let (seconds, rest) = sexagesimal(rest, form.seconds, form.colons)?;
        let hours: i32 = hours.parse().ok().filter(|hours| *hours <= 24)?;
        self.place = Some(Place::Offset(sign * (hours * 3600 + minutes * 60 + seconds)));
        Some(rest)
    }

    fn take_zone_name<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        if let Some(rest) = text.strip_prefix("UTC") {
            self.place = Some(Place::Utc);
            return Some(rest);
        }
        let (name, rest) = text.split_at_checked(zone_name_length(text)?)?;
        self.place = Some(Place::Abbreviation(name.to_owned()));
        Some(rest)
    }

    fn resolve(self, zone: &Zone) -> Option<Moment> {
        let hour = match self.is_afternoon {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            _ => self.hour,
        };
        let date = match self.year_day {
            Some(day) => Date::new(self.year, 1, 1).ok()?.with().day_of_year(day).build().ok()?,
            None => Date::new(self.year, self.month.unwrap_or(1), self.day.unwrap_or(1)).ok()?,
        };
        let is_consistent = self.month.is_none_or(|month| month == date.month())
            && self.day.is_none_or(|day| day == date.day());
        let time = jiff::civil::Time::new(hour, self.minute, self.second, self.nanosecond).ok()?;
        if !is_consistent {
            return None;
        }
        place(date.to_datetime(time), self.place, zone)
    }
}

/// The moment at which clocks of a place show a time.
fn place(local: DateTime, place: Option<Place>, zone: &Zone) -> Option<Moment> {
    let zone = match place {
        None => zone.clone(),
        Some(Place::Utc) => Zone::Utc,
        Some(Place::Offset(offset)) => {
            let fixed = Zone::fixed(offset);
            let at = fixed.resolve(local)?;
            if zone.at(at).0.seconds() == offset { zone.clone() } else { fixed }
        }
        Some(Place::Abbreviation(name)) => abbreviated(local, &name, zone),
    };
    Some(Moment { at: zone.resolve(local)?, zone })
}

/// An abbreviation means the given zone if that uses it at the time; otherwise its offset is not
/// known and taken for none, except for `GMT+1` and the like.
fn abbreviated(local: DateTime, name: &str, zone: &Zone) -> Zone {
    let is_of_zone = zone.resolve(local).is_some_and(|at| zone.at(at).1 == name);
    if is_of_zone {
        return zone.clone();
    }
    let hours = name.strip_prefix("GMT").and_then(|hours| hours.parse::<i32>().ok()).unwrap_or(0);
    Zone::Fixed { name: name.into(), offset_seconds: hours * 3600 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(moment: Option<Moment>) -> Option<String> {
        moment.map(|moment| moment.to_string())
    }

    #[test]
    fn common_layouts_are_tried_in_turn() {
        for (text, want) in [
            ("2024-01-15", "2024-01-15 00:00:00 +0000 UTC"),
            ("10:20:30", "0000-01-01 10:20:30 +0000 UTC"),
            ("2024-01-15 10:20:30.25", "2024-01-15 10:20:30.25 +0000 UTC"),
            ("2024-01-15T10:20:30+02:00", "2024-01-15 10:20:30 +0200 +0200"),
            ("02 Jan 06 15:04 MST", "2006-01-02 15:04:00 +0000 MST"),
            ("Mon, 02 Jan 2006 15:04:05 UTC", "2006-01-02 15:04:05 +0000 UTC"),
        ] {
            assert_eq!(shown(parse_any(text, &Zone::Utc)).as_deref(), Some(want));
        }
        for text in ["", "2024-13-01", "2024-02-30", "2024-1-5", "tomorrow", "2024-01-15x"] {
            assert!(parse_any(text, &Zone::Utc).is_none(), "{text}");
        }
    }

    #[test]
    fn times_without_a_zone_are_in_the_given_one() {
        let berlin = Zone::load("Europe/Berlin").unwrap();
        let moment = parse("2006-01-02 15:04", "2024-01-15 10:00", &berlin);
        assert_eq!(shown(moment).as_deref(), Some("2024-01-15 10:00:00 +0100 CET"));
        let moment = parse("02 Jan 06 3pm MST", "15 jul 24 3pm CEST", &berlin);
        assert_eq!(shown(moment).as_deref(), Some("2024-07-15 15:00:00 +0200 CEST"));
    }

    #[test]
    fn days_of_the_year_are_read() {
        let moment = parse("2006 002", "2024 060", &Zone::Utc);
        assert_eq!(shown(moment).as_deref(), Some("2024-02-29 00:00:00 +0000 UTC"));
    }
}
