//! What a person reads when the components work on the cluster.

use std::{
    io::{self, Write},
    path::Path,
    time::Duration,
};

use super::install::Summary;
use crate::{up::api, version};

/// Says what runs, where, and what to type next.
pub(super) struct Banner<'a> {
    pub(super) cluster: &'a http::Uri,
    pub(super) kubeconfig: &'a Path,
    pub(super) namespace: &'a str,
    pub(super) webhooks: &'a str,
    pub(super) api: &'a api::Running,
    pub(super) installed: Summary,
    pub(super) started: Duration,
}

impl Banner<'_> {
    /// Prints to stdout; the last lines are commands to copy.
    pub(super) fn print(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let Self { cluster, namespace, webhooks, installed, .. } = self;
        let Summary { created, changed } = installed;
        let seconds = self.started.as_secs_f64();
        writeln!(out, "kargo {} is ready after {seconds:.2} s", version::number())?;
        writeln!(out)?;
        writeln!(
            out,
            "  Kubernetes API  {} (a cluster)",
            cluster.to_string().trim_end_matches('/')
        )?;
        self.api.print(&mut out)?;
        writeln!(
            out,
            "  installed       {created} objects created, {changed} changed; namespace {namespace}"
        )?;
        writeln!(
            out,
            "  webhooks        {webhooks}, reached by the cluster; gone when this stops"
        )?;
        writeln!(out)?;
        writeln!(out, "Type next, in another terminal:")?;
        writeln!(out, "  export KUBECONFIG={}", self.kubeconfig.display())?;
        writeln!(out, "  kubectl api-resources --api-group=kargo.akuity.io")?;
        writeln!(out, "  kargo get projects")?;
        writeln!(out)?;
        writeln!(out, "Stop with Ctrl-C.")?;
        out.flush()
    }
}
