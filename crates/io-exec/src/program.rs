//! Where a program is.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use core_clock::Environment;

/// The program of this name, found in the directories that `PATH` names, as a shell would find it.
pub fn find_program(name: &str, environment: &dyn Environment) -> Option<PathBuf> {
    let path = environment.var("PATH")?;
    std::env::split_paths(&path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn find(name: &str, path: &str) -> Option<PathBuf> {
        let environment: FixedEnvironment = [("PATH", path)].into_iter().collect();
        find_program(name, &environment)
    }

    #[test]
    fn the_first_directory_with_the_program_counts() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("sh"), "not a program").unwrap();
        let path = format!("relative:/nowhere:{}:/bin:/usr/bin", directory.path().display());
        assert_eq!(find("sh", &path), Some("/bin/sh".into()));
        assert_eq!(find("no-such-program", &path), None);
        assert_eq!(find("sh", ""), None);
    }
}
