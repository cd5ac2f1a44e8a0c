//! The gRPC service `kargo.v1.Kargo`: its messages, its server and its client, made from
//! `proto/kargo/v1/kargo.proto` when this crate is built.

/// Package `kargo.v1`.
#[allow(
    unused_qualifications,
    clippy::pedantic,
    reason = "generated; the comments are in the .proto file, and not every lint has a case"
)]
pub mod v1 {
    tonic::include_proto!("kargo.v1");
}

/// The compiled files, from which a server tells clients what it offers.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
