//! Logs of AnalysisRuns, kept by somebody else and passed on as a stream.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use api_analysis::AnalysisRun;
use axum::{Router, extract::Path, response::Response};
use bytes::Bytes;
use core_rules::analysis::log::{
    Decoder, END, LogAddress, LogError, RunNotFound, address, error_frame, frames, subject,
};
use futures::{Stream, stream};
use http::{HeaderName, header};
use io_http::outbound;

use super::{find_stage, mount as add};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    query::Query,
    watch,
};

/// The longest that a log is passed on.
const LONGEST: Duration = Duration::from_hours(1);

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    add(router, "GetAnalysisRunLogs", analysis_run_log)
}

/// Passes on the log of a Job of an AnalysisRun.
async fn analysis_run_log(
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
    query: Query,
) -> ApiResult<Response> {
    let runs = &caller.mirrors().analysis()?.runs;
    let settings = caller.api().settings().analysis_logs.as_ref();
    let settings = settings.ok_or_else(|| ApiError::refused(LogError::NotConfigured))?;
    caller.require(Verb::Get, &Target::one(runs.kind(), &project, &name)).await.map(drop)?;
    caller.check_project(&project)?;
    let run: Arc<AnalysisRun> =
        runs.ready()?.get(&project, &name).and_then(|run| run.typed()).ok_or_else(|| {
            let (name, namespace) = (name.clone(), project.clone());
            ApiError::refused(RunNotFound { name, namespace })
        })?;
    let subject = subject(&run, query.text("metricName"), query.text("containerName"))
        .map_err(ApiError::refused)?;
    let stage = find_stage(&caller, &project, &subject.stage).await?;
    let shard = stage.metadata.labels.as_ref().and_then(|all| all.get(api_kinds::labels::SHARD));
    let shard = shard.map(String::as_str).unwrap_or_default();
    let now = caller.api().ports().clock.now();
    let address = address(settings, &run, &subject, shard, now).map_err(ApiError::refused)?;
    let response = open(&caller, &address).await?;
    Ok(watch::respond(pass_on(response)))
}

/// The answer of whoever keeps the log.
async fn open(caller: &Caller, address: &LogAddress) -> ApiResult<outbound::Response> {
    let wrong = |what: &str, reason: &str| {
        let (what, reason) = (what.to_owned(), reason.to_owned());
        ApiError::refused(LogError::Template { what, reason })
    };
    let failed = |error: outbound::Error| match error {
        outbound::Error::Address => wrong("address", "it is no http or https address"),
        outbound::Error::Refused { .. } | outbound::Error::Redirect { .. } => {
            wrong("address", "it leads where this server does not go")
        }
        error => ApiError::unavailable("the keeper of the logs does not answer", error),
    };
    let mut request = outbound::Request::get(&address.url).map_err(failed)?.within(LONGEST);
    for (name, value) in &address.headers {
        let what = format!("header {name:?}");
        let name: HeaderName = name.parse().map_err(|_| wrong(&what, "it is no name"))?;
        // Whichever of them holds the token, it is for the keeper alone.
        request = request
            .secret_header(name, value.expose())
            .map_err(|_| wrong(&what, "HTTP cannot carry its value"))?;
    }
    let response = caller.api().outbound().send(request).await.map_err(failed)?;
    if response.status().is_success() {
        return Ok(response);
    }
    let status = response.status().as_u16();
    Err(ApiError::refused(LogError::Keeper { status }))
}

/// A log on its way.
struct Passing {
    ready: VecDeque<Bytes>,
    /// `None` when all of it was read.
    source: Option<(outbound::Response, Decoder)>,
}

fn pass_on(
    response: outbound::Response,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static {
    let content_type = response.header(&header::CONTENT_TYPE).unwrap_or_default();
    let decoder = Decoder::new(content_type);
    let passing = Passing { ready: VecDeque::new(), source: Some((response, decoder)) };
    stream::unfold(passing, |mut passing| async move {
        let frame = passing.next().await?;
        Some((Ok(frame), passing))
    })
}

impl Passing {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(frame);
            }
            let (mut response, mut decoder) = self.source.take()?;
            match response.chunk().await {
                Ok(Some(piece)) => {
                    self.say(&decoder.push(&piece));
                    self.source = Some((response, decoder));
                }
                Ok(None) => {
                    self.say(&decoder.finish());
                    self.ready.push_back(Bytes::from_static(END.as_bytes()));
                }
                Err(error) => self.ready.push_back(Bytes::from(error_frame(&error.to_string()))),
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.ready.extend(frames(text).into_iter().map(Bytes::from));
    }
}
