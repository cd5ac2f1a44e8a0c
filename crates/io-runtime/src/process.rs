//! What the operating system tells about this process.

use std::fs;

/// The kernel counts processor time in ticks of this length for programs, on every architecture.
const TICKS_PER_SECOND: f64 = 100.0;
const BYTES_PER_KILOBYTE: f64 = 1024.0;

/// Figures of this process; what the system does not tell is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessFigures {
    /// Processor time in seconds, of programs and of the kernel for them.
    pub cpu_seconds: Option<f64>,
    /// Memory in use, in bytes.
    pub resident_bytes: Option<f64>,
    /// Memory that is reserved, in bytes.
    pub virtual_bytes: Option<f64>,
    /// Threads.
    pub threads: Option<f64>,
    /// Files and sockets that are open.
    pub open_files: Option<f64>,
    /// How many of them may be.
    pub max_files: Option<f64>,
}

impl ProcessFigures {
    /// The figures of now.
    pub fn read() -> Self {
        let file = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).ok();
        Self::parse(file("stat"), file("status"), file("limits"), count_files())
    }

    fn parse(
        stat: Option<String>,
        status: Option<String>,
        limits: Option<String>,
        open_files: Option<f64>,
    ) -> Self {
        let status = status.as_deref().unwrap_or_default();
        let kilobytes = |name| field(status, name).map(|value| value * BYTES_PER_KILOBYTE);
        Self {
            cpu_seconds: stat.as_deref().and_then(cpu_seconds),
            resident_bytes: kilobytes("VmRSS:"),
            virtual_bytes: kilobytes("VmSize:"),
            threads: field(status, "Threads:"),
            open_files,
            max_files: limits.as_deref().and_then(|limits| field(limits, "Max open files")),
        }
    }
}

/// User and kernel time, the 14th and 15th field; the 2nd is a name that may hold anything.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut times = after_name.split_ascii_whitespace().skip(11);
    let ticks: f64 = times.next()?.parse::<f64>().ok()? + times.next()?.parse::<f64>().ok()?;
    Some(ticks / TICKS_PER_SECOND)
}

/// The first number behind a name at the start of a line.
fn field(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[expect(clippy::cast_precision_loss, reason = "nobody has that many files open")]
fn count_files() -> Option<f64> {
    let listed = fs::read_dir("/proc/self/fd").ok()?;
    // The listing itself is one of them.
    Some(listed.count().saturating_sub(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::ProcessFigures;

    #[test]
    fn figures_are_found_in_what_the_kernel_prints() {
        let stat = "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 250 150 0 0 20 0 8 0 100";
        let status = "Name:\tkargo\nVmSize:\t  2048 kB\nVmRSS:\t  1024 kB\nThreads:\t8\n";
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax open files   1024   4096   files\n";
        let read = |text: &str| Some(text.to_owned());
        assert_eq!(
            ProcessFigures::parse(read(stat), read(status), read(limits), Some(7.0)),
            ProcessFigures {
                cpu_seconds: Some(4.0),
                resident_bytes: Some(1_048_576.0),
                virtual_bytes: Some(2_097_152.0),
                threads: Some(8.0),
                open_files: Some(7.0),
                max_files: Some(1024.0),
            }
        );
    }

    #[test]
    fn what_is_not_told_is_absent() {
        let none = ProcessFigures::parse(None, None, None, None);
        assert_eq!(none, ProcessFigures::default());
        let broken = Some("(".to_owned());
        assert_eq!(ProcessFigures::parse(broken.clone(), broken.clone(), broken, None), none);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_real_process_uses_memory_and_files() {
        let figures = ProcessFigures::read();
        assert!(figures.resident_bytes.unwrap() > 0.0, "{figures:?}");
        assert!(figures.open_files.unwrap() > 0.0, "{figures:?}");
    }
}
