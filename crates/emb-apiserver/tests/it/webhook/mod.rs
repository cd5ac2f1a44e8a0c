//! Webhooks of users, on a double of the network.

mod double;
mod failure;
mod figures;
mod identity;
mod matching;
mod mutating;
mod token;
mod validating;
