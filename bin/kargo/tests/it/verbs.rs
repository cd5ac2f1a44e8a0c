//! The verbs of the command line against a real server: what a user does in a day, from the first look to the last delete.

use std::{fs, path::Path, process::Command, time::Duration};

use dev_testkit::{Kargo, Patience, UpOptions, eventually};
use tempfile::TempDir;

use super::{process::free_port, program};

const PASSWORD: &str = "correct horse";
/// How long a pipeline may take on a machine that has other things to do.
const PATIENCE: Patience = Patience::of(Duration::from_secs(90));

/// A user with a home of their own, on the machine of a `kargo up --demo`.
struct User {
    home: TempDir,
}

/// What a command came to.
struct Told {
    command: String,
    exit: Option<i32>,
    out: String,
    err: String,
}

impl User {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("password"), PASSWORD).unwrap();
        Self { home }
    }

    async fn server(&self) -> Kargo {
        let password = self.home.path().join("password").display().to_string();
        let flags = ["--demo", "--demo-port", &free_port(), "--admin-password-file", &password];
        let options = UpOptions {
            binary: Some(program()),
            arguments: flags.map(str::to_owned).into(),
            environment: vec![("XDG_STATE_HOME".to_owned(), self.path("state"))],
        };
        Kargo::up(&self.home.path().join("data"), &options).await.unwrap()
    }

    fn path(&self, name: &str) -> String {
        self.home.path().join(name).display().to_string()
    }

    /// Runs a command; a tilde is a blank within a word.
    fn run(&self, command: &str) -> Told {
        let words = command.split(' ').map(|word| word.replace('~', " "));
        let output = Command::new(program())
            .args(words)
            .env_clear()
            .env("HOME", self.home.path())
            .env("XDG_STATE_HOME", self.path("state"))
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Told {
            command: command.to_owned(),
            exit: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// What a command that must succeed puts out.
    fn out(&self, command: &str) -> String {
        self.run(command).exits(0).out
    }

    async fn until(&self, command: &str, text: &str) {
        let is_there = async || Ok(self.run(command).out.contains(text));
        let what = format!("`kargo {command}` tells {text:?}");
        if let Err(error) = eventually(PATIENCE, &what, is_there).await {
            let told = self.run(command);
            panic!("{error:#}: {}{}", told.out, told.err);
        }
    }
}

impl Told {
    fn exits(self, code: i32) -> Self {
        assert_eq!(self.exit, Some(code), "kargo {}: {}{}", self.command, self.out, self.err);
        self
    }

    fn tells(self, text: &str) -> Self {
        let whole = format!("{}{}", self.out, self.err);
        assert!(whole.contains(text), "kargo {}: {text:?} is not in {whole}", self.command);
        self
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_goes_from_the_first_look_to_the_last_delete() {
    let user = User::new();
    let server = user.server().await;
    first_look(&user);
    let freight = promotion(&user).await;
    second_release(&user, &freight).await;
    objects_from_files(&user);
    completion(&user);
    access(&user);
    credentials(&user);
    login(&user);
    assert_eq!(server.stop().await.unwrap(), Some(0));
    user.run("get projects").exits(4).tells("you are not logged in");
}

/// Nobody had to log in: the server is on the same machine.
fn first_look(user: &User) {
    user.run("get projects").exits(0).tells("demo");
    user.run("doctor").exits(0).tells("all is well");
    let data = user.path("data");
    user.run(&format!("doctor --data-dir {data}")).exits(0).tells("ok    engine: ");
    let elsewhere = user.run(&format!("doctor --data-dir {data}/none")).exits(1);
    elsewhere.tells("no control plane runs here");
    user.run("version").exits(0).tells("Server Version: ");
    user.run("get warehouses").exits(0).tells("guestbook");
    user.run("get stages -o name").exits(0).tells("stage.kargo.akuity.io/prod");
    user.run("get stages nowhere").exits(3).tells("get stage nowhere");
    user.run("get stages --token wrong").exits(4);
    user.run("get projectconfig").exits(0);
    user.run("get nothing").exits(2).tells("unknown command \"nothing\" for \"kargo get\"");
    user.run("get").exits(0).tells("Show Stages");
}

/// The first release goes to staging by itself, and to prod by hand.
async fn promotion(user: &User) -> String {
    user.until("get freight -o jsonpath={.metadata.name}", "").await;
    user.until("get freight -o name", "freight.kargo.akuity.io/").await;
    let name = user.out("get freight -o jsonpath={.metadata.name}");
    user.until(&format!("explain --freight {name} --stage prod"), "\nmay be promoted").await;
    let preview = format!("promote --freight {name} --stage prod --preview");
    user.run(&preview).exits(0).tells("Would be done outside the work directory:");
    assert_eq!(user.out("get promotions --stage prod"), "", "a preview leaves nothing");
    let promote = format!("promote --freight {name} --stage prod --wait --timeout 2m");
    user.run(&promote).exits(0).tells("promotion created").tells("promotion Succeeded");
    user.run("get promotions --stage prod -o wide").exits(0).tells("Succeeded");
    let promotion = user.out("get promotions --stage prod -o jsonpath={.metadata.name}");
    user.run(&format!("logs --promotion {promotion}")).exits(0).tells("release::clone");
    user.until("get pipeline", "prod").await;
    user.run("describe stage prod").exits(0).tells("Freight History:").tells("Events:");
    user.run("get events").exits(0).tells("PromotionSucceeded");
    user.run("get images").exits(0).tells("prod");
    user.run("verify stage dev").exits(0);
    user.run("refresh stage dev --wait --timeout 1m").exits(0).tells("Stage 'demo/dev' refreshed");
    name
}

/// The next release is let in before it is verified, and taken back.
async fn second_release(user: &User, first: &str) {
    let push = format!("demo push --data-dir {}", user.path("data"));
    user.run(&push).exits(0).tells("1.0.1");
    user.run("refresh warehouse guestbook --wait --timeout 1m").exits(0).tells("refreshed");
    let second = second_of(user, first).await;
    user.run(&format!("update freight --name {second} --new-alias next")).exits(0);
    user.run("approve --freight-alias next --stage prod").exits(0);
    user.run("explain --freight-alias next --stage prod").exits(0).tells("\nmay be promoted");
    user.run("promote --freight-alias next --stage prod --wait --timeout 2m").exits(0);
    // The Stage takes note of a Promotion when it has ended.
    user.until("get stages prod", &second).await;
    user.run("rollback --stage prod --wait --timeout 2m").exits(0).tells(first);
    user.run("promote --freight nowhere --stage prod").exits(3);
}

async fn second_of(user: &User, first: &str) -> String {
    let names = || user.out("get freight -o jsonpath={.items[*].metadata.name}");
    let has_two = async || Ok(names().split(' ').filter(|name| !name.is_empty()).count() == 2);
    eventually(PATIENCE, "there is a second piece of Freight", has_two).await.unwrap();
    names().split(' ').find(|name| *name != first).unwrap().to_owned()
}

const OBJECTS: &str = "apiVersion: kargo.akuity.io/v1alpha1\nkind: Project\nmetadata: {name: other}\n---\n\
    apiVersion: kargo.akuity.io/v1alpha1\nkind: Warehouse\nmetadata: {name: images, namespace: other}\n\
    spec: {freightCreationPolicy: Manual, subscriptions: [{image: {repoURL: example.com/app}}]}\n";

fn objects_from_files(user: &User) {
    let file = user.path("objects.yaml");
    fs::write(Path::new(&file), OBJECTS).unwrap();
    user.run(&format!("create -f {file}"))
        .exits(0)
        .tells("warehouse.kargo.akuity.io/images created");
    user.run(&format!("create -f {file}")).exits(1).tells("already exists");
    fs::write(Path::new(&file), OBJECTS.replace("/app", "/other")).unwrap();
    user.run(&format!("apply -f {file} --dry-run")).exits(0).tells("configured (server dry run)");
    user.run(&format!("diff -f {file}"))
        .exits(1)
        .tells("-      repoURL: example.com/app\n+      repoURL: example.com/other\n");
    user.run("get warehouses images -p other -o yaml").exits(0).tells("repoURL: example.com/app");
    user.run(&format!("apply -f {file}"))
        .exits(0)
        .tells("warehouse.kargo.akuity.io/images configured");
    user.run("get warehouses images -p other -o yaml").exits(0).tells("repoURL: example.com/other");
    assert_eq!(user.run(&format!("diff -f {file}")).exits(0).out, "");
    merging(user);
    user.run("delete warehouse images -p other").exits(0).tells("images deleted");
    user.run("delete project other").exits(0).tells("project.kargo.akuity.io/other deleted");
    user.run("create project third").exits(0).tells("project.kargo.akuity.io/third created");
    user.run("create project third").exits(5).tells("already exists");
}

/// Two who manage fields of the same object.
fn merging(user: &User) {
    let file = user.path("part.yaml");
    let part = |interval: &str| {
        format!(
            "apiVersion: kargo.akuity.io/v1alpha1\nkind: Warehouse\n\
             metadata: {{name: images, namespace: other}}\nspec: {{interval: {interval}}}\n"
        )
    };
    fs::write(Path::new(&file), part("7m0s")).unwrap();
    user.run(&format!("apply -f {file} --server-side --force-conflicts"))
        .exits(0)
        .tells("images serverside-applied");
    let stored = user.out("get warehouses images -p other -o yaml");
    assert!(stored.contains("interval: 7m0s") && stored.contains("repoURL: example.com/other"));
    fs::write(Path::new(&file), part("8m0s")).unwrap();
    let by_other = format!("apply -f {file} --server-side --field-manager other");
    user.run(&by_other).exits(5).tells("conflict with \"kargo-cli\"").tells("--force-conflicts");
    user.run(&format!("{by_other} --force-conflicts")).exits(0);
    user.run("get targets -p other").exits(0);
    user.run("get promotionrequests -p other").exits(0);
}

/// What a shell offers, asked of bash itself.
fn completion(user: &User) {
    let script = user.path("completion.bash");
    fs::write(&script, user.out("completion bash")).unwrap();
    let offered = |words: &str| {
        let line: Vec<&str> = words.split(' ').collect();
        let words = line.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let (program, at) = (program().display().to_string(), line.len() - 1);
        let text = format!(
            "source {script}; COMP_WORDS=({words}); COMP_WORDS[0]={program}; COMP_CWORD={at}; \
             _kargo_names {program} \"${{COMP_WORDS[{at}]}}\" \"${{COMP_WORDS[{at} - 1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &text])
            .env_clear()
            .env("HOME", user.home.path())
            .env("XDG_STATE_HOME", user.path("state"))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(offered("kargo get stages "), "dev prod staging");
    assert_eq!(offered("kargo get stages pr"), "prod");
    assert_eq!(offered("kargo promote --freight-alias ne"), "next");
    assert_eq!(offered("kargo refresh warehouse --project = demo gue"), "guestbook");
    assert_eq!(offered("kargo rollb"), "rollback");
    assert_eq!(offered("kargo get stages --token wrong nothing"), "");
}

/// A role, what it may do, and a token that may do just that.
fn access(user: &User) {
    user.run("create role ops --claim groups=a,b --description people~who~look").exits(0);
    user.run("grant --role ops --resource-type stage --verb get,list,watch").exits(0);
    user.run("grant --role ops --claim email=x@example.com").exits(0);
    user.run("revoke --role ops --claim email=x@example.com").exits(0);
    user.run("get roles").exits(0).tells("ops").tells("kargo-admin");
    user.run("get roles ops -o yaml").exits(0).tells("people who look");
    user.run("get roles -k ops").exits(0).tells("K8S SERVICE ACCOUNT");
    let told = user.run("create token ci --role ops").exits(0).tells("IMPORTANT:");
    let token = told.out.lines().find_map(|line| line.strip_prefix("Token: ")).unwrap().to_owned();
    user.run("get token").exits(0).tells("ci");
    user.run(&format!("get stages --token {token}")).exits(0).tells("prod");
    user.run(&format!("delete stage prod --token {token}")).exits(4);
    user.run(&format!("refresh stage prod --token {token}")).exits(0);
    user.run(&format!("refresh warehouse guestbook --token {token}")).exits(4);
    user.run("delete token ci").exits(0).tells("secret/ci deleted");
    user.run("delete role ops").exits(0).tells("role.rbac.kargo.akuity.io/ops deleted");
    user.run("get roles ops").exits(3);
}

fn credentials(user: &User) {
    let repo = "--git --repo-url https://example.com/r.git --username u --password p";
    user.run(&format!("create repo-credentials r {repo}")).exits(0).tells("secret/r created");
    user.run("update repo-credentials r --username other").exits(0).tells("secret/r");
    user.run("get repo-credentials").exits(0).tells("https://example.com/r.git");
    user.run("create generic-credentials g --set k=v=w --description d").exits(0);
    user.run("update generic-credentials g --set l=m --unset k").exits(0);
    user.run("get generic-credentials -o json").exits(0).tells("\"l\"");
    user.run("create configmap c --set k=v").exits(0).tells("configmap/c created");
    user.run("update configmap c --set k=w").exits(0);
    user.run("get configmaps c -o yaml").exits(0).tells("k: w");
    user.run("create configmap s --shared --set k=v").exits(0);
    user.run("get configmaps --shared").exits(0).tells("s ");
    user.run("delete configmap s --shared").exits(0);
    for (kind, name) in
        [("repo-credentials", "r"), ("generic-credentials", "g"), ("configmap", "c")]
    {
        user.run(&format!("delete {kind} {name}")).exits(0).tells("deleted");
        user.run(&format!("get {kind} {name}")).exits(3);
    }
}

/// As it is done where the server is elsewhere.
fn login(user: &User) {
    let file = fs::read_to_string(Path::new(&user.path("state/kargo/up.yaml"))).unwrap();
    let address = file.lines().find_map(|line| line.strip_prefix("apiAddress: ")).unwrap();
    user.run(&format!("login {address} --admin --password wrong")).exits(4);
    let password = PASSWORD.replace(' ', "~");
    user.run(&format!("login {address} --admin --password {password}")).exits(0);
    user.run("get stages").exits(2).tells("project is required");
    user.run("config set-project demo").exits(0);
    user.run("get stages").exits(0).tells("prod");
    user.run("config view").exits(0).tells("REDACTED");
    user.run("logout").exits(0);
    user.run("get stages").exits(0).tells("prod");
}
