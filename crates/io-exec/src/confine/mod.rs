//! Confinement of programs that work on files of users: they see what they need and nothing else.
//!
//! `helm` and `kustomize` read what a repository tells them to read, so without a fence a repository
//! could make them read the keys of the machine. Linux' Landlock confines a thread and what it starts
//! from then on; therefore each confined program is started by a thread of its own, which ends at once.
//! Landlock knows no users and needs no rights. Where the kernel has none, that is said once and
//! programs run as they did before there was such a thing.

mod fence;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Once,
};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use tokio::process::{Child, Command};

use self::fence::Fence;

/// What every program needs: itself, its libraries, names and certificates of the network.
const SYSTEM: [&str; 22] = [
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr",
    "/nix/store",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl",
    "/dev/random",
    "/dev/urandom",
];
/// Read and written by everybody, and nobody learns anything.
const DEVICES: [&str; 2] = ["/dev/null", "/dev/zero"];

/// The files a program may touch, and how much of the machine it may use.
#[derive(Clone, Debug)]
pub struct Confinement {
    readable: Vec<PathBuf>,
    writable: Vec<PathBuf>,
    /// Most bytes of memory of each of its processes.
    memory: u64,
    /// Most bytes of each file it writes.
    file: u64,
}

impl Default for Confinement {
    /// Nothing but the system's own programs, libraries, names and certificates.
    fn default() -> Self {
        Self {
            readable: SYSTEM.map(PathBuf::from).to_vec(),
            writable: DEVICES.map(PathBuf::from).to_vec(),
            memory: 2 * 1024 * 1024 * 1024,
            file: 1024 * 1024 * 1024,
        }
    }
}

impl Confinement {
    /// Lets the program read and run what is beneath `path`, or the file itself.
    #[must_use]
    pub fn reading(mut self, path: impl AsRef<Path>) -> Self {
        self.readable.push(path.as_ref().to_owned());
        self
    }

    /// Lets the program do everything beneath `path`.
    #[must_use]
    pub fn writing(mut self, path: impl AsRef<Path>) -> Self {
        self.writable.push(path.as_ref().to_owned());
        self
    }

    /// Starts a program behind the fence.
    pub(crate) fn spawn(&self, plan: &mut Command) -> io::Result<Child> {
        let runtime = tokio::runtime::Handle::current();
        let child = std::thread::scope(|scope| {
            let starter = scope.spawn(|| {
                let _entered = runtime.enter();
                self.enter()?;
                plan.spawn()
            });
            starter.join().unwrap_or_else(|_| Err(io::Error::other("its starter ended early")))
        })?;
        self.limit(&child)?;
        Ok(child)
    }

    /// Confines this thread and everything it starts.
    fn enter(&self) -> io::Result<()> {
        static SAID: Once = Once::new();
        let fence = Fence::around(&self.readable, &self.writable).map_err(io::Error::other)?;
        if fence == Fence::Missing {
            SAID.call_once(|| {
                tracing::warn!("this kernel has no Landlock: programs of steps run unconfined");
            });
        }
        Ok(())
    }

    fn limit(&self, child: &Child) -> io::Result<()> {
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        // A child without an id has ended already.
        let Some(pid) = pid else { return Ok(()) };
        let limits =
            [(Resource::Data, self.memory), (Resource::Fsize, self.file), (Resource::Core, 0)];
        for (resource, most) in limits {
            prlimit(Some(pid), resource, Rlimit { current: Some(most), maximum: Some(most) })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
