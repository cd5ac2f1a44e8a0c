//! The embedded API server as the simulation sees it: a process on a disk, which can die and come back.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use core_clock::{Clock, ManualClock};
use emb_apiserver::{Admission, ApiServer, Config, Limits, WebhookAccess};
use emb_auth::{Identity, TokenKeys};
use emb_store::{MemoryLog, Options, Store};
use parking_lot::Mutex;
use serde_json::Value;

use crate::{
    dice::Dice,
    disk::Disk,
    executor::{Executor, Group},
    faults::Faults,
    gatekeeper::{Gatekeeper, Make, ServerCx},
    ledger::Ledger,
    story::Story,
};

/// How long a server that could not start stays down before it is started again.
const RETRY: Duration = Duration::from_secs(1);

/// What a server is started from, each time.
pub(crate) struct Setup {
    pub(crate) seed: u64,
    pub(crate) executor: Executor,
    pub(crate) clock: ManualClock,
    pub(crate) faults: Faults,
    pub(crate) story: Story,
    pub(crate) ledger: Ledger,
    pub(crate) crds: Vec<Value>,
    pub(crate) objects: Vec<Value>,
    pub(crate) admission: Vec<Arc<dyn Admission>>,
    pub(crate) gatekeeper: Option<Make>,
}

/// The server, up or down. What is durable outlives every crash.
pub(crate) struct Engine {
    setup: Setup,
    durable: MemoryLog,
    starts: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The process, from the beginning of its start.
    process: Option<Group>,
    running: Option<Running>,
    gatekeeper: Arc<Gatekeeper>,
}

/// A server that answers.
#[derive(Clone)]
pub(crate) struct Running {
    pub(crate) server: Arc<ApiServer>,
    pub(crate) store: Arc<Store>,
    pub(crate) process: Group,
}

impl Engine {
    pub(crate) fn new(setup: Setup) -> Self {
        Self {
            setup,
            durable: MemoryLog::default(),
            starts: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    /// The server, when it is up.
    pub(crate) fn running(&self) -> Option<Running> {
        self.state.lock().running.clone()
    }

    /// Starts the server, again and again if its disk refuses, until it answers.
    pub(crate) async fn start(&self) {
        while let Err(reason) = self.try_start().await {
            self.setup.story.tell("apiserver", format!("did not start: {reason}"));
            self.crash();
            self.setup.clock.sleep(RETRY).await;
        }
    }

    /// Everything in memory is gone, requests and watches break off.
    pub(crate) fn crash(&self) {
        let State { process, running, gatekeeper } = std::mem::take(&mut *self.state.lock());
        if let Some(process) = process {
            process.kill();
        }
        gatekeeper.clear();
        drop(running);
    }

    async fn try_start(&self) -> Result<(), String> {
        let setup = &self.setup;
        let start = self.starts.fetch_add(1, Ordering::Relaxed);
        let process = setup.executor.group("apiserver");
        let gatekeeper = Arc::new(Gatekeeper::default());
        {
            let mut state = self.state.lock();
            state.process = Some(process.clone());
            state.gatekeeper = gatekeeper.clone();
        }
        let mut admission = setup.admission.clone();
        admission.push(gatekeeper.clone());
        let disk = Disk {
            durable: self.durable.clone(),
            process: process.clone(),
            clock: setup.clock.clone(),
            faults: setup.faults.clone(),
            dice: Dice::new(setup.seed, &format!("disk {start}")),
        };
        let entropy = Dice::new(setup.seed, &format!("apiserver {start}")).entropy();
        let clock: Arc<dyn Clock> = Arc::new(setup.clock.clone());
        let opened = Store::open(Box::new(disk), clock, entropy.clone(), Options::default());
        let (store, report) = opened.map_err(|error| error.to_string())?;
        store.on_commit(setup.ledger.hook());
        let config = Config {
            store: store.clone(),
            clock: Arc::new(setup.clock.clone()),
            entropy: entropy.clone(),
            tasks: Arc::new(process.clone()),
            admission,
            webhooks: WebhookAccess::default(),
            crds: setup.crds.clone(),
            seeds: setup.objects.clone(),
            deletion_order: Vec::new(),
            // The same at each start, as if read from the disk.
            tokens: TokenKeys::generate(&*Dice::new(setup.seed, "token keys").entropy()),
            static_tokens: Vec::new(),
            ca_bundle: String::new(),
            limits: Limits::default(),
            audit: Some(Arc::new(setup.story.clone())),
            version: "0.0.0".into(),
            address: "127.0.0.1:6443".into(),
        };
        let server = ApiServer::start(config).await.map_err(|error| error.to_string())?;
        if let Some(make) = &setup.gatekeeper {
            let service = server.client_service(Identity::admin());
            gatekeeper.install(make(ServerCx {
                client: kube::Client::new(service, "default"),
                clock: Arc::new(setup.clock.clone()),
                entropy,
                tasks: Arc::new(process.clone()),
            }));
        }
        setup.story.tell("apiserver", format!("up, found revision {}", report.revision));
        self.state.lock().running = Some(Running { server, store, process });
        setup.ledger.look_again();
        Ok(())
    }
}
