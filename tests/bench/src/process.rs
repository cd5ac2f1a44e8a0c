//! What a process has used so far.

use std::{fs, time::Duration};

use anyhow::{Context, Result};

/// Clock ticks of `/proc/<pid>/stat`; 100 on every Linux we run on.
const TICKS_PER_SECOND: u64 = 100;

/// Resident memory in bytes.
pub(crate) fn resident(pid: u32) -> Result<u64> {
    memory(pid, "VmRSS:")
}

/// The most resident memory it ever had, in bytes.
pub(crate) fn most_resident(pid: u32) -> Result<u64> {
    memory(pid, "VmHWM:")
}

/// Resident memory that no file stands behind, in bytes.
pub(crate) fn anonymous(pid: u32) -> Result<u64> {
    memory(pid, "RssAnon:")
}

fn memory(pid: u32, name: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with(name)).context("no such line")?;
    let kilobytes: u64 = line.split_whitespace().nth(1).context("no value")?.parse()?;
    Ok(kilobytes * 1024)
}

/// Processor time, user and system.
pub(crate) fn processor_time(pids: &[u32]) -> Result<Duration> {
    let mut ticks = 0;
    for pid in pids {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let fields = stat.rsplit_once(')').context("no name in stat")?.1;
        let mut numbers = fields.split_whitespace().skip(11);
        for _ in 0..2 {
            ticks += numbers.next().context("short stat")?.parse::<u64>()?;
        }
    }
    Ok(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}
