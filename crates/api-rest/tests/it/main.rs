//! The route table against upstream's OpenAPI document.

mod contract;
