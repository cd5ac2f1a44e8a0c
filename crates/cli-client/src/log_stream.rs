//! The log of an AnalysisRun, as it is written.

use crate::{Client, Error, Route, stream::EventStream};

/// An open log.
pub struct LogStream {
    stream: EventStream,
}

impl Client {
    /// The log of an AnalysisRun; metric and container where there are several.
    pub async fn analysis_run_logs(
        &self,
        project: &str,
        run: &str,
        metric: Option<&str>,
        container: Option<&str>,
    ) -> Result<LogStream, Error> {
        let mut route = Route::of(&["projects"]).name(project).word("analysis-runs").name(run);
        route = route.word("logs");
        for (name, value) in [("metricName", metric), ("containerName", container)] {
            if let Some(value) = value {
                route = route.query(name, value);
            }
        }
        Ok(LogStream { stream: EventStream::new(self.open(&route).await?) })
    }
}

impl LogStream {
    /// The next piece of the log, as it was written; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<String>, Error> {
        loop {
            let Some(frame) = self.stream.next().await? else { return Ok(None) };
            match frame.event.as_deref() {
                None | Some("" | "message") => return Ok(Some(frame.data)),
                Some("error") => return Err(Error::Watch(frame.data)),
                Some("end" | "close") => return Ok(None),
                Some(_) => {}
            }
        }
    }
}
