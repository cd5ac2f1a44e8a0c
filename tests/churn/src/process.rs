//! The memory of this process.

use anyhow::{Context, Result};

/// Resident memory in bytes.
pub(crate) fn resident() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    let kilobytes: u64 = line.split_whitespace().nth(1).context("no value")?.parse()?;
    Ok(kilobytes * 1024)
}
