//! `kargo crds`: the CustomResourceDefinitions, ready for `kubectl apply -f -`.

use std::io::Write;

use crate::exit::{Exit, Failure};

pub(crate) fn run() -> Result<(), Failure> {
    let yaml = api_kinds::crd::crds_yaml().map_err(|error| Failure::new(Exit::Error, error))?;
    std::io::stdout().write_all(yaml.as_bytes())?;
    Ok(())
}
