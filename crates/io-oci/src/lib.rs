//! Container registries and Helm repositories: tags, manifests, image metadata, chart versions.
//!
//! One [`Registries`] per process. It owns what all Warehouses share: a request budget per host that is
//! fair between them and obeys the host's own limits, log-ins with their tokens, and a cache of image
//! metadata by digest that survives restarts. What servers send is bounded in size and number and is
//! checked against its digest; no message holds a credential.

mod artifact;
mod auth;
mod budget;
mod cache;
mod chart;
mod digest;
mod error;
mod image;
mod line;
mod manifest;
mod mirror;
mod pace;
mod place;
mod registries;
mod repository;
mod retry;
mod scheme;
mod settings;
mod tags;

pub use self::{
    artifact::{Annotations, Artifact, Blob, Descriptor, Destination, Reference},
    chart::ChartVersions,
    error::{Error, Scope},
    image::Want,
    mirror::Mirrors,
    pace::Pace,
    registries::{Access, Registries},
    repository::Repository,
    settings::{Limits, Ports, Settings},
};
