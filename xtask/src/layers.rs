//! `layers`: the allowed direction between crates, read from `layers.toml` and checked on the manifests.

use std::{collections::BTreeMap, path::Path, process::Command};

use anyhow::{Context, bail};
use serde::Deserialize;

#[derive(Deserialize)]
struct Layers {
    allow: BTreeMap<String, Vec<String>>,
    forbid: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
    path: Option<String>,
}

/// Fails with one line per forbidden arrow.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(root.join("layers.toml")).context("read layers.toml")?;
    let layers: Layers = toml::from_str(&text).context("parse layers.toml")?;
    let packages = workspace_packages(root)?;
    let problems: Vec<String> =
        packages.iter().flat_map(|package| check(package, &layers)).collect();
    if !problems.is_empty() {
        bail!("layers.toml does not allow:\n  {}", problems.join("\n  "));
    }
    println!("layers: {} crates, every arrow allowed", packages.len());
    Ok(())
}

fn workspace_packages(root: &Path) -> anyhow::Result<Vec<Package>> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1", "--locked"])
        .current_dir(root)
        .output()
        .context("run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice::<Metadata>(&output.stdout)?.packages)
}

fn check(package: &Package, layers: &Layers) -> Vec<String> {
    let Some(allowed) = entry(&layers.allow, &package.name) else {
        return vec![format!("{}: no entry for this crate", package.name)];
    };
    let forbidden = entry(&layers.forbid, &package.name).map_or(&[][..], Vec::as_slice);
    let mut problems = Vec::new();
    for dependency in &package.dependencies {
        let in_tests = dependency.kind.as_deref() == Some("dev");
        let internal = dependency.path.is_some();
        let permitted = allowed.iter().any(|pattern| matches(pattern, &dependency.name))
            || (in_tests && dependency.name.starts_with("dev-"))
            || (in_tests && same_layer(&package.name, &dependency.name));
        if internal && !permitted {
            problems.push(format!("{} → {}", package.name, dependency.name));
        }
        if !in_tests && forbidden.contains(&dependency.name) {
            problems
                .push(format!("{} → {} (brings the outside world)", package.name, dependency.name));
        }
    }
    problems
}

fn entry<'a>(table: &'a BTreeMap<String, Vec<String>>, name: &str) -> Option<&'a Vec<String>> {
    table
        .get(name)
        .or_else(|| table.iter().find(|(pattern, _)| matches(pattern, name)).map(|(_, list)| list))
}

fn matches(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |prefix| name.starts_with(prefix))
}

fn same_layer(one: &str, other: &str) -> bool {
    one.split('-').next() == other.split('-').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(name: &str, dependency: &str, kind: Option<&str>) -> Vec<String> {
        let layers: Layers = toml::from_str(
            "[allow]\n'core-*' = ['core-*']\n'io-*' = ['core-*']\n[forbid]\n'core-*' = ['tokio']",
        )
        .unwrap();
        let dependency = Dependency {
            name: dependency.into(),
            kind: kind.map(Into::into),
            path: (dependency != "tokio").then(|| "here".into()),
        };
        check(&Package { name: name.into(), dependencies: vec![dependency] }, &layers)
    }

    #[test]
    fn arrows_go_down_only() {
        assert!(problems("io-git", "core-clock", None).is_empty());
        assert_eq!(problems("core-rules", "io-git", None), ["core-rules → io-git"]);
        assert_eq!(problems("stray", "core-clock", None), ["stray: no entry for this crate"]);
    }

    #[test]
    fn tests_may_use_their_own_layer_and_test_crates() {
        assert!(problems("io-git", "io-exec", Some("dev")).is_empty());
        assert!(problems("core-rules", "dev-testkit", Some("dev")).is_empty());
        assert!(problems("core-rules", "tokio", Some("dev")).is_empty());
        assert_eq!(problems("core-rules", "tokio", None).len(), 1);
    }
}
