//! The machine that the figures belong to.

use std::fs;

use anyhow::Result;

/// One line: processor, cores, memory, kernel.
pub(crate) fn describe() -> Result<String> {
    let cpu = fs::read_to_string("/proc/cpuinfo")?;
    let model = value(&cpu, "model name").unwrap_or_else(|| "unknown processor".into());
    let cores = std::thread::available_parallelism()?;
    let memory = fs::read_to_string("/proc/meminfo")?;
    let kilobytes: u64 = value(&memory, "MemTotal")
        .and_then(|text| text.split_whitespace().next().map(str::to_owned))
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    Ok(format!("{model}, {cores} cores, {} GiB, Linux {}", kilobytes / 1024 / 1024, kernel.trim()))
}

fn value(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
