//! `kargo run`: carries out the Promotion of a file on this machine. No server needed.

mod progress;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use core_clock::{Clock, Entropy, Environment};
use io_argo::Applications;
use io_creds::Credentials;
use io_kube::Ports;
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment, TaskGroup, stop_signal};
use jiff::Timestamp;
use local_run::{Ending, Objects, Preview, RunReport, Shelf, StepReport, plan};
use work_steps::{
    Effects,
    driver::{BuiltIn, Driver, FileJournal, Order, Saved, Session, Stop, stopping},
};

use self::progress::Progress;
use crate::{
    argocd,
    discovery::{Settings, cache_place},
    exit::{Exit, Failure},
    file::{Output, print_as, read_file},
    git_identity,
};

/// How long programs and connections may take to end.
const STOP_GRACE: Duration = Duration::from_secs(2);
/// What a work directory may take on disk.
const QUOTA_BYTES: u64 = 10 << 30;

/// Carry out the Promotion in a file on this machine, with no server
#[derive(clap::Args, Debug)]
pub(crate) struct RunArgs {
    /// File with a Promotion, and with the Freight, Stage, tasks, Secrets and ConfigMaps it uses; - reads standard input
    #[arg(short = 'f', long, value_name = "FILE")]
    file: PathBuf,
    /// Only show what would be done: nothing is pushed, opened, merged, synced or sent
    #[arg(long)]
    preview: bool,
    /// Where progress is written down; run again with the same file to go on after an interruption
    #[arg(long, value_name = "FILE", conflicts_with = "preview")]
    journal: Option<PathBuf>,
    /// Keep the files of the Promotion in this directory [default: gone afterwards]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
    /// Kubeconfig of the cluster where Argo CD runs, for the steps that update Applications and wait for them
    #[arg(long, value_name = "FILE")]
    argocd_kubeconfig: Option<PathBuf>,
    /// How the result is printed
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Output::Text)]
    output: Output,
    /// Where mirrors and answers of registries are kept for the next time [default: kargo below the XDG cache directory]
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let hint = format!("the file is {}", args.file.display());
    let objects = Objects::parse(&read_file(&args.file)?)
        .map_err(|error| Failure::usage(error).hint(hint.clone()))?;
    let (place, _temporary) = Place::choose(args)?;
    let (clock, entropy) = (Arc::new(SystemClock::new()), Arc::new(SystemEntropy));
    let saved = saved(args)?;
    let now = Timestamp::from_microsecond(clock.now().as_micros()).unwrap_or_default();
    let (uid, started_at) = match &saved {
        Some(saved) => (saved.uid.clone(), saved.started_at),
        None => (entropy.uuid(), now),
    };
    let order =
        plan(&objects, &uid, started_at).map_err(|error| Failure::usage(error).hint(hint))?;
    let settings = Settings::from_environment(&SystemEnvironment, &place.cache);
    let settings = settings.map_err(Failure::usage)?;
    let local = Local { args, objects, order, saved, place, settings, clock, entropy };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(local.run());
    runtime.shutdown_timeout(Duration::from_millis(500));
    let report = report?;
    print_as(&report, args.output)?;
    if report.is_success() {
        return Ok(());
    }
    Err(Failure::new(Exit::PromotionFailed, "the Promotion did not succeed"))
}

/// Where things are kept.
struct Place {
    cache: PathBuf,
    /// Where work directories are.
    work: PathBuf,
    /// Whether the work directory stays.
    keeps_files: bool,
}

impl Place {
    fn choose(args: &RunArgs) -> Result<(Self, Option<tempfile::TempDir>), Failure> {
        let cache = cache_place(args.cache_dir.as_deref())?;
        if let Some(work) = &args.work_dir {
            std::fs::create_dir_all(work)?;
            let work = work.canonicalize()?;
            return Ok((Self { cache, work, keeps_files: true }, None));
        }
        if args.journal.is_some() {
            // Whoever goes on after an interruption needs the files.
            let work = cache.join("work");
            std::fs::create_dir_all(&work)?;
            return Ok((Self { cache, work, keeps_files: false }, None));
        }
        let temporary = tempfile::Builder::new().prefix("kargo-run-").tempdir()?;
        let work = temporary.path().canonicalize()?;
        Ok((Self { cache, work, keeps_files: false }, Some(temporary)))
    }
}

/// What an interrupted run left in its journal.
fn saved(args: &RunArgs) -> Result<Option<Saved>, Failure> {
    let Some(path) = &args.journal else { return Ok(None) };
    let saved = FileJournal::load(path).map_err(Failure::usage)?;
    if saved.as_ref().is_some_and(|saved| saved.phase.is_terminal()) {
        let message = format!("the Promotion of journal {} has ended", path.display());
        return Err(Failure::usage(message).hint("remove the journal to run it again"));
    }
    Ok(saved)
}

/// One run on this machine.
struct Local<'a> {
    args: &'a RunArgs,
    objects: Objects,
    order: Order,
    saved: Option<Saved>,
    place: Place,
    settings: Settings,
    clock: Arc<SystemClock>,
    entropy: Arc<SystemEntropy>,
}

impl Local<'_> {
    async fn run(self) -> Result<RunReport, Failure> {
        let stop = stop_signal()?;
        let tasks = TaskGroup::new();
        let (handle, signal) = stopping();
        let effects = if self.args.preview { Effects::recorded() } else { Effects::Real };
        let promotion = self.order.subject.promotion.clone();
        let kinds: Vec<String> = self.order.steps.iter().map(|step| step.uses.clone()).collect();
        let progress = self.saved.as_ref().map(|saved| saved.progress.clone()).unwrap_or_default();
        let is_resumable = self.args.journal.is_some();
        let (keeps_files, driver) = (self.place.keeps_files, self.driver(&tasks, &effects).await?);
        let running = driver.run(progress, signal);
        tokio::pin!(running);
        let ended = tokio::select! {
            ended = &mut running => ended,
            _ = stop => {
                let message = "interrupted by the user".to_owned();
                handle.stop(if is_resumable { Stop::Suspend } else { Stop::Abort(message) });
                running.await
            }
        };
        let (end, session) = ended.map_err(|error| Failure::new(Exit::Error, error))?;
        tasks.shutdown(STOP_GRACE).await;
        let Some(end) = end else {
            let message = "interrupted; run it again with the same journal to go on";
            return Err(Failure::new(Exit::Interrupted, message));
        };
        let report = RunReport {
            promotion,
            ending: Ending { phase: end.phase, message: end.message },
            steps: steps(&session, &kinds),
            outputs: session.progress().state.clone(),
            preview: effects.are_recorded().then(|| Preview::of(effects.list())),
        };
        if !keeps_files {
            session.close().map_err(|error| Failure::new(Exit::Error, error))?;
        }
        Ok(report)
    }

    async fn driver(self, tasks: &TaskGroup, effects: &Effects) -> Result<Driver, Failure> {
        let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
        let step_settings =
            work_steps::Settings::from_environment(&*environment).map_err(Failure::usage)?;
        let Local { objects, order, mut settings, clock, entropy, place, .. } = self;
        let tasks: Arc<TaskGroup> = Arc::new(tasks.clone());
        let ports = Ports { clock: clock.clone(), entropy: entropy.clone(), tasks: tasks.clone() };
        settings.credentials.providers_enabled = true;
        // A person runs this, and their agent logs in where the file has no credential.
        settings.git.ssh_user = Some(io_git::SshUser::from_environment(&*environment));
        let shared_namespace = settings.credentials.shared_namespace.clone().unwrap_or_default();
        let opened = settings.open(&*environment, &ports, |settings, outbound| {
            Credentials::of_secrets(&objects.secrets, settings, outbound, &ports)
        });
        let opened = opened
            .await
            .map_err(|failure| failure.hint("choose another directory with --cache-dir"))?;
        let applications = applications(self.args.argocd_kubeconfig.as_deref(), &ports).await?;
        let identity = git_identity::from_environment(&*environment)?;
        let control_plane = Arc::new(Shelf::new(objects, identity, shared_namespace));
        let settings = Arc::new(step_settings);
        let ports = opened.step_ports(&ports, control_plane.clone(), applications, settings);
        let journal = self.args.journal.clone().unwrap_or_else(|| place.work.join("journal.json"));
        let journal = FileJournal::new(journal, &order.uid, order.subject.started_at);
        let observer = Progress::new(order.steps.len(), clock.clone());
        Ok(Driver {
            order: Arc::new(order),
            runner: Arc::new(BuiltIn::new(ports)),
            control_plane,
            clock,
            journal: Arc::new(journal),
            observer: Arc::new(observer),
            effects: effects.clone(),
            root: place.work,
            quota_bytes: Some(QUOTA_BYTES),
        })
    }
}

fn steps(session: &Session, kinds: &[String]) -> Vec<StepReport> {
    let records = session.progress().step_execution_metadata.iter();
    records.zip(kinds).map(|(record, kind)| StepReport::new(kind, record)).collect()
}

/// The Applications of the cluster that the user names.
async fn applications(
    kubeconfig: Option<&Path>,
    ports: &Ports,
) -> Result<Option<Applications>, Failure> {
    let Some(file) = kubeconfig else { return Ok(None) };
    let settings = argocd::Settings::from_environment(&SystemEnvironment);
    let argocd = settings.map_err(Failure::usage)?.behind(file, ports).await?;
    Ok(Some(argocd.applications(None, ports)))
}
