//! The keys of a bucket: those by which this process is known to AWS.

use std::sync::Arc;

use core_clock::{Clock, SettingError};
use io_creds::AwsKeys;
use io_http::outbound::{Outbound, aws::Keys};
use io_kube::Ports;
use io_objects::{ComingKeys, KeySource, NoKeys};
use io_runtime::{SystemEntropy, SystemEnvironment, TaskGroup};

use crate::exit::with_causes;

/// The keys of this process.
pub(super) struct OwnKeys(AwsKeys);

impl OwnKeys {
    pub(super) fn new(outbound: &Outbound, clock: Arc<dyn Clock>) -> Result<Self, SettingError> {
        // A group of its own, which is not stopped: the last changes of a process that ends may need new keys.
        let tasks = Arc::new(TaskGroup::new());
        let ports = Ports { clock, entropy: Arc::new(SystemEntropy), tasks };
        AwsKeys::from_environment(&SystemEnvironment, outbound.clone(), &ports).map(Self)
    }
}

impl KeySource for OwnKeys {
    fn keys(&self) -> ComingKeys<'_> {
        Box::pin(async move {
            let keys = self.0.get().await;
            keys.map_err(|error| NoKeys { why: with_causes(&error), is_final: error.is_final() })
        })
    }

    fn give_up(&self, refused: &Keys) -> bool {
        self.0.give_up(refused)
    }
}
