//! How asking webhooks went, under the names and labels of kube-apiserver.

use std::{collections::BTreeMap, time::Duration};

use parking_lot::Mutex;

use super::{
    histogram::Histogram,
    text::{self, heading, sample},
};

/// The bounds of kube-apiserver.
const SECONDS: &[f64] = &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0];
/// Larger codes count as this one: webhooks make them up.
const LARGEST_CODE: u16 = 600;

/// Which webhook was asked, and about what.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) name: &'a str,
    pub(crate) stage: &'static str,
    pub(crate) operation: &'static str,
}

/// How that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It agreed.
    Allowed,
    /// It refused with this code.
    Denied(u16),
    /// The call failed, which ends the request.
    Failed(u16),
    /// The call failed, and the request goes on.
    FailedOpen(u16),
    /// What it answered cannot be carried out.
    Unusable,
}

impl Ended {
    fn code(self) -> u16 {
        match self {
            Self::Allowed => 200,
            Self::Denied(code) | Self::Failed(code) | Self::FailedOpen(code) => {
                code.min(LARGEST_CODE)
            }
            Self::Unusable => 0,
        }
    }

    /// Why the request is refused, if it is.
    fn rejection(self) -> Option<&'static str> {
        match self {
            Self::Allowed | Self::FailedOpen(_) => None,
            Self::Denied(_) => Some("no_error"),
            Self::Failed(_) => Some("calling_webhook_error"),
            Self::Unusable => Some("apiserver_internal_error"),
        }
    }
}

/// The figures of all webhooks, by their labels.
#[derive(Default)]
pub(crate) struct Webhooks(Mutex<Figures>);

#[derive(Default)]
struct Figures {
    durations: BTreeMap<String, Histogram>,
    rejections: BTreeMap<String, u64>,
    requests: BTreeMap<String, u64>,
    failed_open: BTreeMap<String, u64>,
}

impl Webhooks {
    /// Counts a webhook that was asked.
    pub(crate) fn observe(&self, asked: Asked<'_>, ended: Ended, took: Duration) {
        let Asked { name, stage, operation } = asked;
        let (code, rejection) = (ended.code(), ended.rejection());
        let rejected = rejection.is_some();
        let mut figures = self.0.lock();
        let labels = format!(
            "name=\"{name}\",operation=\"{operation}\",rejected=\"{rejected}\",type=\"{stage}\""
        );
        *figures.requests.entry(format!("code=\"{code}\",{labels}")).or_default() += 1;
        let durations = figures.durations.entry(labels);
        durations.or_insert_with(|| Histogram::new(SECONDS)).observe(took.as_secs_f64());
        if let Some(kind) = rejection {
            let labels = format!(
                "error_type=\"{kind}\",name=\"{name}\",operation=\"{operation}\",rejection_code=\"{code}\",type=\"{stage}\""
            );
            *figures.rejections.entry(labels).or_default() += 1;
        }
        if matches!(ended, Ended::FailedOpen(_)) {
            let labels = format!("name=\"{name}\",type=\"{stage}\"");
            *figures.failed_open.entry(labels).or_default() += 1;
        }
    }

    pub(super) fn print(&self, out: &mut String) {
        let figures = self.0.lock();
        let durations = "apiserver_admission_webhook_admission_duration_seconds";
        heading(out, durations, "histogram", "How long webhooks took.");
        for (labels, histogram) in &figures.durations {
            text::histogram(out, durations, labels, histogram);
        }
        let counters = [
            (
                "apiserver_admission_webhook_rejection_count",
                "Requests that webhooks refused, or that ended because a webhook failed.",
                &figures.rejections,
            ),
            (
                "apiserver_admission_webhook_request_total",
                "How often webhooks were asked.",
                &figures.requests,
            ),
            (
                "apiserver_admission_webhook_fail_open_count",
                "Requests that went on although a webhook failed.",
                &figures.failed_open,
            ),
        ];
        for (name, help, counts) in counters {
            heading(out, name, "counter", help);
            for (labels, count) in counts {
                sample(out, name, labels, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_is_counted_as_kube_apiserver_counts_it() {
        let webhooks = Webhooks::default();
        let asked = Asked { name: "a.b.c", stage: "admit", operation: "CREATE" };
        for ended in [
            Ended::Allowed,
            Ended::Denied(999),
            Ended::Failed(503),
            Ended::FailedOpen(500),
            Ended::Unusable,
        ] {
            webhooks.observe(asked, ended, Duration::from_millis(30));
        }
        let mut text = String::new();
        webhooks.print(&mut text);
        let samples: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.contains("_bucket"))
            .collect();
        let counted =
            |name: &str, labels: &str| format!("apiserver_admission_webhook_{name}{{{labels}}} 1");
        let (create, end) = ("name=\"a.b.c\",operation=\"CREATE\"", "type=\"admit\"");
        for line in [
            counted("request_total", &format!("code=\"0\",{create},rejected=\"true\",{end}")),
            counted("request_total", &format!("code=\"200\",{create},rejected=\"false\",{end}")),
            counted("request_total", &format!("code=\"500\",{create},rejected=\"false\",{end}")),
            counted("request_total", &format!("code=\"503\",{create},rejected=\"true\",{end}")),
            counted("request_total", &format!("code=\"600\",{create},rejected=\"true\",{end}")),
            counted("fail_open_count", &format!("name=\"a.b.c\",{end}")),
        ] {
            assert!(samples.contains(&line.as_str()), "{line}\n{text}");
        }
        for (kind, code) in
            [("no_error", 600), ("calling_webhook_error", 503), ("apiserver_internal_error", 0)]
        {
            let labels = format!("error_type=\"{kind}\",{create},rejection_code=\"{code}\",{end}");
            let line = counted("rejection_count", &labels);
            assert!(samples.contains(&line.as_str()), "{line}\n{text}");
        }
        let slow = format!("{create},rejected=\"true\",{end},le=\"0.1\"}} 3");
        assert!(text.contains(&slow), "{text}");
    }
}
