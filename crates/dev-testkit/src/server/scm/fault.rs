//! Answers that go wrong.

use super::wire::Received;

/// Which requests go wrong, how, and how often.
#[derive(Clone, Debug)]
pub struct Fault {
    method: Option<&'static str>,
    path: &'static str,
    times: usize,
    mishap: Mishap,
}

/// What happens instead of an answer.
#[derive(Clone, Debug)]
pub enum Mishap {
    /// Nothing is done; this status, these headers and this body are answered.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// What was asked for is done, and then this status is answered: the answer got lost on the way.
    LoseAnswer(u16),
    /// Nothing, for ever.
    Silence,
}

impl Fault {
    /// Every request goes wrong.
    pub fn always(mishap: Mishap) -> Self {
        Self { method: None, path: "", times: usize::MAX, mishap }
    }

    /// The next request goes wrong.
    pub fn once(mishap: Mishap) -> Self {
        Self { times: 1, ..Self::always(mishap) }
    }

    /// The next `times` requests go wrong.
    #[must_use]
    pub fn times(self, times: usize) -> Self {
        Self { times, ..self }
    }

    /// Only requests of this method whose path holds this text.
    #[must_use]
    pub fn on(self, method: &'static str, path: &'static str) -> Self {
        Self { method: Some(method), path, ..self }
    }

    /// Plainly this status.
    pub fn status(status: u16) -> Mishap {
        Mishap::Answer(status, Vec::new(), String::new())
    }

    /// This status, with a message as the services write it.
    pub fn saying(status: u16, message: &str) -> Mishap {
        Mishap::Answer(status, Vec::new(), serde_json::json!({ "message": message }).to_string())
    }

    fn concerns(&self, request: &Received) -> bool {
        self.times > 0
            && self.method.is_none_or(|method| method == request.method)
            && request.path.contains(self.path)
    }
}

/// The mishap of a request, which is then used up.
pub(super) fn take(faults: &mut [Fault], request: &Received) -> Option<Mishap> {
    let fault = faults.iter_mut().find(|fault| fault.concerns(request))?;
    fault.times -= 1;
    Some(fault.mishap.clone())
}
