//! Makes Rust of the `.proto` files. The compiler is a library, so nobody has to install `protoc`.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script by variables where to write"
)]

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message as _;

const FILE: &str = "kargo/v1/kargo.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    let descriptors = protox::compile([FILE], ["proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
