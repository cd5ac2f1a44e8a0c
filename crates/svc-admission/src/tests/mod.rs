//! Admission on the embedded engine: real objects, real permissions, real Events.

mod access;
mod lifecycle;
mod server;
mod world;
