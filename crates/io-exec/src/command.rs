//! What to run, with which environment, input, output and limits.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use core_clock::Environment;

use crate::{capture::LineSink, confine::Confinement, redact::Redactor};

/// Where stdin comes from.
#[derive(Debug, Default)]
pub enum Input {
    /// Nothing to read.
    #[default]
    Null,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// Written by the caller through [`crate::Running::stdin`].
    Stream,
}

/// Where stdout goes.
#[derive(Debug, Default)]
pub enum Output {
    /// Nowhere.
    #[default]
    Discard,
    /// Kept in memory; the command is ended when it prints more bytes than this.
    Capture(usize),
    /// Read by the caller through [`crate::Running::stdout`].
    Stream,
    /// An open file. A lock on it is held until the last process of the group has ended, whatever becomes of us.
    File(File),
}

/// When to give up on a command.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// How long it may take in all.
    pub deadline: Option<Duration>,
    /// How long it may go without output and without [`crate::Running::touch`].
    pub idle: Option<Duration>,
}

/// A program to run. Its environment is empty but for what is added here.
pub struct Command {
    pub(crate) name: String,
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) input: Input,
    pub(crate) output: Output,
    pub(crate) limits: Limits,
    pub(crate) redactor: Redactor,
    pub(crate) on_line: Option<LineSink>,
    pub(crate) confinement: Option<Confinement>,
}

impl Command {
    /// Runs `program`; `name` is what messages call it (`git fetch`), because arguments may be long.
    pub fn new(name: impl Into<String>, program: impl AsRef<OsStr>) -> Self {
        Self {
            name: name.into(),
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
            directory: None,
            input: Input::default(),
            output: Output::default(),
            limits: Limits::default(),
            redactor: Redactor::default(),
            on_line: None,
            confinement: None,
        }
    }

    /// Adds arguments. Never a secret: every user of the machine can read them.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets a variable of the command's environment.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Hands on those of our own variables that are named here and set.
    #[must_use]
    pub fn inherit(mut self, environment: &dyn Environment, names: &[&str]) -> Self {
        for name in names {
            if let Some(value) = environment.var(name) {
                self = self.env(name, value);
            }
        }
        self
    }

    /// The directory to run in.
    #[must_use]
    pub fn directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.directory = Some(directory.as_ref().to_owned());
        self
    }

    /// Where stdin comes from.
    #[must_use]
    pub fn input(mut self, input: Input) -> Self {
        self.input = input;
        self
    }

    /// Where stdout goes.
    #[must_use]
    pub fn output(mut self, output: Output) -> Self {
        self.output = output;
        self
    }

    /// When to give up.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What must not show in errors and in lines of stderr.
    #[must_use]
    pub fn redact(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Lets the program touch only what `confinement` names.
    #[must_use]
    pub fn confined(mut self, confinement: Confinement) -> Self {
        self.confinement = Some(confinement);
        self
    }

    /// Calls `sink` with each line of stderr as it arrives, redacted; a carriage return ends a line as well.
    #[must_use]
    pub fn on_stderr(mut self, sink: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_line = Some(Box::new(sink));
        self
    }
}
