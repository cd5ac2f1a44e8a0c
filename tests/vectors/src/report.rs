//! Running all cases of a family.

use std::fmt;

use serde_json::Value;

use crate::case::Case;
use crate::families::Family;

/// How many failures are told in full.
const SHOWN_FAILURES: usize = 5;

/// A case whose result differs.
#[derive(Debug)]
pub struct Failure {
    /// The case.
    pub id: String,
    /// Its members, as JSON.
    pub case: String,
    /// What differs.
    pub difference: String,
}

/// The results of one family.
#[derive(Debug)]
pub struct Report {
    family: &'static str,
    passed: usize,
    failures: Vec<Failure>,
    /// Name, reason and number of cases of each exception that took one.
    exceptions: Vec<(&'static str, &'static str, usize)>,
}

/// Runs every case in the file of a family.
pub fn run(family: &'static Family, file: &Value) -> Report {
    let mut report =
        Report { family: family.name, passed: 0, failures: Vec::new(), exceptions: Vec::new() };
    let cases = file.get("cases").and_then(Value::as_array);
    for members in cases.into_iter().flatten() {
        report.add(family, &Case::new(file, members), members);
    }
    report
}

impl Report {
    /// Whether all cases passed or were taken by an exception, and there was one at all.
    pub fn is_success(&self) -> bool {
        self.failures.is_empty() && self.passed > 0
    }

    fn add(&mut self, family: &'static Family, case: &Case<'_>, members: &Value) {
        let Some(difference) = (family.run)(case).difference(case) else {
            self.passed += 1;
            return;
        };
        match family.exceptions.iter().find(|exception| (exception.applies)(case)) {
            Some(exception) => self.count_exception(exception.name, exception.reason),
            None => self.failures.push(Failure {
                id: case.id().to_owned(),
                case: members.to_string(),
                difference,
            }),
        }
    }

    fn count_exception(&mut self, name: &'static str, reason: &'static str) {
        match self.exceptions.iter_mut().find(|(known, _, _)| *known == name) {
            Some((_, _, count)) => *count += 1,
            None => self.exceptions.push((name, reason, 1)),
        }
    }
}

/// One line for the family, one for each exception, and the first failures in full.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let excepted: usize = self.exceptions.iter().map(|(_, _, count)| count).sum();
        let failed = self.failures.len();
        write!(
            f,
            "{}: {} passed, {failed} failed, {excepted} exceptions",
            self.family, self.passed
        )?;
        for (name, reason, count) in &self.exceptions {
            write!(f, "\n  exception {name}: {count} cases ({reason})")?;
        }
        for failure in self.failures.iter().take(SHOWN_FAILURES) {
            write!(f, "\n  {}: {}\n    {}", failure.id, failure.difference, failure.case)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::run;
    use crate::{Answer, Exception, Family};

    static DOUBLING: Family = Family {
        name: "doubling",
        run: |case| Answer::value(case.count("input") * 2),
        exceptions: &[Exception {
            name: "no-odd-results",
            reason: "an odd double is of no use",
            applies: |case| case.count("want") % 2 == 1,
        }],
    };

    #[test]
    fn results_are_counted_and_exceptions_named() {
        let file = json!({"cases": [
            {"id": "a", "input": 1, "want": 2.0},
            {"id": "b", "input": 1, "want": 3},
            {"id": "c", "input": 1, "want": 4},
            {"id": "d", "input": 1, "error": true},
        ]});
        let report = run(&DOUBLING, &file);
        assert!(!report.is_success());
        let text = report.to_string();
        assert!(text.starts_with("doubling: 1 passed, 2 failed, 1 exceptions"), "{text}");
        assert!(text.contains("exception no-odd-results: 1 cases"), "{text}");
        assert!(text.contains("c: want: 4, ours: 2"), "{text}");
    }

    #[test]
    fn a_file_without_cases_is_no_success() {
        assert!(!run(&DOUBLING, &json!({})).is_success());
    }
}
