//! The whole control plane on the embedded engine: no cluster needed.

mod audit;
mod banner;
mod commands;
mod demo;
mod encryption;
mod identity;
mod keys;
mod kubeconfig;
mod offline;
mod open;
mod webhook;

pub(crate) use self::{offline::Offline, open::failure as open_failure};

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use core_rules::access::Component;
use emb_apiserver::{ApiServer, AuditSink, Config, Limits, Peer};
use emb_auth::{Identity, StaticToken, TokenKeys, TokenRequest};
use emb_store::Store;
use io_http::Listener;
use io_runtime::{SystemEnvironment, stop_signal};
use svc_admission::{Admitter, Rules};
use svc_management::Replicas;
use tower::ServiceExt;

use self::{
    audit::{AuditArgs, AuditFile},
    banner::Banner,
    encryption::EncryptionArgs,
    identity::InProcess,
    keys::Keys,
    kubeconfig::Kubeconfig,
    open::Opened,
    webhook::ServiceAddress,
};
use super::{
    STOP_GRACE, World, api, bind,
    components::{self, Clients},
    installation::{Installation, Neighbours},
    reachable,
    release::once_released,
};
use crate::{
    directory::Directory,
    exit::{Exit, Failure},
    replica::{Replica, ReplicaArgs, Source},
    settings::DataDirArg,
    version,
};

/// Tokens in the kubeconfigs of components; written anew at every start.
const COMPONENT_TOKEN_LIFE: Duration = Duration::from_hours(365 * 24);
/// Where mirrors of repositories and answers of registries are, in the data directory.
const DISCOVERY: &str = "discovery";
/// How often superseded history is dropped.
const COMPACTION_INTERVAL: Duration = Duration::from_mins(5);

/// How to run on the embedded engine.
#[derive(clap::Args, Debug)]
pub(crate) struct EmbeddedArgs {
    #[command(flatten)]
    data_dir: DataDirArg,
    /// Keep objects in memory only; they are gone when the process ends
    #[arg(long)]
    in_memory: bool,
    /// Address of the Kubernetes API
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    kube_address: std::net::IpAddr,
    /// Port of the Kubernetes API; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 6443)]
    kube_port: u16,
    /// For how long old states of objects can be read and watched from, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    history_seconds: u64,
    /// For how long Events are kept after their last change, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    event_ttl_seconds: u64,
    /// Where a service is that webhook configurations name, as NAMESPACE/NAME=https://HOST[:PORT]; repeatable
    #[arg(long = "webhook-service", value_name = "SERVICE=URL")]
    webhook_services: Vec<ServiceAddress>,
    #[command(flatten)]
    encryption: EncryptionArgs,
    /// Use a data directory on a network file system, although nothing keeps a second machine from writing to it too
    #[arg(long)]
    allow_network_file_system: bool,
    #[command(flatten)]
    replica: ReplicaArgs,
    #[command(flatten)]
    audit: AuditArgs,
    /// Serve the Kubernetes API alone: run no controllers and enforce no rules of admission, because other programs do
    #[arg(long)]
    kube_only: bool,
    /// Also serve a Git repository, a registry and an application here, with a Project that promotes releases of it
    #[arg(long, conflicts_with = "kube_only")]
    demo: bool,
    /// Port of the demo on this machine; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 6480, requires = "demo")]
    demo_port: u16,
}

/// What components stand on, once it is open.
struct Ground<'a> {
    world: &'a World,
    installation: &'a Installation,
    directory: &'a Directory,
    address: SocketAddr,
    store: &'a Arc<Store>,
    keys: &'a Keys,
    audit: Option<&'a Arc<AuditFile>>,
    replica: Option<&'a Replica>,
}

pub(super) async fn serve(args: &EmbeddedArgs, api: &api::ApiArgs) -> Result<(), Failure> {
    let stop = stop_signal()?;
    let world = World::new();
    world.open_doors().await?;
    let neighbours = Neighbours { rollouts: true, argocd: false };
    let installation = Installation::new(&SystemEnvironment, neighbours);
    let (directory, _temporary) = data_directory(args)?;
    let address = SocketAddr::new(args.kube_address, args.kube_port);
    let clock = &*world.clock;
    let listener = once_released(clock, async || bind(address, "--kube-port").await).await?;
    let address = listener.address();
    // Who takes any port for the one takes any for the other.
    let preferred = if args.kube_port == 0 { 0 } else { api::PORT };
    let api_port = if args.kube_only { None } else { Some(api.listen(preferred, &world).await?) };
    let demo_listener = once_released(clock, async || demo::listen(args).await).await?;
    let open = async || open::open(args, &directory, &address.to_string(), &world);
    let audit = args.audit.open()?;
    let Opened { store, report, sealing } = once_released(clock, open).await?;
    let source = Source {
        store: &store,
        directory: directory.path(),
        is_new: report.revision == 0,
        is_sealed: sealing.is_some(),
        clock: &world.clock,
        vitals: &world.vitals,
    };
    // Before anything is written: a new store must not take the place of the one that was.
    let replica = args.replica.start(source).await?;
    let keys = Keys::load(&directory, &*world.clock, &*world.entropy)?;
    let ground = Ground {
        world: &world,
        installation: &installation,
        directory: &directory,
        address,
        store: &store,
        keys: &keys,
        audit: audit.as_ref(),
        replica: replica.as_ref(),
    };
    let server = start_components(args, &ground).await?;
    serve_https(listener, &keys, &server, &world)?;
    keep_compacting(&store, args, &world);
    write_kubeconfigs(&ground)?;
    let api = match api_port {
        Some(port) => {
            let project = args.demo.then_some(local_demo::PROJECT);
            Some(start_rest(api, port, project, &server, &ground).await?)
        }
        None => None,
    };
    let demo = match demo_listener {
        Some(listener) => Some(demo::start(listener, &server, &ground).await?),
        None => None,
    };
    let started = world.clock.monotonic();
    Banner {
        address,
        directory: &directory,
        in_memory: args.in_memory,
        store: &store,
        report: &report,
        sealing,
        replica: replica.as_ref(),
        api: api.as_ref(),
        demo: demo.as_ref().map(local_demo::Demo::address),
        started,
    }
    .print()?;
    let signal = stop.await;
    tracing::info!(signal, "stopping");
    let stopped = world.tasks.shutdown(STOP_GRACE).await;
    if let Some(replica) = &replica {
        replica.finish().await;
    }
    store.close();
    if let Some(audit) = &audit {
        audit.flush();
    }
    tracing::info!(drained = stopped, "stopped");
    Ok(())
}

/// The data directory; without `--data-dir`, a run in memory gets one that vanishes with it.
fn data_directory(args: &EmbeddedArgs) -> Result<(Directory, Option<tempfile::TempDir>), Failure> {
    let (path, temporary): (PathBuf, _) = match args.data_dir.given() {
        None if args.in_memory => {
            let temporary = tempfile::Builder::new().prefix("kargo-up-").tempdir()?;
            (temporary.path().to_owned(), Some(temporary))
        }
        _ => (args.data_dir.resolve(&SystemEnvironment)?, None),
    };
    let directory = Directory::open(&path).map_err(|error| {
        Failure::from(error)
            .hint(format!("{} must be a directory that you may write to", path.display()))
    })?;
    Ok((directory, temporary))
}

/// The API server first, then everything that works through it. Nobody else reaches it yet.
async fn start_components(
    args: &EmbeddedArgs,
    ground: &Ground<'_>,
) -> Result<Arc<ApiServer>, Failure> {
    let rules = Arc::new(Rules::default());
    let server = start_api(args, ground, rules.clone()).await?;
    if let Some(replica) = ground.replica {
        server.report_also("replica", replica.report());
    }
    let Ground { world, installation, directory, store, .. } = ground;
    if args.kube_only {
        world.vitals.complete();
        return Ok(server);
    }
    let clients = InProcess { server: &server, store, installation };
    let settings = components::admission_settings(installation)?;
    let client = clients.client(Component::KubernetesWebhooksServer);
    rules.enforce(Admitter::new(client, settings, world.ports()));
    // The lock of the data directory sees to it that there is one of each.
    let discovery = directory.file(DISCOVERY);
    components::start(&clients, installation, Replicas::One, &discovery, world).await?;
    Ok(server)
}

/// Serves the REST API, which works through the Kubernetes API as all components do.
async fn start_rest(
    args: &api::ApiArgs,
    port: api::Bound,
    project: Option<&'static str>,
    server: &ApiServer,
    ground: &Ground<'_>,
) -> Result<api::Running, Failure> {
    let Ground { world, installation, directory, store, .. } = ground;
    let clients = &InProcess { server, store, installation };
    let directory = directory.path();
    let place = api::Place { clients, installation, directory, project, world };
    api::start(args, port, place).await
}

async fn start_api(
    args: &EmbeddedArgs,
    ground: &Ground<'_>,
    rules: Arc<Rules>,
) -> Result<Arc<ApiServer>, Failure> {
    let Ground { world, installation, address, store, keys, audit, .. } = ground;
    let event_ttl = Duration::from_secs(args.event_ttl_seconds);
    let config = Config {
        store: Arc::clone(store),
        clock: world.clock.clone(),
        entropy: world.entropy.clone(),
        tasks: Arc::new(world.tasks.clone()),
        admission: vec![rules],
        webhooks: webhook::access(&args.webhook_services)?,
        crds: api_kinds::crd::crds(),
        // Argo Rollouts is not there to bring its kinds; if somebody brings them, they stay as they are.
        seeds: [api_analysis::crds(), identity::seeds(installation)].concat(),
        deletion_order: identity::deletion_order(),
        tokens: keys.tokens.clone(),
        static_tokens: vec![StaticToken::new(&keys.admin_token, Identity::admin())],
        ca_bundle: keys.authority.certificate_pem().to_owned(),
        limits: Limits { event_ttl, ..Limits::default() },
        audit: audit.map(|file| Arc::clone(file) as Arc<dyn AuditSink>),
        // It becomes the build metadata of a semantic version, which has room for one `+` only.
        version: version::number().replace('+', "-"),
        address: address.to_string(),
    };
    ApiServer::start(config).await.map_err(|error| Failure::new(Exit::Error, error))
}

fn serve_https(
    listener: Listener,
    keys: &Keys,
    server: &ApiServer,
    world: &World,
) -> Result<(), Failure> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let own = listener.address().ip().to_string();
    if !names.contains(&own) {
        names.push(own);
    }
    let certificate = keys
        .authority
        .issue(&names, world.clock.now())
        .map_err(|error| Failure::new(Exit::Error, error))?;
    io_http::serve(
        listener,
        &certificate,
        server.service().map_request(with_peer),
        world.clock.clone(),
        Arc::new(world.tasks.clone()),
        io_http::Limits::default(),
    );
    Ok(())
}

fn keep_compacting(store: &Arc<Store>, args: &EmbeddedArgs, world: &World) {
    use core_clock::Tasks;
    let (store, clock) = (store.clone(), world.clock.clone());
    // A short history is compacted often, so that it is not much longer than asked for.
    let interval = COMPACTION_INTERVAL.min(Duration::from_secs(args.history_seconds / 2 + 1));
    let mut stopping = world.tasks.stopping();
    world.tasks.spawn(
        "compaction",
        Box::pin(async move {
            loop {
                tokio::select! {
                    () = clock.sleep(interval) => store.compact(clock.now()),
                    () = &mut stopping => return,
                }
            }
        }),
    );
}

/// Tells the audit log who is at the other end of the connection.
fn with_peer<B>(mut request: http::Request<B>) -> http::Request<B> {
    if let Some(address) = request.extensions().get::<SocketAddr>().copied() {
        request.extensions_mut().insert(Peer(address.ip().to_string()));
    }
    request
}

/// One for the administrator, one for each component's ServiceAccount.
fn write_kubeconfigs(ground: &Ground<'_>) -> Result<(), Failure> {
    let Ground { world, installation, directory, address, store, keys, .. } = ground;
    let namespace = installation.namespace();
    let server = format!("https://{}", reachable(*address));
    let write = |file: &str, user: &str, token: &str| {
        let kubeconfig = Kubeconfig {
            server: &server,
            authority_pem: keys.authority.certificate_pem(),
            user,
            token,
        };
        directory.write(file, &kubeconfig.to_yaml())
    };
    for component in Component::ALL {
        let name = component.service_account();
        // A user may have removed it on purpose; it comes back at the next start.
        if let Some(account) = identity::service_account(store, namespace, name) {
            let token = component_token(&keys.tokens, [namespace, name], &account.uid, world);
            write(&format!("kubeconfigs/{name}.kubeconfig"), name, &token)?;
        }
    }
    write("admin.kubeconfig", "admin", &keys.admin_token)?;
    Ok(())
}

fn component_token(
    tokens: &TokenKeys,
    [namespace, name]: [&str; 2],
    uid: &str,
    world: &World,
) -> String {
    let now = world.clock.now();
    tokens.issue(&TokenRequest {
        namespace,
        name,
        uid,
        audiences: Vec::new(),
        secret: None,
        id: world.entropy.uuid(),
        issued_at: now,
        expires_at: now + COMPONENT_TOKEN_LIFE,
    })
}
