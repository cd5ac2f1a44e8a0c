//! Whether the control plane can be reached: a component that cannot is not ready, whatever it thinks of itself.

use std::{sync::Arc, time::Duration};

use core_clock::Clock;
use io_kube::Ports;
use kube::Client;
use parking_lot::Mutex;

use super::vitals::Probe;

/// How often we ask.
const INTERVAL: Duration = Duration::from_secs(10);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How old the last answer may be.
const LIMIT: Duration = Duration::from_secs(30);

/// When the API server answered last.
#[derive(Clone)]
pub(super) struct Reach {
    clock: Arc<dyn Clock>,
    answered: Arc<Mutex<Option<Duration>>>,
}

impl Reach {
    /// Asks through `client` until the tasks stop.
    pub(super) fn watch(client: Client, ports: &Ports) -> Self {
        let reach = Self { clock: ports.clock.clone(), answered: Arc::default() };
        let (asking, tasks) = (reach.clone(), ports.tasks.clone());
        let task = async move {
            let mut stopping = tasks.stopping();
            tokio::select! {
                () = &mut stopping => {}
                () = asking.ask(&client) => {}
            }
        };
        ports.tasks.spawn("reach", Box::pin(task));
        reach
    }

    async fn ask(&self, client: &Client) {
        loop {
            let answered = tokio::select! {
                version = client.apiserver_version() => match version {
                    // A refusal is an answer.
                    Ok(_) | Err(kube::Error::Api(_)) => true,
                    Err(error) => {
                        tracing::warn!(%error, "the API server is not reached");
                        false
                    }
                },
                () = self.clock.sleep(PATIENCE) => {
                    tracing::warn!(seconds = PATIENCE.as_secs(), "the API server does not answer");
                    false
                }
            };
            if answered {
                *self.answered.lock() = Some(self.clock.monotonic());
            }
            self.clock.sleep(INTERVAL).await;
        }
    }
}

impl Probe for Reach {
    fn name(&self) -> &'static str {
        "API server"
    }

    fn unready(&self) -> Option<String> {
        let Some(answered) = *self.answered.lock() else { return Some("not reached yet".into()) };
        let silent = self.clock.monotonic().saturating_sub(answered);
        (silent > LIMIT).then(|| format!("silent for {} s", silent.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use core_clock::{ManualClock, Time};

    use super::*;

    #[test]
    fn silence_counts_from_the_last_answer() {
        let clock = ManualClock::new(Time::default());
        let reach = Reach { clock: Arc::new(clock.clone()), answered: Arc::default() };
        assert_eq!(reach.unready().as_deref(), Some("not reached yet"));
        *reach.answered.lock() = Some(clock.monotonic());
        clock.advance(Duration::from_secs(30));
        assert_eq!(reach.unready(), None);
        clock.advance(Duration::from_secs(1));
        assert_eq!(reach.unready().as_deref(), Some("silent for 31 s"));
    }
}
