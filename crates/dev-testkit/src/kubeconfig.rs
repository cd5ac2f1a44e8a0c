//! The few lines of a kubeconfig that a test needs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use base64::{Engine, engine::general_purpose::STANDARD};

/// Where an API server is and how to enter it.
#[derive(Clone, Debug)]
pub struct Kubeconfig {
    /// The file itself, for programs that read it.
    pub path: PathBuf,
    /// `https://host:port`.
    pub server: String,
    /// The authority to trust, PEM.
    pub authority: Vec<u8>,
    /// The bearer token.
    pub token: String,
}

impl Kubeconfig {
    /// Reads a kubeconfig with one cluster and one token user, as ours and the cluster tier's are.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
        let value = |key: &str| {
            text.lines()
                .filter_map(|line| line.trim().trim_start_matches("- ").split_once(": "))
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value.trim().trim_matches(['"', '\'']).to_owned())
        };
        let authority = match (value("certificate-authority-data"), value("certificate-authority"))
        {
            (Some(data), _) => STANDARD.decode(data)?,
            (None, Some(file)) => {
                std::fs::read(path.parent().unwrap_or(Path::new(".")).join(file))?
            }
            (None, None) => anyhow::bail!("{} names no certificate authority", path.display()),
        };
        Ok(Self {
            path: path.to_owned(),
            server: value("server").context("no server")?,
            authority,
            token: value("token").context("no token")?,
        })
    }
}
