//! `http`: sends a request and judges the answer by expressions.
//!
//! A failure expression that holds ends the step, a success expression that holds completes it; while
//! neither does the request is repeated. Without both the status decides. A request that may change
//! something carries a key by which its server knows a repetition: after a crash it may be sent again.

pub(super) mod answer;
mod criteria;
#[cfg(test)]
pub(super) mod double;
pub(super) mod message;

use std::time::Duration;

use io_http::outbound::{Client, Tls};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use self::{
    answer::Answer,
    criteria::{Criteria, NamedExpression, Verdict},
    message::{Header, Message, QueryParameter},
};
use crate::{Effect, Network, Outcome, Step, StepCx, StepError, StepResult};

/// The largest body that is sent from a file.
const MAX_BODY_BYTES: u64 = 2 << 20;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
const DEFAULT_POLL_INTERVAL: Duration = Duration::from_secs(30);

/// The step.
pub(crate) struct Http;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Method {
    Delete,
    #[default]
    Get,
    Head,
    Patch,
    Post,
    Put,
}

impl Method {
    const fn name(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Patch => "PATCH",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }

    /// Whether a request only looks.
    const fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }
}

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {
        "properties": {"body": {"minLength": 1}, "bodyFromFile": {"enum": ["", null]}},
        "required": ["body"]
    },
    {
        "properties": {"body": {"enum": ["", null]}, "bodyFromFile": {"minLength": 1}},
        "required": ["bodyFromFile"]
    },
    {"properties": {"body": {"enum": ["", null]}, "bodyFromFile": {"enum": ["", null]}}}
]))]
pub(crate) struct Config {
    /// How the request is made.
    #[serde(default)]
    method: Method,
    /// Where the request goes.
    #[schemars(length(min = 1))]
    url: String,
    /// Headers of the request; a name may stand more than once.
    #[serde(default)]
    headers: Vec<Header>,
    /// Parameters that are added to those of the URL.
    #[serde(default)]
    query_params: Vec<QueryParameter>,
    /// The body of the request.
    #[serde(default)]
    body: String,
    /// A file of the work directory that is the body of the request, at most 2 MiB.
    #[serde(default)]
    #[schemars(length(min = 1))]
    body_from_file: String,
    /// Whether any certificate of the server is accepted.
    #[serde(default, rename = "insecureSkipTLSVerify")]
    insecure_skip_tls_verify: bool,
    /// A proxy for this request; without it those of the environment count.
    #[serde(default)]
    #[schemars(regex(pattern = r"^https?://.*$"))]
    proxy: String,
    /// How long a request may take with its answer; 10s unless given.
    #[serde(default)]
    #[schemars(regex(pattern = r"(?:\d+(ns|us|µs|ms|s|m|h))+"))]
    timeout: String,
    /// How long to wait before the request is repeated; 30s unless given.
    #[serde(default)]
    #[schemars(regex(pattern = r"(?:\d+(ns|us|µs|ms|s|m|h))+"))]
    poll_interval: String,
    /// What the answer is read as, whatever it says it is.
    #[serde(default)]
    #[schemars(regex(pattern = r"^(application/json|application/yaml|text/plain)$"))]
    response_content_type: String,
    /// What the step hands on, from the answer.
    #[serde(default)]
    outputs: Vec<NamedExpression>,
    /// Whether the step is complete, judged by the answer.
    #[serde(default)]
    success_expression: String,
    /// Whether the step failed for good, judged by the answer.
    #[serde(default)]
    failure_expression: String,
    /// What to say about a failure, from the answer.
    #[serde(default)]
    error_expression: String,
}

impl Step for Http {
    const KIND: &'static str = "http";
    type Config = Config;
    type Needs = Network;

    async fn run(&self, config: Config, network: Network, cx: &StepCx<'_>) -> StepResult {
        let criteria = Criteria::compile(&config)?;
        let poll_interval = message::duration(&config.poll_interval, DEFAULT_POLL_INTERVAL)?;
        let message = message(&config, cx)?;
        let client = client(&config, &network)?;
        if !config.method.is_safe() && cx.effects.intercepts(|| effect(&config, &message, cx)) {
            return Ok(criteria.unknown());
        }
        let request = message.request(message::timeout(&config.timeout, DEFAULT_TIMEOUT)?)?;
        let response = client.send(request).await.map_err(message::transport_error)?;
        let now = network.clock.now();
        let pause = response.retry_after(now);
        let answer = Answer::read(response, &config.response_content_type).await?;
        cx.say(format!("{} answered {}", message.describe(), answer.summary()));
        match criteria.judge(&answer, now)? {
            Verdict::Succeeded(output) => Ok(Outcome { output, ..Outcome::done() }),
            Verdict::Failed(why) => Err(StepError::failed(why)),
            Verdict::Refused => {
                let error = StepError::failed_for_now(answer.summary());
                Err(pause.into_iter().fold(error, StepError::not_before))
            }
            Verdict::Unfinished => Ok(Outcome::running(Some(pause.unwrap_or(poll_interval)))
                .saying(format!("{}; waiting for the criteria to be met", answer.summary()))),
        }
    }
}

fn message<'a>(config: &'a Config, cx: &StepCx<'_>) -> Result<Message<'a>, StepError> {
    let body = if config.body_from_file.is_empty() {
        config.body.clone().into_bytes()
    } else {
        cx.files.read(&config.body_from_file, MAX_BODY_BYTES).map_err(|error| {
            StepError::fatal("the body of the request could not be read").because(error)
        })?
    };
    let message = Message {
        method: config.method.name(),
        url: &config.url,
        headers: &config.headers,
        parameters: &config.query_params,
        body,
        idempotency_key: None,
    };
    Ok(if config.method.is_safe() { message } else { message.with_idempotency_key(cx) })
}

fn client(config: &Config, network: &Network) -> Result<Client, StepError> {
    let tls = Tls::skip_verify(config.insecure_skip_tls_verify);
    let client = if config.proxy.is_empty() {
        network.outbound.client(&tls)
    } else {
        network.outbound.client_through(&tls, &config.proxy)
    };
    client.map_err(|error| StepError::fatal("the request could not be prepared").because(error))
}

fn effect(config: &Config, message: &Message<'_>, cx: &StepCx<'_>) -> Effect {
    Effect {
        step: cx.alias.to_owned(),
        action: "http request",
        target: config.url.clone(),
        detail: json!({
            "method": config.method.name(),
            "body": answer::excerpt(&message.body),
        }),
    }
}

#[cfg(test)]
mod tests;
