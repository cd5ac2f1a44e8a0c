//! `kargo demo`: makes things happen in the demo of a running `kargo up --demo`.

use std::{
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use io_runtime::SystemEnvironment;
use local_demo::{APPLICATION, PROJECT, Remote};

use crate::{
    exit::{Exit, Failure},
    settings::DataDirArg,
};

/// Where the demo is kept, in the data directory.
const FOLDER: &str = "demo";

/// Make things happen in the demo of a running `kargo up --demo`
#[derive(clap::Args, Debug)]
pub(crate) struct DemoArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Make a release of the application: a commit and an image, which the Warehouse finds at once
    Push(DataDirArg),
    /// Take the Project of the demo away, and everything that is kept for it
    Remove(DataDirArg),
}

pub(crate) fn run(args: &DemoArgs) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let told = runtime.block_on(ask(&args.what));
    runtime.shutdown_timeout(Duration::from_millis(500));
    writeln!(std::io::stdout(), "{}", told?)?;
    Ok(())
}

/// Where the demo of a data directory is kept.
pub(crate) fn folder(data_directory: &Path) -> PathBuf {
    data_directory.join(FOLDER)
}

async fn ask(what: &What) -> Result<String, Failure> {
    let (What::Push(data_dir) | What::Remove(data_dir)) = what;
    let remote = Remote::of_directory(&folder(&data_dir.resolve(&SystemEnvironment)?))
        .map_err(unreachable)?;
    match what {
        What::Push(_) => {
            let release = remote.push().await.map_err(unreachable)?;
            let (version, commit) =
                (release.version(), release.commit.get(..7).unwrap_or_default());
            Ok(format!(
                "{APPLICATION} {version} is there: commit {commit} on main, and image {}/{PROJECT}/{APPLICATION}:{version}\n\
                 watch it: kargo get promotions --watch",
                remote.address(),
            ))
        }
        What::Remove(_) => {
            remote.remove().await.map_err(unreachable)?;
            Ok(format!(
                "Project {PROJECT} is going away; start kargo up without --demo from now on"
            ))
        }
    }
}

fn unreachable(error: local_demo::Unreachable) -> Failure {
    let hint = "start it with `kargo up --demo`, and name its --data-dir if it has one";
    match error {
        local_demo::Unreachable::Refused(_) => Failure::new(Exit::Error, error),
        _ => Failure::new(Exit::Error, error).hint(hint),
    }
}
