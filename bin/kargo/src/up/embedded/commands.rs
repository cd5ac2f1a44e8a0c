//! What a person is told to type when the control plane is ready.

use std::{
    env::split_paths,
    io::{self, Write},
    path::{Path, PathBuf},
};

use core_clock::Environment;
use local_demo::APPLICATION;

/// The name that people type.
const NAME: &str = "kargo";

/// Commands to copy.
pub(super) struct Commands<'a> {
    /// The data directory.
    pub(super) directory: &'a Path,
    pub(super) has_api: bool,
    pub(super) has_demo: bool,
    /// This program, where its name does not lead a shell to it.
    pub(super) program: Option<PathBuf>,
}

impl Commands<'_> {
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Type next, in another terminal:")?;
        if let Some(program) = self.program.as_ref().filter(|_| self.has_api) {
            writeln!(out, "  alias {NAME}={}", quoted(program))?;
        }
        if self.has_api {
            writeln!(out, "  {NAME} get projects")?;
        }
        if self.has_demo {
            self.print_demo(out)?;
        }
        writeln!(out, "  export KUBECONFIG={}", quoted(&self.directory.join("admin.kubeconfig")))?;
        writeln!(out, "  kubectl api-resources --api-group=kargo.akuity.io")?;
        writeln!(out, "  kubectl explain stage.spec")
    }

    /// What there is to see in the demo, up to where `kubectl` begins.
    fn print_demo(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "  {NAME} get pipeline")?;
        writeln!(out, "  {NAME} get freight")?;
        writeln!(out)?;
        writeln!(
            out,
            "Freight goes into dev and staging by itself. Ask whether a piece may enter prod,"
        )?;
        writeln!(out, "and promote what staging has verified:")?;
        writeln!(out, "  {NAME} explain --stage prod --freight-alias ALIAS")?;
        writeln!(out, "  {NAME} promote --stage prod --warehouse {APPLICATION} --wait")?;
        writeln!(out)?;
        writeln!(out, "Make a new commit and image appear, and watch them go the same way:")?;
        writeln!(out, "  {NAME} demo push --data-dir {}", quoted(self.directory))?;
        writeln!(out, "  {NAME} get promotions --watch")?;
        writeln!(out)?;
        writeln!(out, "It is a Kubernetes API, too:")
    }
}

/// This program, unless a shell finds it by its name.
pub(super) fn program(environment: &dyn Environment) -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?.canonicalize().ok()?;
    let path = environment.var("PATH").unwrap_or_default();
    let found = split_paths(&path).map(|folder| folder.join(NAME)).find(|file| file.is_file());
    let is_found = found.and_then(|file| file.canonicalize().ok()).is_some_and(|file| file == this);
    (!is_found).then_some(this)
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "/._-+".contains(one);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn printed(has_api: bool, has_demo: bool, program: Option<&str>) -> String {
        let directory = Path::new("/data");
        let program = program.map(PathBuf::from);
        let mut out = Vec::new();
        Commands { directory, has_api, has_demo, program }.print(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_demo_is_followed_with_this_program() {
        insta::assert_snapshot!(printed(true, true, Some("/a b/kargo")), @r"
        Type next, in another terminal:
          alias kargo='/a b/kargo'
          kargo get projects
          kargo get pipeline
          kargo get freight

        Freight goes into dev and staging by itself. Ask whether a piece may enter prod,
        and promote what staging has verified:
          kargo explain --stage prod --freight-alias ALIAS
          kargo promote --stage prod --warehouse guestbook --wait

        Make a new commit and image appear, and watch them go the same way:
          kargo demo push --data-dir /data
          kargo get promotions --watch

        It is a Kubernetes API, too:
          export KUBECONFIG=/data/admin.kubeconfig
          kubectl api-resources --api-group=kargo.akuity.io
          kubectl explain stage.spec
        ");
    }

    #[test]
    fn without_a_rest_api_there_is_kubectl() {
        insta::assert_snapshot!(printed(false, false, Some("/kargo")), @r"
        Type next, in another terminal:
          export KUBECONFIG=/data/admin.kubeconfig
          kubectl api-resources --api-group=kargo.akuity.io
          kubectl explain stage.spec
        ");
    }

    #[test]
    fn a_program_that_a_shell_finds_needs_no_alias() {
        let this = std::env::current_exe().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = |folder: &Path| -> FixedEnvironment {
            [("PATH", folder.to_str().unwrap())].into_iter().collect()
        };
        assert_eq!(program(&path(folder.path())), Some(this.canonicalize().unwrap()));
        std::os::unix::fs::symlink(&this, folder.path().join(NAME)).unwrap();
        assert_eq!(program(&path(folder.path())), None);
    }

    #[test]
    fn a_path_is_one_word() {
        assert_eq!(quoted(Path::new("/a/b-c_1.d")), "/a/b-c_1.d");
        assert_eq!(quoted(Path::new("/a b/it's")), "'/a b/it'\\''s'");
    }
}
