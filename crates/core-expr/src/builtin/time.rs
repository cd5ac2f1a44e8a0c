//! Times, durations and zones.

use crate::builtin::{Arguments, Builtin, wrong_type};
use crate::error::Trouble;
use crate::eval::Machine;
use crate::time::{Moment, Zone, parse, parse_any, parse_duration};
use crate::value::{Data, Value};

pub(super) fn call(
    builtin: Builtin,
    arguments: &Arguments<'_>,
    machine: &Machine<'_>,
) -> Result<Value, Trouble> {
    match builtin {
        Builtin::Now => now(arguments, machine),
        Builtin::Duration => {
            let text = arguments.text(0)?;
            let nanoseconds = parse_duration(&text.to_str());
            nanoseconds
                .map(|nanoseconds| Data::Duration(nanoseconds).into())
                .ok_or_else(|| Trouble::from("invalid duration"))
        }
        Builtin::Timezone => load(&arguments.text(0)?.to_str()).map(|zone| Data::Zone(zone).into()),
        _ => date(arguments),
    }
}

fn load(name: &str) -> Result<Zone, Trouble> {
    Zone::load(name).ok_or_else(|| Trouble::from("unknown time zone"))
}

fn now(arguments: &Arguments<'_>, machine: &Machine<'_>) -> Result<Value, Trouble> {
    let zone = match arguments.0.first() {
        None => Zone::Utc,
        Some(value) => match &value.data {
            Data::Zone(zone) => zone.clone(),
            _ => return Err(wrong_type(value, "*time.Location")),
        },
    };
    Ok(Value::moment(Moment { at: machine.scope.now, zone }))
}

/// `date([zone,] text[, layout[, zone name]])`.
fn date(arguments: &Arguments<'_>) -> Result<Value, Trouble> {
    let (zone, arguments) = match arguments.0 {
        [first, rest @ ..] => match &first.data {
            Data::Zone(zone) => (zone.clone(), Arguments(rest)),
            _ => (Zone::Utc, Arguments(arguments.0)),
        },
        [] => (Zone::Utc, Arguments(&[])),
    };
    let text = arguments.text(0)?.to_str();
    let moment = if arguments.len() == 1 {
        parse_any(&text, &zone)
    } else {
        let layout = arguments.text(1)?.to_str();
        let zone = match arguments.optional_text(2)? {
            Some(name) => load(&name.to_str())?,
            None => zone,
        };
        parse(&layout, &text, &zone)
    };
    moment.map(Value::moment).ok_or_else(|| Trouble::from("invalid date"))
}
