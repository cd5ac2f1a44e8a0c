//! Whose turn it is to ask for much.
//!
//! Most answers lie ready in memory. What must be made for one caller alone, or read live, takes a turn: only so many are
//! made at once, so that those who ask for little are not kept waiting by those who ask for much. The two kinds have
//! turns of their own: a Kubernetes API that hangs does not keep answers from memory waiting.

use std::{sync::Arc, time::Duration};

use axum::extract::FromRequestParts;
use http::request::Parts;
use io_kube::Ports;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
};

/// How long somebody waits for a turn before they are told to come back.
const PATIENCE: Duration = Duration::from_secs(2);

/// The turns of a server.
pub(crate) struct Turns {
    made: Arc<Semaphore>,
    live: Arc<Semaphore>,
}

/// It is this request's turn until it is answered.
pub(crate) struct Turn {
    _place: OwnedSemaphorePermit,
}

impl Turns {
    pub(crate) fn new(at_once: usize) -> Self {
        let places = || Arc::new(Semaphore::new(at_once));
        Self { made: places(), live: places() }
    }

    /// Waits for a turn to have an answer made from memory.
    pub(crate) async fn to_make(&self, ports: &Ports) -> ApiResult<Turn> {
        take(&self.made, ports).await
    }

    /// Waits for a turn to read a list from the Kubernetes API.
    pub(crate) async fn to_read(&self, ports: &Ports) -> ApiResult<Turn> {
        take(&self.live, ports).await
    }
}

async fn take(places: &Arc<Semaphore>, ports: &Ports) -> ApiResult<Turn> {
    let place = ports.within(PATIENCE, places.clone().acquire_owned()).await;
    let place = place.and_then(Result::ok).ok_or_else(|| ApiError::too_many(PATIENCE))?;
    Ok(Turn { _place: place })
}

impl FromRequestParts<Api> for Turn {
    type Rejection = ApiError;

    async fn from_request_parts(_: &mut Parts, api: &Api) -> Result<Self, ApiError> {
        api.turns().to_make(api.ports()).await
    }
}
