//! The report as people read it.

use std::fmt;

use api_kinds::Freight;

use super::report::{
    Artifact, FreightReport, Rejected, Report, SubscriptionReport, WarehouseReport,
};

/// Enough of a commit's id to find it by.
const SHORT_ID: usize = 12;
/// Enough of a digest to compare it.
const SHORT_DIGEST: usize = 19;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, warehouse) in self.warehouses.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            warehouse.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for WarehouseReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Warehouse {}/{}", self.project, self.name)?;
        for warning in &self.warnings {
            writeln!(f, "  warning: {}", printable(warning))?;
        }
        for subscription in &self.subscriptions {
            writeln!(f)?;
            subscription.fmt(f)?;
        }
        writeln!(f)?;
        self.freight.fmt(f)
    }
}

impl fmt::Display for SubscriptionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {} {}", self.subscription_type, printable(&self.repository))?;
        if !self.name.is_empty() {
            write!(f, " ({})", printable(&self.name))?;
        }
        writeln!(f)?;
        if let Some(error) = &self.error {
            return writeln!(f, "    failed: {}", printable(error));
        }
        if self.selected.is_empty() {
            writeln!(f, "    nothing selected")?;
        } else {
            writeln!(f, "    selected, best first:")?;
            table(f, self.selected.iter().map(Artifact::cells))?;
        }
        if !self.rejected.is_empty() {
            writeln!(f, "    passed over:")?;
            table(f, self.rejected.iter().map(Rejected::cells))?;
        }
        if self.not_shown > 0 {
            writeln!(f, "    and {} more candidates", self.not_shown)?;
        }
        Ok(())
    }
}

impl fmt::Display for FreightReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Freight(freight) => {
                let name = freight.metadata.name.as_deref().unwrap_or_default();
                writeln!(f, "  Freight {name}")?;
                table(f, contents(freight).into_iter())
            }
            Self::NoFreight(reason) => writeln!(f, "  no Freight: {}", printable(reason)),
            Self::Refused(reason) => writeln!(f, "  refused: {}", printable(reason)),
        }
    }
}

impl Artifact {
    fn cells(&self) -> Vec<String> {
        match self {
            Self::Commit(commit) => {
                let name = if commit.tag.is_empty() { &commit.branch } else { &commit.tag };
                let date = commit.creator_date.as_ref().map(|date| date.0.to_string());
                let id = short(&commit.id, SHORT_ID);
                vec![id, name.clone(), date.unwrap_or_default(), commit.subject.clone()]
            }
            Self::Image(image) => {
                let built = image.created_at.as_ref().map(|date| date.0.to_string());
                let digest = short(&image.digest, SHORT_DIGEST);
                vec![image.tag.clone(), digest, built.unwrap_or_default()]
            }
            Self::Chart { version } => vec![version.clone()],
            Self::Other(artifact) => vec![artifact.version.clone()],
        }
    }
}

impl Rejected {
    fn cells(&self) -> Vec<String> {
        // Ids of commits are long and hide the reason.
        let is_id = self.candidate.len() == 40
            && self.candidate.bytes().all(|byte| byte.is_ascii_hexdigit());
        let candidate =
            if is_id { short(&self.candidate, SHORT_ID) } else { self.candidate.clone() };
        vec![candidate, self.reason.clone()]
    }
}

fn contents(freight: &Freight) -> Vec<Vec<String>> {
    let row =
        |kind: &str, place: &str, version: String| vec![kind.to_owned(), place.to_owned(), version];
    let commits = freight.commits.iter().map(|commit| {
        let id = short(&commit.id, SHORT_ID);
        let version = if commit.tag.is_empty() { id } else { format!("{} ({id})", commit.tag) };
        row("commit", &commit.repo_url, version)
    });
    let images = freight.images.iter().map(|image| {
        let digest = short(&image.digest, SHORT_DIGEST);
        row("image", &image.repo_url, format!("{} ({digest})", image.tag))
    });
    let charts = freight.charts.iter().map(|chart| {
        let place = [chart.repo_url.as_str(), chart.name.as_str()].join(" ");
        row("chart", place.trim_end(), chart.version.clone())
    });
    let others = freight.artifacts.iter().map(|artifact| {
        row(&artifact.artifact_type, &artifact.subscription_name, artifact.version.clone())
    });
    commits.chain(images).chain(charts).chain(others).collect()
}

/// Columns as wide as their widest cell; what servers sent is made printable.
fn table(f: &mut fmt::Formatter<'_>, rows: impl Iterator<Item = Vec<String>>) -> fmt::Result {
    let rows: Vec<Vec<String>> =
        rows.map(|row| row.iter().map(|cell| printable(cell)).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> =
        (0..rows.iter().map(Vec::len).max().unwrap_or_default()).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let line =
            cells.fold(String::new(), |line, (cell, width)| format!("{line}{cell:width$}  "));
        writeln!(f, "      {}", line.trim_end())?;
    }
    Ok(())
}

fn short(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}

/// Text of others must not move the cursor.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
