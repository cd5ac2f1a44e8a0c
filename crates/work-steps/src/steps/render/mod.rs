//! What the steps that render manifests share: programs in a home of their own, the documents they print,
//! and where these are written to.

mod document;
mod home;
mod output;

pub(super) use self::{
    document::{Document, documents},
    home::{Files, Home, MAX_OUTPUT},
    output::{Place, plain_name, write_all},
};
