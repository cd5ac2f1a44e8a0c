//! The file that the configuration is kept in.
//!
//! It holds tokens: only its owner reads it, and it is replaced as a whole, so that nobody finds half of it. Changes are
//! made under a lock, because two commands that refresh the same token at once would lose one of them.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::PathBuf,
    sync::Arc,
};

use core_clock::Environment;

use super::{Config, vault};
use crate::{
    exit::{CliResult, Context as _, Failure},
    ports::Keyring,
};

/// Nobody's configuration is larger.
const MAX_BYTES: u64 = 1024 * 1024;

/// Where the configuration is kept.
#[derive(Clone)]
pub(crate) struct Store {
    path: PathBuf,
    /// Where tokens go, if the system has such a place.
    keyring: Option<Arc<dyn Keyring>>,
}

impl Store {
    /// `$XDG_CONFIG_HOME/kargo/config`, or `~/.config/kargo/config` on every system.
    pub(crate) fn from_environment(
        environment: &dyn Environment,
        keyring: Option<Arc<dyn Keyring>>,
    ) -> CliResult<Self> {
        let variable = |name| environment.var(name).filter(|value| !value.is_empty());
        let folder = match (variable("XDG_CONFIG_HOME"), variable("HOME")) {
            (Some(folder), _) => PathBuf::from(folder),
            (None, Some(home)) => PathBuf::from(home).join(".config"),
            (None, None) => {
                return Err(Failure::usage("neither XDG_CONFIG_HOME nor HOME is set"));
            }
        };
        Ok(Self { path: folder.join("kargo").join("config"), keyring })
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// The configuration with its tokens; an empty one where there is no file.
    pub(crate) fn load(&self) -> CliResult<Config> {
        let mut config = self.read()?;
        if let Some(keyring) = &self.keyring {
            vault::bring_back(&mut config, &**keyring);
        }
        Ok(config)
    }

    fn read(&self) -> CliResult<Config> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Config::default()),
            Err(error) => return Err(Failure::from(error).context("load config")),
        };
        let mut text = String::new();
        io::Read::read_to_string(&mut io::Read::take(file, MAX_BYTES), &mut text)
            .context("load config")?;
        if text.trim().is_empty() {
            return Ok(Config::default());
        }
        serde_saphyr::from_str(&text).map_err(|error| {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            Failure::error(format!("load config: {line}"))
                .hint(format!("the file is {}; `kargo logout` removes it", self.path.display()))
        })
    }

    /// Changes the configuration; others who change it wait.
    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&mut Config) -> CliResult<T>,
    ) -> CliResult<T> {
        let _lock = self.lock().context("save config")?;
        let mut config = self.load()?;
        let result = change(&mut config)?;
        self.save(&config)?;
        Ok(result)
    }

    /// Holds others back until the file is dropped.
    pub(crate) fn lock(&self) -> io::Result<File> {
        fs::create_dir_all(self.folder())?;
        let path = self.path.with_extension("lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.lock()?;
        Ok(file)
    }

    /// Replaces the file. The caller holds the lock.
    pub(crate) fn save(&self, config: &Config) -> CliResult {
        let mut config = config.clone();
        if let Some(keyring) = &self.keyring {
            vault::put_away(&mut config, &**keyring);
        }
        let text = serde_saphyr::to_string(&config)
            .map_err(|error| Failure::error(format!("save config: {error}")))?;
        self.replace(text.as_bytes()).context("save config")
    }

    /// Forgets everything.
    pub(crate) fn delete(&self) -> CliResult {
        if let (Some(keyring), Ok(mut config)) = (&self.keyring, self.read()) {
            vault::forget(&mut config, &**keyring);
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Failure::from(error).context("delete config"))
            }
            _ => Ok(()),
        }
    }

    /// A temporary file is readable by its owner alone from the moment it exists.
    fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".config-").tempfile_in(self.folder())?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    fn folder(&self) -> PathBuf {
        self.path.parent().map(PathBuf::from).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn store(folder: &tempfile::TempDir) -> Store {
        let path = folder.path().to_str().unwrap().to_owned();
        let environment: FixedEnvironment =
            [("XDG_CONFIG_HOME", path.as_str()), ("HOME", "/elsewhere")].into_iter().collect();
        Store::from_environment(&environment, None).unwrap()
    }

    #[test]
    fn what_was_saved_is_loaded_and_belongs_to_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        assert_eq!(store.load().unwrap(), Config::default());
        let project = |config: &mut Config| {
            config.connection_mut("").project = "p".to_owned();
            Ok(())
        };
        store.change(project).unwrap();
        assert_eq!(store.load().unwrap().connection("").unwrap().project, "p");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(store.path()).unwrap().permissions().mode() & 0o777, 0o600);
        }
        store.delete().unwrap();
        store.delete().unwrap();
        assert_eq!(store.load().unwrap(), Config::default());
    }

    #[test]
    fn changes_at_once_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    let name = format!("context-{number}");
                    let add = |config: &mut Config| {
                        config.connection_mut(&name).project = name.clone();
                        Ok(())
                    };
                    store.change(add).unwrap();
                });
            }
        });
        assert_eq!(store.load().unwrap().contexts.len(), 8);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        fs::create_dir_all(store.folder()).unwrap();
        fs::write(store.path(), "apiAddress: [").unwrap();
        assert!(store.load().unwrap_err().message.starts_with("load config: "));
        assert!(store.change(|_| Ok(())).is_err());
        assert_eq!(fs::read_to_string(store.path()).unwrap(), "apiAddress: [");
    }
}
