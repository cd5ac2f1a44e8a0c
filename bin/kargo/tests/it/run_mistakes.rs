//! What `kargo run` and `kargo lint` say about mistakes.

use std::{fmt::Write as _, path::Path};

use super::{kargo, run::check_guide, stderr};

const HEAD: &str =
    "apiVersion: kargo.akuity.io/v1alpha1\nkind: Promotion\nmetadata: {name: p, namespace: shop}\n";

fn promotion(spec: &str) -> String {
    format!("{HEAD}spec: {spec}\n")
}

/// A file with this text, and a place for what is kept.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, text: &str) -> String {
        let path = self.0.path().join("promotion.yaml");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// What a person sees, with the exit code.
    fn say(&self, arguments: &[&str]) -> String {
        let output = kargo(arguments);
        let root = self.0.path().display().to_string();
        let told = stderr(&output);
        // The result is printed after the progress and before the error.
        let (progress, error) = told.split_at(told.find("error: ").unwrap_or(told.len()));
        let seen = format!("{progress}{}{error}", String::from_utf8_lossy(&output.stdout));
        let took = regex::Regex::new(r" in \d+\.\d s").unwrap();
        let seen = took.replace_all(&seen, " in 0.1 s");
        format!("{}exit code {}\n", seen.replace(&root, "DIR"), output.status.code().unwrap())
    }

    fn run(&self, file: &str, more: &[&str]) -> String {
        let cache = self.0.path().join("cache").display().to_string();
        self.say(&[&["run", "-f", file, "--cache-dir", &cache], more].concat())
    }
}

#[test]
fn mistakes_are_told_with_the_place_and_the_remedy() {
    let bench = Bench::new();
    let mut told = String::new();
    let missing = bench.0.path().join("missing.yaml").display().to_string();
    writeln!(told, "# no file\n{}", bench.run(&missing, &[])).unwrap();
    let task = "{uses: fail, config: {message: stop}}";
    for (mistake, text) in [
        ("not YAML", "a: [".to_owned()),
        ("no Promotion", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n".to_owned()),
        ("no steps", promotion("{stage: dev}")),
        ("unknown step", promotion("{stage: dev, steps: [{uses: git-cloen, config: {}}]}")),
        (
            "invalid configuration",
            promotion("{stage: dev, steps: [{uses: copy, config: {inPath: 1, into: x}}]}"),
        ),
        ("missing Freight", promotion(&format!("{{stage: dev, freight: f, steps: [{task}]}}"))),
        ("a step that fails", promotion(&format!("{{stage: dev, steps: [{task}]}}"))),
    ] {
        writeln!(told, "# {mistake}\n{}", bench.run(&bench.file(&text), &[])).unwrap();
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_journal_of_a_promotion_that_ended_is_not_gone_on_with() {
    let bench = Bench::new();
    let file = bench.file(&promotion("{stage: dev, steps: [{uses: fail, config: {}}]}"));
    let journal = bench.0.path().join("journal.json").display().to_string();
    let first = bench.run(&file, &["--journal", &journal]);
    assert!(first.ends_with("exit code 3\n"), "{first}");
    insta::assert_snapshot!(bench.run(&file, &["--journal", &journal]));
    std::fs::write(Path::new(&journal), "{").unwrap();
    let damaged = bench.run(&file, &["--journal", &journal]);
    assert!(damaged.ends_with("exit code 2\n"), "{damaged}");
}

#[test]
fn findings_name_the_object_and_the_path() {
    let bench = Bench::new();
    let steps = "[{uses: git-cloen, as: a}, {uses: copy, as: a, config: {inPath: '${{ vars.missing }}', \
                 outPath: '${{ outputs.later.x }}'}}, {uses: fail, as: later, config: {extra: 1}}]";
    let file = bench.file(&promotion(&format!("{{stage: dev, steps: {steps}}}")));
    let findings = bench.say(&["lint", "-f", &file]);
    insta::assert_snapshot!(findings);
    check_guide(findings.trim_end_matches("exit code 1\n"));
    let good = bench.file(&promotion("{stage: dev, steps: [{uses: fail, config: {}}]}"));
    assert_eq!(bench.say(&["lint", "-f", &good]), "Promotion p: ok\nexit code 0\n");
}
