//! Webhooks of users, on a double of the network.

mod double;
mod failure;
mod identity;
mod matching;
mod mutating;
mod validating;
