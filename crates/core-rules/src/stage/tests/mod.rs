//! Passes over Stages, as the documents tell them. Every plan that a test makes is checked.

mod auto;
mod bench;
mod control_flow;
mod freight;
mod health;
mod properties;
mod queue;
mod request;
mod scenarios;
mod verification;
