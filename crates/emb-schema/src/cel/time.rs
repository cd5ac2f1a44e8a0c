//! Instants as values of rules.

const NANOS: i128 = 1_000_000_000;
const DAY: i128 = 86_400;

/// Nanoseconds since 1970 of an RFC 3339 text.
pub(super) fn parse_timestamp(text: &str) -> Option<i128> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let separators = [(4, "-"), (7, "-"), (13, ":"), (16, ":")];
    if separators.iter().any(|&(at, mark)| text.get(at..=at) != Some(mark)) {
        return None;
    }
    let days = days_from_civil(number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let seconds = number(11, 13)? * 3600 + number(14, 16)? * 60 + number(17, 19)?;
    let (nanos, zone) = fraction(text.get(19..)?)?;
    let total = i128::from(days) * DAY + i128::from(seconds - zone_seconds(zone)?);
    Some(total * NANOS + i128::from(nanos))
}

fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(rest) = text.strip_prefix('.') else { return Some((0, text)) };
    let zone = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let digits = rest.get(..rest.len() - zone.len())?;
    let padded: String = digits.chars().chain(std::iter::repeat('0')).take(9).collect();
    Some((padded.parse().ok()?, zone))
}

fn zone_seconds(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.strip_prefix(['+', '-'])?.split_once(':')?;
    Some(sign * (hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60))
}

/// Days since 1970 of a date of the Gregorian calendar, counted in years that start in March.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The parts of an instant in UTC; months, days and weekdays count from zero.
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) day_of_year: i64,
    pub(super) day_of_week: i64,
    pub(super) hours: i64,
    pub(super) minutes: i64,
    pub(super) seconds: i64,
    pub(super) milliseconds: i64,
}

impl Civil {
    pub(super) fn of(nanos: i128) -> Self {
        let seconds = nanos.div_euclid(NANOS);
        let days = i64::try_from(seconds.div_euclid(DAY)).unwrap_or_default();
        let of_day = i64::try_from(seconds.rem_euclid(DAY)).unwrap_or_default();
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let from_march = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * from_march + 2) / 153;
        let day = from_march - (153 * month_from_march + 2) / 5;
        let month = (month_from_march + 2) % 12;
        let year = era * 400 + year_of_era + i64::from(month <= 1);
        Self {
            year,
            month,
            day,
            day_of_year: days - days_from_civil(year, 1, 1),
            day_of_week: (days + 4).rem_euclid(7),
            hours: of_day / 3600,
            minutes: of_day / 60 % 60,
            seconds: of_day % 60,
            milliseconds: i64::try_from(nanos.rem_euclid(NANOS) / 1_000_000).unwrap_or_default(),
        }
    }
}

/// An instant as RFC 3339.
pub(super) fn show_timestamp(nanos: i128) -> String {
    let civil = Civil::of(nanos);
    let fraction = nanos.rem_euclid(NANOS);
    let fraction = if fraction == 0 {
        String::new()
    } else {
        format!(".{fraction:09}").trim_end_matches('0').to_owned()
    };
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}Z",
        civil.year,
        civil.month + 1,
        civil.day + 1,
        civil.hours,
        civil.minutes,
        civil.seconds,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_survive_the_round_trip() {
        for text in [
            "1970-01-01T00:00:00Z",
            "2024-02-29T23:59:59.5Z",
            "1969-12-31T23:59:59Z",
            "2000-03-01T00:00:00Z",
        ] {
            assert_eq!(show_timestamp(parse_timestamp(text).unwrap()), text);
        }
        assert_eq!(
            parse_timestamp("2024-01-01T02:00:00+02:00"),
            parse_timestamp("2024-01-01T00:00:00Z")
        );
        let civil = Civil::of(parse_timestamp("2024-03-01T01:02:03.004Z").unwrap());
        assert_eq!((civil.day_of_year, civil.day_of_week, civil.milliseconds), (60, 5, 4));
    }
}
