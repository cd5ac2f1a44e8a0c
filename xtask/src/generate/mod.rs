//! `gen`: writes the files that are made from code, or checks that they are up to date.
//!
//! Each folder listed in [`folders`] belongs to the generator: files in it that nobody generates
//! are left over from a removed kind and are deleted, or reported by `--check`.

mod crds;
mod rest;

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

/// Options of `gen`
#[derive(clap::Args)]
pub(crate) struct GenerateArgs {
    /// Change nothing; fail and list the files that differ
    #[arg(long)]
    check: bool,
}

/// The content of a generated folder, by file name.
type Folder = BTreeMap<String, String>;

/// Everything that is generated: folder, relative to the root, and what it must hold.
fn folders() -> anyhow::Result<Vec<(&'static str, Folder)>> {
    Ok(vec![("charts/kargo/resources/crds", crds::files()?), ("openapi/rest", rest::files()?)])
}

/// Carries out `gen` in the repository at `root`.
pub(crate) fn run(args: &GenerateArgs, root: &Path) -> anyhow::Result<()> {
    let mut drifted = Vec::new();
    for (folder, wanted) in folders()? {
        let folder = root.join(folder);
        let stale = differing(&wanted, &read(&folder)?);
        if !args.check {
            write(&folder, &wanted, &stale)?;
        }
        drifted.extend(stale.into_iter().map(|name| folder.join(name)));
    }
    report(args, root, &drifted)
}

/// The names of files that are missing, left over, or of different content.
fn differing(wanted: &Folder, found: &Folder) -> Vec<String> {
    let missing_or_old = wanted.iter().filter(|(name, text)| found.get(*name) != Some(*text));
    let left_over = found.iter().filter(|(name, _)| !wanted.contains_key(*name));
    missing_or_old.chain(left_over).map(|(name, _)| name.clone()).collect()
}

fn read(folder: &Path) -> anyhow::Result<Folder> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Folder::new()),
        Err(error) => return Err(error).context(format!("cannot list {}", folder.display())),
    };
    let mut found = Folder::new();
    for entry in entries {
        let entry = entry?;
        let text = fs::read_to_string(entry.path())
            .with_context(|| format!("cannot read {}", entry.path().display()))?;
        found.insert(entry.file_name().to_string_lossy().into_owned(), text);
    }
    Ok(found)
}

fn write(folder: &Path, wanted: &Folder, stale: &[String]) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for name in stale {
        let path = folder.join(name);
        let done = match wanted.get(name) {
            Some(text) => fs::write(&path, text),
            None => fs::remove_file(&path),
        };
        done.with_context(|| format!("cannot change {}", path.display()))?;
    }
    Ok(())
}

fn report(args: &GenerateArgs, root: &Path, drifted: &[PathBuf]) -> anyhow::Result<()> {
    let list: Vec<_> = drifted
        .iter()
        .map(|path| path.strip_prefix(root).unwrap_or(path).display().to_string())
        .collect();
    if args.check && !list.is_empty() {
        bail!("out of date, run `make gen`:\n{}", list.join("\n"));
    }
    for path in list {
        println!("{path}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &str = "charts/kargo/resources/crds";

    fn generate(root: &Path, check: bool) -> anyhow::Result<()> {
        run(&GenerateArgs { check }, root)
    }

    #[test]
    fn check_passes_after_generation() {
        let root = tempfile::tempdir().unwrap();
        generate(root.path(), false).unwrap();
        generate(root.path(), true).unwrap();
        assert!(root.path().join(FOLDER).join("kargo.akuity.io_stages.yaml").is_file());
    }

    #[test]
    fn check_names_missing_changed_and_left_over_files() {
        let root = tempfile::tempdir().unwrap();
        generate(root.path(), false).unwrap();
        let folder = root.path().join(FOLDER);
        fs::remove_file(folder.join("kargo.akuity.io_stages.yaml")).unwrap();
        fs::write(folder.join("kargo.akuity.io_targets.yaml"), "old").unwrap();
        fs::write(folder.join("left-over.yaml"), "").unwrap();
        let message = generate(root.path(), true).unwrap_err().to_string();
        let named: Vec<_> = message.lines().skip(1).collect();
        assert_eq!(
            named,
            ["kargo.akuity.io_stages.yaml", "kargo.akuity.io_targets.yaml", "left-over.yaml"]
                .map(|name| format!("{FOLDER}/{name}"))
        );
        generate(root.path(), false).unwrap();
        generate(root.path(), true).unwrap();
        assert!(!folder.join("left-over.yaml").exists());
    }
}
