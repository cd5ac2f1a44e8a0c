//! Tables as `kubectl` draws them: columns as wide as they need, three spaces apart.

/// Between two columns.
const PADDING: usize = 3;
/// No column but the last is narrower, its padding included.
const NARROWEST: usize = 6;

/// To the colour of the terminal.
const PLAIN: &str = "\u{1b}[0m";

/// A table whose columns keep the widths they once had, so that rows that come later stand below each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    widths: Vec<usize>,
    is_painted: bool,
}

impl Table {
    /// A table without rows so far.
    pub(crate) fn new(is_painted: bool) -> Self {
        Self { widths: Vec::new(), is_painted }
    }

    /// Draws rows, after a head if there is one. No rows, no head.
    pub(crate) fn draw(&mut self, head: Option<&[&str]>, rows: &[Vec<String>]) -> String {
        if rows.is_empty() {
            return String::new();
        }
        let mut lines: Vec<Vec<String>> = Vec::with_capacity(rows.len() + 1);
        lines.extend(head.map(|head| head.iter().map(|name| (*name).to_owned()).collect()));
        lines.extend(rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()));
        for line in &lines {
            self.widen(line);
        }
        lines.iter().map(|line| self.line(line)).collect()
    }

    fn widen(&mut self, line: &[String]) {
        for (at, cell) in line.iter().enumerate() {
            let width = (cell.chars().count() + PADDING).max(NARROWEST);
            match self.widths.get_mut(at) {
                Some(known) => *known = width.max(*known),
                None => self.widths.push(width),
            }
        }
    }

    fn line(&self, cells: &[String]) -> String {
        let mut line = String::new();
        for (at, (cell, width)) in cells.iter().zip(&self.widths).enumerate() {
            match colour(cell).filter(|_| self.is_painted) {
                Some(colour) => line.extend([colour, cell, PLAIN]),
                None => line.push_str(cell),
            }
            if at + 1 < cells.len() {
                let missing = width.saturating_sub(cell.chars().count());
                line.extend(std::iter::repeat_n(' ', missing));
            }
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}

/// The colour of words that say how something is: green, red or yellow.
fn colour(cell: &str) -> Option<&'static str> {
    match cell {
        "True" | "Healthy" | "Succeeded" | "passed" => Some("\u{1b}[32m"),
        "False" | "Unhealthy" | "Failed" | "Errored" | "refused" => Some("\u{1b}[31m"),
        "Unknown" | "Progressing" | "Pending" | "Running" | "Aborted" => Some("\u{1b}[33m"),
        _ => None,
    }
}

/// A cell ends at its first line break, and never drives the terminal.
fn one_line(cell: &str) -> String {
    let shown = |text: &str| text.chars().filter(|c| !c.is_control()).collect::<String>();
    match cell.split_once(['\n', '\r']) {
        Some((first, _)) => format!("{}...", shown(first)),
        None => shown(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn columns_are_as_wide_as_they_need() {
        let mut table = Table::default();
        let rows = [row(&["a", "x\ny", "1d"]), row(&["longer-name", "", "2d"])];
        let drawn = table.draw(Some(&["NAME", "S", "AGE"]), &rows);
        let expected =
            "NAME          S      AGE\na             x...   1d\nlonger-name          2d\n";
        assert_eq!(drawn, expected);
        assert_eq!(table.draw(None, &[row(&["b", "", "3d"])]), "b                    3d\n");
    }

    #[test]
    fn colours_take_no_room() {
        let mut table = Table::new(true);
        let rows = [row(&["Healthy", "1d"]), row(&["x", "2d"])];
        let expected = "\u{1b}[32mHealthy\u{1b}[0m   1d\nx         2d\n";
        assert_eq!(table.draw(None, &rows), expected);
    }

    #[test]
    fn without_rows_there_is_no_head() {
        assert_eq!(Table::default().draw(Some(&["NAME"]), &[]), "");
    }
}
