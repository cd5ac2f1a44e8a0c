//! The report: one table, each row with its limit and whether it holds.

use std::{fmt::Write, fs, path::Path};

use anyhow::{Context, Result, bail};

use crate::Figures;

/// One figure.
pub(crate) struct Row {
    what: String,
    value: f64,
    limit: Limit,
}

enum Limit {
    AtMost(f64),
    AtLeast(f64),
    Exactly(f64),
    None,
}

impl Row {
    /// A figure that must not be larger.
    pub(crate) fn at_most(what: &str, value: f64, limit: f64) -> Self {
        Self { what: what.to_owned(), value, limit: Limit::AtMost(limit) }
    }

    /// A figure that must not be smaller.
    pub(crate) fn at_least(what: &str, value: f64, limit: f64) -> Self {
        Self { what: what.to_owned(), value, limit: Limit::AtLeast(limit) }
    }

    /// A count that must be this one.
    pub(crate) fn exactly(what: &str, value: f64, want: f64) -> Self {
        Self { what: what.to_owned(), value, limit: Limit::Exactly(want) }
    }

    /// A figure without a limit.
    pub(crate) fn figure(what: &str, value: f64) -> Self {
        Self { what: what.to_owned(), value, limit: Limit::None }
    }

    fn holds(&self) -> bool {
        match self.limit {
            Limit::AtMost(limit) => self.value <= limit,
            Limit::AtLeast(limit) => self.value >= limit,
            // Counts are whole numbers.
            Limit::Exactly(want) => (self.value - want).abs() < 0.5,
            Limit::None => true,
        }
    }

    fn line(&self) -> String {
        let limit = match self.limit {
            Limit::AtMost(limit) => format!("≤ {}", shown(limit)),
            Limit::AtLeast(limit) => format!("≥ {}", shown(limit)),
            Limit::Exactly(want) => format!("= {}", shown(want)),
            Limit::None => String::new(),
        };
        let verdict = match (&self.limit, self.holds()) {
            (Limit::None, _) => "",
            (_, true) => "yes",
            (_, false) => "**no**",
        };
        format!("| {} | {} | {limit} | {verdict} |", self.what, shown(self.value))
    }
}

/// What becomes of rows that an earlier run wrote and this one did not measure.
#[derive(Clone, Copy)]
pub(crate) enum Earlier {
    Kept,
    Forgotten,
}

/// All figures of one run.
pub(crate) struct Report {
    machine: String,
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(machine: String) -> Self {
        Self { machine, rows: Vec::new() }
    }

    pub(crate) fn add(&mut self, row: Row) {
        println!("{}", row.line());
        self.rows.push(row);
    }

    /// Adds our figures, and the ratios where there is something to compare with.
    pub(crate) fn compare(&mut self, ours: &Figures, theirs: Option<&Figures>) {
        self.add(Row::at_least(
            "fsynced creates of 1 kB, 64 clients (1/s)",
            ours.creates.per_second,
            5_000.0,
        ));
        self.add(Row::figure(
            "median latency of one (ms)",
            ours.creates.median.as_secs_f64() * 1e3,
        ));
        self.add(Row::figure(
            "list of 10,000 × 2 kB, HTTPS, no gzip (ms)",
            ours.list.wall.as_secs_f64() * 1e3,
        ));
        let Some(theirs) = theirs else { return };
        self.add(Row::figure(
            "the same creates, kube-apiserver + etcd (1/s)",
            theirs.creates.per_second,
        ));
        self.add(Row::at_least(
            "creates, ratio",
            ours.creates.per_second / theirs.creates.per_second,
            3.0,
        ));
        self.add(Row::figure(
            "the same list, kube-apiserver (ms)",
            theirs.list.wall.as_secs_f64() * 1e3,
        ));
        let wall = theirs.list.wall.as_secs_f64() / ours.list.wall.as_secs_f64();
        self.add(Row::at_least("list, ratio of wall time", wall, 5.0));
        // A tick of the process clock is 10 ms; below that the ratio is bounded by the tick.
        let processor =
            theirs.list.processor.as_secs_f64() / ours.list.processor.as_secs_f64().max(0.001);
        self.add(Row::at_least("list, ratio of server processor time", processor, 10.0));
    }

    /// Replaces the figures in the report; what stands below the mark is kept. `earlier` says what becomes of the others.
    pub(crate) fn write(&self, path: &Path, earlier: Earlier) -> Result<()> {
        const MARK: &str = "<!-- below: written by hand or by make soak -->";
        let old = fs::read_to_string(path).unwrap_or_default();
        let (table, kept) = old.split_once(MARK).unwrap_or((&old, "\n"));
        let mut text = String::from("# Benchmarks\n\n");
        writeln!(text, "`make bench` writes this table. Machine: {}.\n", self.machine)?;
        text.push_str("| what | figure | limit | holds |\n|---|---|---|---|\n");
        for line in self.lines(table, earlier) {
            writeln!(text, "{line}")?;
        }
        write!(text, "\n{MARK}{kept}")?;
        fs::write(path, text).with_context(|| format!("write {}", path.display()))
    }

    /// The rows of the table. A row that was measured again takes the place of its former self.
    fn lines(&self, table: &str, earlier: Earlier) -> Vec<String> {
        let name = |line: &str| line.split('|').nth(1).map(|what| what.trim().to_owned());
        let mut lines: Vec<String> = match earlier {
            Earlier::Forgotten => Vec::new(),
            Earlier::Kept => table
                .lines()
                .filter(|line| line.starts_with('|'))
                .skip(2)
                .map(str::to_owned)
                .collect(),
        };
        for row in &self.rows {
            match lines.iter_mut().find(|line| name(line).as_deref() == Some(&row.what)) {
                Some(line) => *line = row.line(),
                None => lines.push(row.line()),
            }
        }
        lines
    }

    /// Fails when a limit does not hold.
    pub(crate) fn verdict(&self) -> Result<()> {
        let broken: Vec<&str> =
            self.rows.iter().filter(|row| !row.holds()).map(|row| row.what.as_str()).collect();
        if broken.is_empty() {
            return Ok(());
        }
        bail!("beyond the limit: {}", broken.join("; "))
    }
}

fn shown(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(what: &str, value: f64) -> Row {
        Row::exactly(what, value, 1.0)
    }

    #[test]
    fn a_count_that_is_off_by_one_does_not_hold() {
        let mut report = Report::new(String::new());
        report.add(row("a", 1.0));
        assert!(report.verdict().is_ok());
        report.add(row("b", 2.0));
        assert_eq!(report.verdict().unwrap_err().to_string(), "beyond the limit: b");
        assert!(!row("c", 0.0).holds());
        assert_eq!(row("c", 0.0).line(), "| c | 0.00 | = 1.00 | **no** |");
    }

    #[test]
    fn a_part_of_the_rows_can_be_measured_again() {
        let table = "# Benchmarks\n\n| what | figure |\n|---|---|\n| a | 7 | | |\n| b | 8 | | |\n";
        let mut report = Report::new(String::new());
        report.add(row("b", 1.0));
        report.add(row("c", 1.0));
        let measured = ["| b | 1.00 | = 1.00 | yes |", "| c | 1.00 | = 1.00 | yes |"];
        assert_eq!(report.lines(table, Earlier::Forgotten), measured);
        let [b, c] = measured;
        assert_eq!(report.lines(table, Earlier::Kept), ["| a | 7 | | |", b, c]);
    }
}
