//! Requests that end: with an answer, an error or a deadline.

use std::{fmt::Debug, future::Future, sync::Arc, time::Duration};

use core_clock::Clock;
use kube::{Api, api::ListParams};
use serde::de::DeserializeOwned;

const DEADLINE: Duration = Duration::from_mins(1);
const PAGE: u32 = 500;
/// How often a list is begun again because its continuation was no longer known.
const MAX_RESTARTS: usize = 3;

/// A request failed.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The API server refused, or could not be reached.
    #[error(transparent)]
    Kube(#[from] kube::Error),
    /// It did not answer.
    #[error("no answer within {} s", .0.as_secs())]
    Deadline(Duration),
}

impl RequestError {
    /// The HTTP status of the answer, if there was one.
    pub(crate) fn code(&self) -> Option<u16> {
        match self {
            Self::Kube(error) => io_kube::status_code(error),
            Self::Deadline(_) => None,
        }
    }
}

/// Sends requests that have a deadline.
#[derive(Clone)]
pub(crate) struct Sender {
    clock: Arc<dyn Clock>,
}

impl Sender {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }

    /// The answer to one request.
    pub(crate) async fn answer<T>(
        &self,
        request: impl Future<Output = Result<T, kube::Error>>,
    ) -> Result<T, RequestError> {
        tokio::select! {
            biased;
            answer = request => Ok(answer?),
            () = self.clock.sleep(DEADLINE) => Err(RequestError::Deadline(DEADLINE)),
        }
    }

    /// Hands on every object, page by page. After a continuation has expired the list begins again,
    /// so that an object may come twice.
    pub(crate) async fn each<K>(
        &self,
        api: &Api<K>,
        params: &ListParams,
        mut take: impl FnMut(K),
    ) -> Result<(), RequestError>
    where
        K: Clone + Debug + DeserializeOwned,
    {
        let first = params.clone().limit(PAGE);
        let (mut next, mut restarts) = (first.clone(), 0);
        loop {
            let page = match self.answer(api.list(&next)).await {
                Err(error) if error.code() == Some(410) && restarts < MAX_RESTARTS => {
                    restarts += 1;
                    next = first.clone();
                    continue;
                }
                page => page?,
            };
            page.items.into_iter().for_each(&mut take);
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => next = first.clone().continue_token(&token),
                None => return Ok(()),
            }
        }
    }
}
