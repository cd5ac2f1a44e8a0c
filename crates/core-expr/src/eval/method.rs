//! Methods of times, durations, zones and versions.

use std::sync::Arc;

use core_semver::Version;

use crate::builtin::{Arguments, wrong_type};
use crate::error::Trouble;
use crate::library::increment;
use crate::limits::Budget;
use crate::time::{
    Moment, SECOND, Zone, format, format_duration, month_name, round_duration, truncate_duration,
    weekday_name,
};
use crate::value::{Data, Value};

/// Whether a value has a method.
pub(super) fn exists(value: &Value, name: &str) -> bool {
    use crate::check::Nature;
    let nature = match &value.data {
        Data::Moment(_) => Nature::Time,
        Data::Duration(_) => Nature::Duration,
        Data::Month(_) => Nature::Month,
        Data::Weekday(_) => Nature::Weekday,
        Data::Zone(_) => Nature::Zone,
        Data::Version(_) => Nature::Version { is_reference: true },
        _ => return false,
    };
    nature.method(name).is_some()
}

pub(super) fn call(
    object: &Value,
    name: &str,
    arguments: &[Value],
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    let taint = object.is_tainted() || arguments.iter().any(Value::is_tainted);
    let arguments = &Arguments(arguments);
    let data = match &object.data {
        Data::Moment(moment) => of_moment(moment, name, arguments, budget)?,
        Data::Duration(nanoseconds) => of_duration(*nanoseconds, name, arguments)?,
        Data::Month(month) => Data::Text(month_name(*month).into()),
        Data::Weekday(day) => Data::Text(weekday_name(*day).into()),
        Data::Zone(zone) => Data::Text(zone.name().into()),
        Data::Version(version) => of_version(version, name, arguments)?,
        _ => return Err(unknown(name)),
    };
    Ok(Value::from(data).with_taint(taint))
}

fn unknown(name: &str) -> Trouble {
    Trouble::Invalid(format!("there is no method {name}"))
}

fn expect_count(arguments: &Arguments<'_>, count: usize) -> Result<(), Trouble> {
    if arguments.len() == count {
        return Ok(());
    }
    let got = arguments.len();
    Err(Trouble::Invalid(format!("invalid number of arguments: expected {count}, got {got}")))
}

fn moment<'a>(arguments: &Arguments<'a>) -> Result<&'a Moment, Trouble> {
    expect_count(arguments, 1)?;
    let value = arguments.value(0)?;
    match &value.data {
        Data::Moment(moment) => Ok(moment),
        _ => Err(wrong_type(value, "time.Time")),
    }
}

fn duration(arguments: &Arguments<'_>) -> Result<i64, Trouble> {
    expect_count(arguments, 1)?;
    let value = arguments.value(0)?;
    match value.data {
        Data::Duration(nanoseconds) => Ok(nanoseconds),
        _ => Err(wrong_type(value, "time.Duration")),
    }
}

fn int(arguments: &Arguments<'_>, index: usize) -> Result<i64, Trouble> {
    let value = arguments.value(index)?;
    match value.data {
        Data::Int(number) => Ok(number),
        _ => Err(wrong_type(value, "int")),
    }
}

fn in_range(moment: Option<Moment>) -> Result<Data, Trouble> {
    let moment = moment.ok_or_else(|| Trouble::from("the time is out of range"))?;
    Ok(Data::Moment(Arc::new(moment)))
}

fn of_moment(
    this: &Moment,
    name: &str,
    arguments: &Arguments<'_>,
    budget: &mut Budget,
) -> Result<Data, Trouble> {
    Ok(match name {
        "Format" => {
            expect_count(arguments, 1)?;
            let layout = arguments.text(0)?;
            budget.text(layout.len().saturating_mul(4))?;
            Data::Text(format(&this.calendar(), &layout.to_str()).into())
        }
        "Add" => in_range(this.plus(duration(arguments)?))?,
        "Sub" => Data::Duration(this.since(moment(arguments)?)),
        "AddDate" => {
            expect_count(arguments, 3)?;
            let [years, months, days] =
                [int(arguments, 0)?, int(arguments, 1)?, int(arguments, 2)?];
            in_range(this.plus_date(years, months, days))?
        }
        "Before" => Data::Bool(this.at < moment(arguments)?.at),
        "After" => Data::Bool(this.at > moment(arguments)?.at),
        "Equal" => Data::Bool(this.at == moment(arguments)?.at),
        "Compare" => Data::Int(this.at.cmp(&moment(arguments)?.at) as i64),
        "In" => {
            expect_count(arguments, 1)?;
            let zone = arguments.value(0)?;
            match &zone.data {
                Data::Zone(zone) => shown_in(this, zone.clone()),
                _ => return Err(wrong_type(zone, "*time.Location")),
            }
        }
        "Truncate" => {
            let (time, unit) = (nanoseconds_since_year_1(this), i128::from(duration(arguments)?));
            if unit <= 0 {
                shown_in(this, this.zone.clone())
            } else {
                shifted(this, -(time.rem_euclid(unit)))?
            }
        }
        "Round" => {
            let (time, unit) = (nanoseconds_since_year_1(this), i128::from(duration(arguments)?));
            if unit <= 0 {
                shown_in(this, this.zone.clone())
            } else {
                let rest = time.rem_euclid(unit);
                shifted(this, if rest * 2 < unit { -rest } else { unit - rest })?
            }
        }
        _ => {
            expect_count(arguments, 0)?;
            property(this, name)?
        }
    })
}

fn shown_in(moment: &Moment, zone: Zone) -> Data {
    Data::Moment(Arc::new(Moment { at: moment.at, zone }))
}

fn shifted(moment: &Moment, nanoseconds: i128) -> Result<Data, Trouble> {
    in_range(i64::try_from(nanoseconds).ok().and_then(|nanoseconds| moment.plus(nanoseconds)))
}

/// Rounding counts from the first day of year 1.
fn nanoseconds_since_year_1(moment: &Moment) -> i128 {
    const SECONDS_TO_EPOCH: i128 = 62_135_596_800;
    moment.at.as_nanosecond() + SECONDS_TO_EPOCH * i128::from(SECOND)
}

/// Methods of times without arguments.
fn property(moment: &Moment, name: &str) -> Result<Data, Trouble> {
    let calendar = moment.calendar();
    let local = calendar.local;
    let number = |number: i128| Data::Int(i64::try_from(number).unwrap_or_default());
    Ok(match name {
        "Year" | "Date" => Data::Int(local.year().into()),
        "Month" => Data::Month(calendar.month()),
        "Day" => Data::Int(local.day().into()),
        "Hour" | "Clock" => Data::Int(local.hour().into()),
        "Minute" => Data::Int(local.minute().into()),
        "Second" => Data::Int(local.second().into()),
        "Nanosecond" => Data::Int(local.subsec_nanosecond().into()),
        "Weekday" => Data::Weekday(calendar.weekday()),
        "YearDay" => Data::Int(local.day_of_year().into()),
        "ISOWeek" => Data::Int(local.date().iso_week_date().year().into()),
        "Unix" => number(moment.at.as_nanosecond().div_euclid(1_000_000_000)),
        "UnixMilli" => number(moment.at.as_nanosecond().div_euclid(1_000_000)),
        "UnixMicro" => number(moment.at.as_nanosecond().div_euclid(1_000)),
        "UnixNano" => number(moment.at.as_nanosecond()),
        "UTC" | "Local" => shown_in(moment, Zone::Utc),
        "Location" => Data::Zone(moment.zone.clone()),
        "Zone" => Data::Text(calendar.abbreviation.into()),
        "IsDST" => Data::Bool(calendar.is_summer_time),
        "IsZero" => Data::Bool(nanoseconds_since_year_1(moment) == 0),
        "String" => Data::Text(moment.to_string().into()),
        _ => return Err(unknown(name)),
    })
}

#[expect(clippy::cast_precision_loss, reason = "durations in floats are what these methods give")]
fn of_duration(this: i64, name: &str, arguments: &Arguments<'_>) -> Result<Data, Trouble> {
    let count = usize::from(matches!(name, "Round" | "Truncate"));
    expect_count(arguments, count)?;
    let second = SECOND as f64;
    Ok(match name {
        "Hours" => Data::Float(this as f64 / (3600.0 * second)),
        "Minutes" => Data::Float(this as f64 / (60.0 * second)),
        "Seconds" => Data::Float(this as f64 / second),
        "Milliseconds" => Data::Int(this / 1_000_000),
        "Microseconds" => Data::Int(this / 1_000),
        "Nanoseconds" => Data::Int(this),
        "Abs" => Data::Duration(this.saturating_abs()),
        "Round" => Data::Duration(round_duration(this, duration(arguments)?)),
        "Truncate" => Data::Duration(truncate_duration(this, duration(arguments)?)),
        "String" => Data::Text(format_duration(this).into()),
        _ => return Err(unknown(name)),
    })
}

fn version<'a>(arguments: &Arguments<'a>) -> Result<&'a Version, Trouble> {
    expect_count(arguments, 1)?;
    let value = arguments.value(0)?;
    match &value.data {
        Data::Version(version) => Ok(version),
        _ => Err(wrong_type(value, "*semver.Version")),
    }
}

fn of_version(this: &Version, name: &str, arguments: &Arguments<'_>) -> Result<Data, Trouble> {
    let order = |arguments| Ok::<_, Trouble>(this.compare_precedence(version(arguments)?));
    let text = |text: &str| Data::Text(text.into());
    Ok(match name {
        "LessThan" => Data::Bool(order(arguments)?.is_lt()),
        "LessThanEqual" => Data::Bool(order(arguments)?.is_le()),
        "GreaterThan" => Data::Bool(order(arguments)?.is_gt()),
        "GreaterThanEqual" => Data::Bool(order(arguments)?.is_ge()),
        "Equal" => Data::Bool(order(arguments)?.is_eq()),
        "Compare" => Data::Int(order(arguments)? as i64),
        "SetPrerelease" | "SetMetadata" => {
            expect_count(arguments, 1)?;
            with_part(this, name, &arguments.text(0)?.to_str())?
        }
        _ => {
            expect_count(arguments, 0)?;
            match name {
                "Major" => Data::Uint(this.major()),
                "Minor" => Data::Uint(this.minor()),
                "Patch" => Data::Uint(this.patch()),
                "Prerelease" => text(this.prerelease()),
                "Metadata" => text(this.metadata()),
                "Original" => text(this.original()),
                "String" => text(&this.to_string()),
                "IncMajor" | "IncMinor" | "IncPatch" => Data::Version(Arc::new(
                    increment(this, name)
                        .ok_or_else(|| Trouble::from("the version is too high"))?,
                )),
                _ => return Err(unknown(name)),
            }
        }
    })
}

fn with_part(this: &Version, name: &str, part: &str) -> Result<Data, Trouble> {
    let numbers = format!("{}.{}.{}", this.major(), this.minor(), this.patch());
    let (prerelease, metadata) = match name {
        "SetPrerelease" => (part, this.metadata()),
        _ => (this.prerelease(), part),
    };
    let suffix = |mark: &str, part: &str| {
        if part.is_empty() { String::new() } else { format!("{mark}{part}") }
    };
    let prefix = if this.original().starts_with('v') { "v" } else { "" };
    let text = format!("{prefix}{numbers}{}{}", suffix("-", prerelease), suffix("+", metadata));
    match Version::parse_lenient(&text) {
        Ok(version) => Ok(Data::Version(Arc::new(version))),
        Err(error) => Err(Trouble::Invalid(error.to_string())),
    }
}
