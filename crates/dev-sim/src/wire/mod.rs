//! The connection between a process and the API server, on which requests and replies get lost.

mod asked;
mod body;

use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use core_clock::{Clock, ManualClock, Sleep, Tasks};
use emb_auth::Identity;
use futures::{
    FutureExt,
    channel::oneshot,
    future::{self, BoxFuture, Either},
};
use http::{Request, Response};
use kube::client::Body;

use self::asked::Asked;
pub(crate) use self::body::WireBody;
use crate::{
    dice::Dice,
    engine::Engine,
    executor::Group,
    faults::{Fault, Faults},
    story::Story,
};

/// The longest a message travels when nothing is wrong.
const LATENCY: Duration = Duration::from_millis(3);
/// The longest a slow request or reply takes.
const SLOW: Duration = Duration::from_secs(20);

/// A connection that does not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Nobody answers.
    #[error("connection refused (simulated)")]
    Refused,
    /// It broke off while the request was under way; whether it had an effect is unknown.
    #[error("connection reset (simulated)")]
    Reset,
}

/// What both ends of a connection are.
pub(crate) struct Link {
    /// The process at this end, for the story.
    pub(crate) who: String,
    pub(crate) identity: Identity,
    pub(crate) engine: Arc<Engine>,
    pub(crate) clock: ManualClock,
    pub(crate) faults: Faults,
    pub(crate) story: Story,
    pub(crate) dice: Dice,
    /// The process that a crash at a request ends; `None` for one that does not crash.
    pub(crate) mortal: Option<Group>,
}

/// The tower service that a `kube::Client` is built on.
#[derive(Clone)]
pub(crate) struct Wire(pub(crate) Arc<Link>);

impl tower::Service<Request<Body>> for Wire {
    type Response = Response<WireBody>;
    type Error = Broken;
    type Future = BoxFuture<'static, Result<Self::Response, Broken>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let link = self.0.clone();
        async move {
            let asked = Asked::new(&request);
            let outcome = link.exchange(&asked, request).await;
            link.tell(&asked, &outcome);
            outcome
        }
        .boxed()
    }
}

impl Link {
    /// Whether a fault happens on this connection now.
    fn strikes(&self, fault: Fault) -> bool {
        self.faults.strikes(fault, &self.dice)
    }

    async fn exchange(
        self: &Arc<Self>,
        asked: &Asked,
        request: Request<Body>,
    ) -> Result<Response<WireBody>, Broken> {
        self.travel().await;
        self.perhaps_die(Fault::CrashBeforeRequest).await;
        if self.strikes(Fault::Refused) {
            return Err(Broken::Refused);
        }
        if let Some(reply) = asked.made_up_reply(|fault| self.strikes(fault)) {
            return Ok(reply);
        }
        let times_out = self.strikes(Fault::Timeout);
        if times_out && self.dice.chance(500) {
            return Ok(asked::timeout());
        }
        let reply = self.deliver(asked, request).await?;
        self.perhaps_die(Fault::CrashAfterRequest).await;
        if self.strikes(Fault::LostReply) {
            return Err(Broken::Reset);
        }
        if times_out {
            return Ok(asked::timeout());
        }
        self.perhaps_wait(Fault::SlowReply).await;
        self.travel().await;
        Ok(reply)
    }

    /// Has the server answer; breaks off when it dies. What has been sent is done even if the caller is gone by then.
    async fn deliver(
        self: &Arc<Self>,
        asked: &Asked,
        request: Request<Body>,
    ) -> Result<Response<WireBody>, Broken> {
        let (server_ended, answer) = {
            let running = self.engine.running().ok_or(Broken::Refused)?;
            let mut service = running.server.client_service(self.identity.clone());
            let (reply, answer) = oneshot::channel();
            let wait = self.perhaps_wait(Fault::SlowRequest);
            let served = async move {
                wait.await;
                // Nobody takes the reply of a request whose caller is gone.
                let _ = reply.send(tower::Service::call(&mut service, request).await);
            };
            running.process.spawn("request", served.boxed());
            (running.process.ended(), answer)
        };
        match future::select(server_ended, answer).await {
            Either::Right((Ok(Ok(reply)), server_ended)) => {
                let link = asked.is_watch.then(|| self.clone());
                Ok(reply.map(|body| WireBody::from_server(body, server_ended, link)))
            }
            Either::Left(_) | Either::Right((Err(_), _)) => Err(Broken::Reset),
        }
    }

    /// A wait of seconds when the fault strikes, else none.
    fn perhaps_wait(&self, fault: Fault) -> Sleep {
        let wait = if self.strikes(fault) { self.dice.duration(SLOW) } else { Duration::ZERO };
        self.clock.sleep(wait)
    }

    async fn travel(&self) {
        self.clock.sleep(self.dice.duration(LATENCY)).await;
    }

    /// Ends the process of the caller, if it is one that can die. Never returns then.
    async fn perhaps_die(&self, fault: Fault) {
        if let Some(process) = &self.mortal
            && self.strikes(fault)
        {
            self.story.tell(&self.who, format!("dies: {fault:?}"));
            process.kill();
            future::pending::<()>().await;
        }
    }

    fn tell(&self, asked: &Asked, outcome: &Result<Response<WireBody>, Broken>) {
        let answer = match outcome {
            Ok(reply) if reply.body().is_made_up() => {
                format!("{} (fault)", reply.status().as_u16())
            }
            Ok(reply) => reply.status().as_u16().to_string(),
            Err(broken) => broken.to_string(),
        };
        self.story.tell(&self.who, format!("{asked} → {answer}"));
    }
}
