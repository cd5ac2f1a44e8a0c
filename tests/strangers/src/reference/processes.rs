//! The four processes, configured as the chart of the reference configures them.

use std::path::{Path, PathBuf};

use anyhow::Result;
use core_rules::access::{self, Component};
use dev_testkit::eventually;
use tokio::process::Command;

use super::ground::Ground;
use crate::{
    PATIENCE,
    program::{Program, free_port},
};

/// The password of the administrator, and what the API server is given instead of it.
pub(super) const PASSWORD: &str = "strangers";
const PASSWORD_HASH: &str = "$2a$04$abcdefghijklmnopqrstuuuMb.1zPkXw4ovPG2/4Gy7uLC9XFymda";

/// What runs, and where it listens.
pub(super) struct Processes {
    programs: Vec<Program>,
    pub(super) api_port: u16,
    pub(super) webhook_port: u16,
}

impl Processes {
    /// Starts all four, and waits until those that listen do.
    pub(super) async fn start(ground: &Ground, program: &Path) -> Result<Self> {
        let (api_port, webhook_port) = (free_port()?, free_port()?);
        let mut processes = Self { programs: Vec::new(), api_port, webhook_port };
        for component in [
            Component::KubernetesWebhooksServer,
            Component::ManagementController,
            Component::Controller,
            Component::Api,
        ] {
            let place = Place::create(ground, component).await?;
            let mut command = place.command(program, ground, component);
            command.envs(processes.settings(ground, component));
            processes.programs.push(Program::start(component.label(), command, &place.home)?);
        }
        for port in [api_port, webhook_port] {
            processes.await_listener(port).await?;
        }
        Ok(processes)
    }

    async fn await_listener(&mut self, port: u16) -> Result<()> {
        let is_there =
            async || Ok(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok());
        let waited =
            eventually(PATIENCE, &format!("somebody listens on port {port}"), is_there).await;
        self.are_alive()?;
        waited
    }

    /// Fails when one has given up.
    pub(super) fn are_alive(&mut self) -> Result<()> {
        self.programs.iter_mut().try_for_each(Program::is_alive)
    }

    /// What they said last.
    pub(super) fn last_words(&self) -> String {
        let words: Vec<String> = self.programs.iter().map(Program::last_words).collect();
        words.join("\n")
    }

    pub(super) async fn kill(self) -> Result<()> {
        for program in self.programs {
            program.kill().await?;
        }
        Ok(())
    }

    /// What a component is told beyond what all are told.
    fn settings(&self, ground: &Ground, component: Component) -> Vec<(&'static str, String)> {
        let namespace = &ground.options.namespace;
        let user = |component: Component| access::user_name(namespace, component.service_account());
        let file = |name: &str| ground.directory.path().join(name).display().to_string();
        let given = |name, value: &str| (name, value.to_owned());
        match component {
            Component::Controller => vec![
                given("CREDENTIAL_PROVIDERS_ENABLED", "true"),
                given("IS_DEFAULT_CONTROLLER", "true"),
                given("ARGOCD_INTEGRATION_ENABLED", "false"),
                given("GITCLIENT_NAME", "Kargo"),
                given("GITCLIENT_EMAIL", "kargo@example.com"),
            ],
            Component::ManagementController => vec![
                given("EXTERNAL_WEBHOOK_SERVER_BASE_URL", "http://127.0.0.1:1"),
                given("CLUSTER_SECRETS_NAMESPACE", &ground.options.system_namespace),
            ],
            Component::KubernetesWebhooksServer => vec![
                ("WEBHOOK_SERVER_PORT", self.webhook_port.to_string()),
                ("CONTROLPLANE_USER_REGEX", access::control_plane_user_pattern(namespace)),
                ("MANAGEMENT_CONTROLLER_USERNAME", user(Component::ManagementController)),
                ("EXTERNAL_WEBHOOKS_SERVER_USERNAME", user(Component::ExternalWebhooksServer)),
            ],
            Component::Api => vec![
                given("BIND_ADDRESS", "127.0.0.1"),
                ("PORT", self.api_port.to_string()),
                given("TLS_ENABLED", "true"),
                ("TLS_CERT_PATH", file("tls.crt")),
                ("TLS_KEY_PATH", file("tls.key")),
                given("ADMIN_ACCOUNT_ENABLED", "true"),
                given("ADMIN_ACCOUNT_PASSWORD_HASH", PASSWORD_HASH),
                ("ADMIN_ACCOUNT_TOKEN_ISSUER", format!("https://127.0.0.1:{}", self.api_port)),
                given("ADMIN_ACCOUNT_TOKEN_AUDIENCE", "127.0.0.1"),
                given("ADMIN_ACCOUNT_TOKEN_SIGNING_KEY", "for tests alone"),
                given("SECRET_MANAGEMENT_ENABLED", "true"),
            ],
            _ => Vec::new(),
        }
    }
}

/// Where a process keeps what it needs.
struct Place {
    home: PathBuf,
    kubeconfig: PathBuf,
}

impl Place {
    async fn create(ground: &Ground, component: Component) -> Result<Self> {
        let directory = ground.directory.path();
        let home = directory.join(component.label());
        // The admission server looks for its certificate in this folder of the directory for temporary files.
        let certificates = home.join("k8s-webhook-server/serving-certs");
        std::fs::create_dir_all(&certificates)?;
        for folder in [directory, &certificates] {
            std::fs::write(folder.join("tls.crt"), &ground.certificate.chain)?;
            std::fs::write(folder.join("tls.key"), &ground.certificate.key)?;
        }
        Ok(Self { home, kubeconfig: ground.kubeconfig_of(component).await? })
    }

    /// The process with what all are told; nothing of our own environment reaches it but the way to `git`.
    fn command(&self, program: &Path, ground: &Ground, component: Component) -> Command {
        let mut command = Command::new(program);
        command
            .arg(component.label())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("TMPDIR", &self.home)
            .env("KUBECONFIG", &self.kubeconfig)
            .env("KARGO_NAMESPACE", &ground.options.namespace)
            .env("SYSTEM_RESOURCES_NAMESPACE", &ground.options.system_namespace)
            .env("SHARED_RESOURCES_NAMESPACE", &ground.options.shared_namespace)
            .env("ROLLOUTS_INTEGRATION_ENABLED", "false");
        command
    }
}
