//! A point in time together with the zone in which it is shown.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Weekday};

use crate::time::{Zone, format};

/// A point in time and the zone in which it is shown.
#[derive(Clone, Debug)]
pub struct Moment {
    /// When.
    pub at: Timestamp,
    /// Where it is shown.
    pub zone: Zone,
}

/// A moment as clocks and calendars of its zone show it.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    pub(crate) local: DateTime,
    pub(crate) offset_seconds: i32,
    pub(crate) abbreviation: String,
    pub(crate) is_summer_time: bool,
}

impl Moment {
    /// A point in time, shown in UTC.
    pub fn utc(at: Timestamp) -> Self {
        Self { at, zone: Zone::Utc }
    }

    /// A point in time, shown at an offset of seconds east of UTC.
    pub fn with_offset(at: Timestamp, offset_seconds: i32) -> Self {
        Self { at, zone: Zone::fixed(offset_seconds) }
    }

    /// What clocks of the zone show.
    pub(crate) fn calendar(&self) -> Calendar {
        let (offset, abbreviation, is_summer_time) = self.zone.at(self.at);
        let local = offset.to_datetime(self.at);
        Calendar { local, offset_seconds: offset.seconds(), abbreviation, is_summer_time }
    }

    /// `nanoseconds` later; `None` outside of the years that exist.
    pub(crate) fn plus(&self, nanoseconds: i64) -> Option<Self> {
        let at = self.at.checked_add(jiff::SignedDuration::from_nanos(nanoseconds)).ok()?;
        Some(Self { at, zone: self.zone.clone() })
    }

    /// Nanoseconds since `other`, as many as fit.
    pub(crate) fn since(&self, other: &Self) -> i64 {
        let difference = self.at.as_nanosecond() - other.at.as_nanosecond();
        i64::try_from(difference).unwrap_or(if difference > 0 { i64::MAX } else { i64::MIN })
    }

    /// The same clock time some years, months and days later; days that do not exist run over
    /// into the next month.
    pub(crate) fn plus_date(&self, years: i64, months: i64, days: i64) -> Option<Self> {
        let local = self.calendar().local;
        let month_index = i64::from(local.month()) - 1 + months;
        let year =
            i64::from(local.year()).checked_add(years)?.checked_add(month_index.div_euclid(12))?;
        let month = i8::try_from(month_index.rem_euclid(12) + 1).ok()?;
        let first = Date::new(i16::try_from(year).ok()?, month, 1).ok()?;
        let shift = days.checked_add(i64::from(local.day()) - 1)?;
        let date = first.checked_add(jiff::Span::new().try_days(shift).ok()?).ok()?;
        let at = self.zone.resolve(date.to_datetime(local.time()))?;
        Some(Self { at, zone: self.zone.clone() })
    }

    /// The text in JSON, `None` outside of the years 0 to 9999.
    pub(crate) fn to_json_text(&self) -> Option<String> {
        let calendar = self.calendar();
        (0..=9999)
            .contains(&calendar.local.year())
            .then(|| format(&calendar, "2006-01-02T15:04:05.999999999Z07:00"))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format(&self.calendar(), "2006-01-02 15:04:05.999999999 -0700 MST"))
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The name of a month, from 1.
pub(crate) fn month_name(month: u8) -> &'static str {
    let index = usize::from(month).wrapping_sub(1);
    MONTHS.get(index).copied().unwrap_or_default()
}

/// The name of a day of the week; Sunday is 0.
pub(crate) fn weekday_name(day: u8) -> &'static str {
    WEEKDAYS.get(usize::from(day)).copied().unwrap_or_default()
}

impl Calendar {
    pub(crate) fn month(&self) -> u8 {
        self.local.month().unsigned_abs()
    }

    /// The day of the week; Sunday is 0.
    pub(crate) fn weekday(&self) -> u8 {
        Weekday::to_sunday_zero_offset(self.local.weekday()).unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Moment {
        Moment::utc(text.parse().unwrap())
    }

    #[test]
    fn missing_days_run_over() {
        let shown = |moment: Option<Moment>| moment.map(|moment| moment.to_string());
        assert_eq!(
            shown(moment("2024-01-15T00:00:00Z").plus_date(0, 1, 20)).as_deref(),
            Some("2024-03-06 00:00:00 +0000 UTC")
        );
        assert_eq!(
            shown(moment("2023-01-31T01:02:03.5Z").plus_date(0, 1, 0)).as_deref(),
            Some("2023-03-03 01:02:03.5 +0000 UTC")
        );
        assert!(moment("2023-01-31T01:02:03Z").plus_date(i64::MAX, 1, 1).is_none());
        assert!(moment("2023-01-31T01:02:03Z").plus(i64::MAX).is_some());
    }

    #[test]
    fn offsets_are_shown() {
        let moment = Moment::with_offset("2024-01-15T08:20:30Z".parse().unwrap(), 7200);
        assert_eq!(moment.to_string(), "2024-01-15 10:20:30 +0200 +0200");
        assert_eq!(moment.to_json_text().as_deref(), Some("2024-01-15T10:20:30+02:00"));
    }
}
