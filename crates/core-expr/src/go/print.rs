//! Values as plain text, as `string()` gives them.

use crate::go::format_float;
use crate::text::Text;
use crate::time::{format_duration, month_name, weekday_name};
use crate::value::{Data, Object, Value};

/// The value as plain text: `<nil>`, `[1 2]`, `map[a:1]`.
pub(crate) fn plain_text(value: &Value) -> Text {
    if let Data::Text(text) = &value.data {
        return text.clone();
    }
    let mut output = Vec::new();
    print(value, &mut output);
    output.into()
}

fn print(value: &Value, output: &mut Vec<u8>) {
    match &value.data {
        Data::Nil | Data::Absent(_) => output.extend(b"<nil>"),
        Data::Bool(truth) => output.extend(truth.to_string().bytes()),
        Data::Int(number) => output.extend(number.to_string().bytes()),
        Data::Uint(number) => output.extend(number.to_string().bytes()),
        Data::Float(number) => output.extend(format_float(*number).bytes()),
        Data::Text(text) => output.extend(text.as_bytes()),
        Data::Bytes(bytes) => {
            let numbers: Vec<String> = bytes.as_bytes().iter().map(u8::to_string).collect();
            output.extend(format!("[{}]", numbers.join(" ")).bytes());
        }
        Data::List(list) => print_all(list.items.iter().map(|item| (None, item)), b"[", output),
        Data::Map(map) => {
            let entries = map.entries.iter().map(|(key, value)| (Some(key.clone()), value));
            print_all(entries, b"map[", output);
        }
        Data::Pairs(pairs) => {
            let entries = pairs.entries.iter().map(|(key, value)| (Some(plain_text(key)), value));
            let mut entries: Vec<_> = entries.collect();
            entries.sort_by(|(left, _), (right, _)| left.cmp(right));
            print_all(entries.into_iter(), b"map[", output);
        }
        Data::Moment(moment) => output.extend(moment.to_string().bytes()),
        Data::Duration(nanoseconds) => output.extend(format_duration(*nanoseconds).bytes()),
        Data::Zone(zone) => output.extend(zone.name().bytes()),
        Data::Month(month) => output.extend(month_name(*month).bytes()),
        Data::Weekday(day) => output.extend(weekday_name(*day).bytes()),
        Data::Version(version) => output.extend(version.to_string().bytes()),
        Data::Object(object) => print_object(object, output),
        Data::Function(_) | Data::Method(_) => output.extend(b"func"),
    }
}

fn print_all<'a>(
    entries: impl Iterator<Item = (Option<Text>, &'a Value)>,
    open: &[u8],
    output: &mut Vec<u8>,
) {
    output.extend(open);
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            output.push(b' ');
        }
        if let Some(key) = key {
            output.extend(key.as_bytes());
            output.push(b':');
        }
        print(value, output);
    }
    output.push(b']');
}

fn print_object(object: &Object, output: &mut Vec<u8>) {
    output.extend(if object.of.is_reference { &b"&{"[..] } else { b"{" });
    for (index, value) in object.values.iter().enumerate() {
        if index > 0 {
            output.push(b' ');
        }
        print(value, output);
    }
    output.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_without_quotes() {
        let value = Value::map([
            ("b", Value::list(vec![Value::int(1), Value::NIL, Value::text("x")])),
            ("a", Value::float(1.5)),
        ]);
        assert_eq!(plain_text(&value), Text::from("map[a:1.5 b:[1 <nil> x]]"));
    }
}
