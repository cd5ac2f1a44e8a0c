//! Admission: the rules of `core-rules`, applied to writes.
//!
//! [`Admitter`] looks up what the rules must know, always live before it says that something is not
//! there, and asks them. The embedded engine calls it in process; [`start_on`] serves it to any other API
//! server as webhooks ([`registration`] says which). What happened is told as Events, and a new
//! Project gets its namespace; neither on a dry run.

mod admitter;
#[cfg(feature = "embedded")]
mod embedded;
mod error;
mod kind;
mod lookup;
mod memo;
mod monitor;
pub mod registration;
mod request;
mod run;
mod server;
mod settings;
mod teller;
#[cfg(test)]
mod tests;
mod trust;

pub use admitter::{Admitter, Phase};
#[cfg(feature = "embedded")]
pub use embedded::Rules;
pub use error::Error;
pub use monitor::Monitor;
pub use request::{Admission, Request, Verdict};
pub use run::{Serving, start_on};
pub use settings::{Certificate, Settings};
pub use trust::Trust;
