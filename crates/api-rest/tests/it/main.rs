//! The route table against upstream's OpenAPI document.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail loudly and say what they skip"
)]

mod contract;
mod document;
