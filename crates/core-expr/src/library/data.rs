//! Secrets, ConfigMaps, and what is noted on Freight and Stages.

use std::sync::Arc;

use api_kinds::labels;
use serde_json::Value as Json;

use crate::error::Trouble;
use crate::library::HostFunction;
use crate::promotion::{Answer, Request};
use crate::scope::Host;
use crate::text::Text;
use crate::value::{Data, Map, Value};

pub(super) fn call(function: HostFunction, name: &Text, host: Host<'_>) -> Result<Value, Trouble> {
    let name = name.to_str().into_owned();
    match function {
        HostFunction::Secret => secret(Request::Secret(name), false, host),
        HostFunction::SharedSecret => secret(Request::SharedSecret(name), true, host),
        HostFunction::ConfigMap => config_map(Request::ConfigMap(name), host),
        HostFunction::SharedConfigMap => config_map(Request::SharedConfigMap(name), host),
        HostFunction::StageMetadata if name.is_empty() => {
            Err(Trouble::from("stage name must not be empty"))
        }
        _ if name.is_empty() => Err(Trouble::from("freight ref name must not be empty")),
        HostFunction::StageMetadata => metadata(Request::Stage(name), host),
        HostFunction::FreightMetadata => metadata(Request::Freight(name), host),
        _ => Ok(match answer(Request::Freight(name), host)? {
            Answer::Status(status) if status.is_object() => Value::from_json(status),
            Answer::Status(_) => Value::map::<Text>([]),
            _ => Value::NIL,
        }),
    }
}

/// What is known about a request.
pub(super) fn answer(request: Request, host: Host<'_>) -> Result<&Answer, Trouble> {
    let answers = match host {
        Host::Promotion(promotion) => promotion.answers,
        _ => return Err(Trouble::Needs(request)),
    };
    answers.get(&request).ok_or(Trouble::Needs(request))
}

/// All values of a Secret, tainted. Shared ones must be meant for this.
fn secret(request: Request, must_be_generic: bool, host: Host<'_>) -> Result<Value, Trouble> {
    let Answer::Secret { labels: marks, data } = answer(request, host)? else {
        return Ok(Value::text_map([]));
    };
    let is_generic =
        marks.get(labels::CREDENTIALS_TYPE).is_some_and(|mark| mark == labels::CREDENTIALS_GENERIC);
    if must_be_generic && !is_generic {
        return Ok(Value::text_map([]));
    }
    let entries = data
        .iter()
        .map(|(key, value)| (Text::from(key.as_str()), Value::text(value.as_slice()).tainted()));
    Ok(Data::Map(Arc::new(Map::of_texts(entries.collect()))).into())
}

fn config_map(request: Request, host: Host<'_>) -> Result<Value, Trouble> {
    Ok(match answer(request, host)? {
        Answer::ConfigMap(Some(data)) => {
            Value::text_map(data.iter().map(|(key, value)| (key.as_str(), value.as_str())))
        }
        Answer::ConfigMap(None) => Data::Map(Arc::new(Map::nil_of_texts())).into(),
        _ => Value::text_map([]),
    })
}

fn metadata(request: Request, host: Host<'_>) -> Result<Value, Trouble> {
    Ok(match answer(request, host)? {
        Answer::Status(status) => match status.get("metadata") {
            Some(metadata @ Json::Object(_)) => Value::from_json(metadata),
            _ => Value::NIL,
        },
        _ => Value::NIL,
    })
}
