//! The reference's own command line against our REST API: what its users type, from login to logout.
//!
//! The program is not built here: `KARGO_REFERENCE_CLI` says where it is.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context, Result, bail, ensure};
use dev_testkit::{Kargo, UpOptions, eventually};
use tempfile::TempDir;

use crate::{PATIENCE, program::free_port};

const PASSWORD: &str = "correct-horse";

/// Everything that the command line can do with a server.
pub(crate) async fn works() -> Result<()> {
    let Some(program) = std::env::var_os("KARGO_REFERENCE_CLI").map(PathBuf::from) else {
        println!(
            "       skipped: KARGO_REFERENCE_CLI does not name the command line of the reference"
        );
        return Ok(());
    };
    ensure!(program.is_file(), "KARGO_REFERENCE_CLI: there is no {}", program.display());
    let user = User { program, home: tempfile::tempdir()? };
    let server = user.server().await?;
    user.log_in()?;
    user.look()?;
    let freight = user.promote().await?;
    user.approve(&freight)?;
    user.manage_objects()?;
    user.manage_access()?;
    user.manage_credentials()?;
    user.leave()?;
    server.stop().await?;
    Ok(())
}

struct User {
    program: PathBuf,
    home: TempDir,
}

impl User {
    async fn server(&self) -> Result<Kargo> {
        let password = self.path("password");
        fs::write(&password, PASSWORD)?;
        let (password, port) = (password.display().to_string(), free_port()?.to_string());
        let flags = ["--demo", "--demo-port", &port, "--admin-password-file", &password];
        let options = UpOptions {
            arguments: flags.map(str::to_owned).into(),
            environment: vec![(
                "XDG_STATE_HOME".to_owned(),
                self.path("state").display().to_string(),
            )],
            ..UpOptions::default()
        };
        Kargo::up(&self.path("data"), &options).await
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn run(&self, command: &str) -> Result<Output> {
        let mut program = Command::new(&self.program);
        program.args(command.split(' ')).env_clear().env("HOME", self.home.path());
        program.env("XDG_CONFIG_HOME", self.path("config"));
        program.output().with_context(|| format!("run kargo {command}"))
    }

    /// What a command that must succeed puts out.
    fn out(&self, command: &str) -> Result<String> {
        let output = self.run(command)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "kargo {command}: {text}{errors}");
        Ok(text)
    }

    /// Commands that must succeed, and what each must put out.
    fn all(&self, commands: &[(&str, &str)]) -> Result<()> {
        for (command, expected) in commands {
            let text = self.out(command)?;
            ensure!(text.contains(expected), "kargo {command}: {expected:?} is not in {text}");
        }
        Ok(())
    }

    /// A command that must fail, with these words.
    fn fails(&self, command: &str, words: &str) -> Result<()> {
        let output = self.run(command)?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(!output.status.success(), "kargo {command} should have failed");
        ensure!(errors.contains(words), "kargo {command}: {words:?} is not in {errors}");
        Ok(())
    }

    fn log_in(&self) -> Result<()> {
        let file = fs::read_to_string(self.path("state").join("kargo/up.yaml"))?;
        let address = file.lines().find_map(|line| line.strip_prefix("apiAddress: "));
        let address = address.context("the login file names no address")?;
        self.fails(&format!("login {address} --admin --password=wrong"), "error logging in")?;
        self.all(&[
            (&format!("login {address} --admin --password={PASSWORD}"), ""),
            ("config set-project demo", ""),
            ("config get-project", "demo"),
            ("version", "Server Version: "),
        ])
    }

    fn look(&self) -> Result<()> {
        self.all(&[
            ("get projects", "demo"),
            ("get projects demo -o yaml", "kind: Project"),
            ("get stages", "prod"),
            ("get stages prod -o json", "\"kind\": \"Stage\""),
            ("get warehouses", "guestbook"),
            ("get projectconfig", "demo"),
        ])?;
        self.fails("get stages nowhere", "404 Not Found")
    }

    /// The first release goes to staging by itself, and to prod by hand.
    async fn promote(&self) -> Result<String> {
        let found = async || Ok(self.out("get freight")?.contains("Warehouse/guestbook"));
        eventually(PATIENCE, "there is Freight", found).await?;
        let name = self.out("get freight -o jsonpath={.metadata.name}")?;
        let stage = "get stages staging -o jsonpath={.status.freightHistory[0].verificationHistory[0].phase}";
        let verified = async || Ok(self.out(stage).is_ok_and(|phase| phase == "Successful"));
        eventually(PATIENCE, "staging is verified", verified).await?;
        let promote = format!("promote --freight={name} --stage=prod --wait");
        let promoted = async || Ok(self.run(&promote)?.status.success());
        eventually(PATIENCE, "it is promoted to prod", promoted).await?;
        self.all(&[
            ("get promotions --stage=prod", "Succeeded"),
            (&format!("get freight --name={name}"), &name),
            ("get freight --warehouse=guestbook", &name),
            ("verify stage dev", ""),
            ("refresh stage dev --wait", "Stage 'demo/dev' refreshed"),
            ("refresh warehouse guestbook --wait", "Warehouse 'demo/guestbook' refreshed"),
        ])?;
        Ok(name)
    }

    /// The alias and the approval of a piece of Freight.
    fn approve(&self, name: &str) -> Result<()> {
        self.all(&[
            (&format!("update freight --name={name} --new-alias=first"), ""),
            ("get freight --alias=first", name),
            ("approve --freight-alias=first --stage=prod", ""),
            ("promote --freight-alias=first --downstream-from=staging", "promotion created"),
            ("promote --warehouse=guestbook --stage=prod --wait", "promotion created"),
        ])
    }

    fn manage_objects(&self) -> Result<()> {
        let file = self.path("objects.yaml");
        let objects = "apiVersion: kargo.akuity.io/v1alpha1\nkind: Project\nmetadata: {name: other}\n---\n\
            apiVersion: kargo.akuity.io/v1alpha1\nkind: Warehouse\nmetadata: {name: images, namespace: other}\n\
            spec: {freightCreationPolicy: Manual, subscriptions: [{image: {repoURL: example.com/app}}]}\n";
        fs::write(&file, objects)?;
        let file = file.display();
        self.all(&[
            (&format!("create -f {file}"), "warehouse.kargo.akuity.io/images created"),
            (&format!("apply -f {file}"), "warehouse.kargo.akuity.io/images configured"),
        ])?;
        self.fails(&format!("create -f {file}"), "already exists")?;
        self.all(&[
            ("delete warehouse images --project=other", ""),
            (&format!("apply -f {file}"), "warehouse.kargo.akuity.io/images created"),
            (&format!("delete -f {file}"), "project.kargo.akuity.io/other deleted"),
            ("create project third", "project.kargo.akuity.io/third created"),
            ("delete project third", "project.kargo.akuity.io/third deleted"),
        ])
    }

    /// A role, what it may do, and a token that may do just that.
    fn manage_access(&self) -> Result<()> {
        self.all(&[
            ("create role ops --claim=groups=a", "role.rbac.kargo.akuity.io/ops created"),
            ("grant --role=ops --claim=groups=b", "ops updated"),
            ("grant --role=ops --resource-type=stages --verb=get,list,watch", "ops updated"),
            ("revoke --role=ops --claim=groups=a", "ops updated"),
            ("get roles", "ops"),
            ("get role ops -o yaml", "stages"),
        ])?;
        let told = self.out("create token ci --role=ops")?;
        let token = told.lines().find_map(|line| line.strip_prefix("Token: "));
        self.token_works(token.context("no token was told")?)?;
        self.all(&[
            ("get tokens", "ci"),
            ("delete token ci", "ci deleted"),
            ("delete role ops", "ops deleted"),
            ("get roles --system", "kargo-admin"),
        ])
    }

    fn token_works(&self, token: &str) -> Result<()> {
        let address = self.out("config view -o jsonpath={.apiAddress}")?;
        let run = |command: &str| {
            let mut program = Command::new(&self.program);
            program.args(command.split(' ')).env_clear().env("HOME", self.home.path());
            program.env("KARGO_API_ADDRESS", &address).env("KARGO_API_TOKEN", token).output()
        };
        if !run("get stages --project=demo")?.status.success() {
            bail!("the token of the role does not list Stages");
        }
        ensure!(!run("delete stage prod --project=demo")?.status.success(), "it deletes Stages");
        Ok(())
    }

    fn manage_credentials(&self) -> Result<()> {
        self.all(&[
            ("create repo-credentials r --git --repo-url=https://example.com/r.git --username=u --password=p", "r created"),
            ("get repo-credentials", "https://example.com/r.git"),
            ("update repo-credentials r --username=other", "secret/r"),
            ("delete repo-credentials r", "r deleted"),
            ("create generic-credentials g --set=k=v", "g created"),
            ("update generic-credentials g --set=l=m --unset=k", "secret/g"),
            ("get generic-credentials", "g"),
            ("delete generic-credentials g", "g deleted"),
            ("create configmap c --set=k=v --shared", "c created"),
            ("update configmap c --set=k=w --shared", "configmap/c"),
            ("get configmaps --shared", "c"),
            ("delete configmap c --shared", "c deleted"),
        ])
    }

    fn leave(&self) -> Result<()> {
        self.all(&[("delete stage prod", "stage.kargo.akuity.io/prod deleted"), ("logout", "")])?;
        let config: &Path = &self.path("config/kargo/config");
        ensure!(!config.exists(), "logout leaves {}", config.display());
        self.fails("get projects", "you are not logged in")
    }
}
