//! `kargo config`: what the command line remembers.

use crate::{
    cobra,
    config::{Connection, REDACTED},
    env::Env,
    exit::{CliResult, Exit, Failure},
    output::{Format, PrintArgs},
};

/// Show or change what the command line remembers
#[derive(clap::Args, Debug)]
#[command(disable_help_subcommand = true)]
pub struct ConfigArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Forget a context
    DeleteContext(NameArgs),
    /// List the contexts
    GetContexts,
    /// Show the default Project
    GetProject,
    /// Choose the default Project; an empty name clears it
    SetProject(NameArgs),
    /// Choose the current context; an empty name is the one without a name
    UseContext(NameArgs),
    /// Show the configuration
    View(ViewArgs),
}

#[derive(clap::Args, Debug)]
struct NameArgs {
    /// The name
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

#[derive(clap::Args, Debug)]
struct ViewArgs {
    /// Show tokens too
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    print: PrintArgs,
}

pub(super) fn config(env: &Env, args: &ConfigArgs) -> CliResult {
    match &args.what {
        What::DeleteContext(args) => delete_context(env, args),
        What::GetContexts => get_contexts(env),
        What::GetProject => get_project(env),
        What::SetProject(args) => set_project(env, args),
        What::UseContext(args) => use_context(env, args),
        What::View(args) => view(env, args),
    }
}

fn view(env: &Env, args: &ViewArgs) -> CliResult {
    let mut config = env.store()?.load()?;
    if !args.raw {
        let names: Vec<String> = config.contexts.keys().cloned().collect();
        for name in names.iter().map(String::as_str).chain([""]) {
            redact(config.connection_mut(name));
        }
    }
    let mut document = serde_json::to_value(&config)
        .map_err(|error| Failure::error(format!("show config: {error}")))?;
    if let Some(fields) = document.as_object_mut() {
        fields.insert("kind".to_owned(), "CLIConfig".into());
        fields.insert("apiVersion".to_owned(), "kargo.akuity.io/v1alpha1".into());
    }
    let format = args.print.format()?.unwrap_or(Format::Yaml);
    env.out(&format.write(&args.print, &document)?)
}

/// Tokens are hidden also where there are none: their absence is nobody's business.
fn redact(connection: &mut Connection) {
    connection.auth_method = None;
    REDACTED.clone_into(&mut connection.bearer_token);
    REDACTED.clone_into(&mut connection.refresh_token);
}

fn get_project(env: &Env) -> CliResult {
    let config = env.store()?.load()?;
    let project = &config.connection(config.context_name(None))?.project;
    if project.is_empty() {
        return Err(Failure::new(Exit::NotFound, "default project is not set"));
    }
    env.out_line(project)
}

fn set_project(env: &Env, args: &NameArgs) -> CliResult {
    let project = cobra::exactly_one(&args.names, "config set-project")?.trim().to_owned();
    env.store()?.change(|config| {
        let context = config.context_name(None).to_owned();
        config.connection_mut(&context).project = project;
        Ok(())
    })
}

fn get_contexts(env: &Env) -> CliResult {
    let config = env.store()?.load()?;
    let row = |name: &str, connection: &Connection| {
        let mark = if name == config.current_context { "*" } else { "" };
        let parts = [mark, name, &connection.api_address, &connection.project];
        parts.map(str::to_owned).to_vec()
    };
    let nameless = config.connection("")?;
    let mut rows = Vec::new();
    if !nameless.api_address.is_empty() {
        rows.push(row("", nameless));
    }
    rows.extend(config.contexts.iter().map(|(name, connection)| row(name, connection)));
    env.out(&env.table().draw(Some(&["CURRENT", "NAME", "SERVER", "PROJECT"]), &rows))
}

fn use_context(env: &Env, args: &NameArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "config use-context")?;
    env.store()?.change(|config| {
        config.connection(name)?;
        name.clone_into(&mut config.current_context);
        Ok(())
    })
}

fn delete_context(env: &Env, args: &NameArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "config delete-context")?;
    env.store()?.change(|config| {
        config.connection(name)?;
        config.contexts.remove(name);
        if config.current_context == name {
            config.current_context.clear();
        }
        Ok(())
    })
}
