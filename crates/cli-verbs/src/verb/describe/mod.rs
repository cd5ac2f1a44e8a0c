//! `kargo describe`: all that is known of an object, for people, and what happened to it.

mod page;

use cli_client::{Client, Collection, Object};

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::{Columns, Width},
    scope_args::ProjectArg,
    session::{ConnectionArgs, Session},
};

/// Show all that is known of objects, and what happened to them
#[derive(clap::Args, Debug)]
#[command(disable_help_subcommand = true)]
pub struct DescribeArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Describe pieces of Freight, by name or alias
    Freight(NamedArgs),
    /// Describe Promotions
    #[command(aliases = ["promotions", "promos", "promo"])]
    Promotion(NamedArgs),
    /// Describe PromotionRequests
    #[command(name = "promotionrequest", alias = "promotionrequests")]
    PromotionRequest(NamedArgs),
    /// Describe Stages
    #[command(alias = "stages")]
    Stage(NamedArgs),
    /// Describe Targets
    #[command(alias = "targets")]
    Target(NamedArgs),
    /// Describe Warehouses
    #[command(alias = "warehouses")]
    Warehouse(NamedArgs),
}

#[derive(clap::Args, Debug)]
struct NamedArgs {
    /// Their names
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn describe(env: &Env, args: &DescribeArgs) -> CliResult {
    match &args.what {
        What::Freight(args) => args.describe(env, "describe freight", Client::freight).await,
        What::Promotion(args) => args.describe(env, "describe promotion", Client::promotions).await,
        What::PromotionRequest(args) => {
            args.describe(env, "describe promotionrequest", Client::promotion_requests).await
        }
        What::Stage(args) => args.describe(env, "describe stage", Client::stages).await,
        What::Target(args) => args.describe(env, "describe target", Client::targets).await,
        What::Warehouse(args) => args.describe(env, "describe warehouse", Client::warehouses).await,
    }
}

impl NamedArgs {
    async fn describe(
        &self,
        env: &Env,
        command: &'static str,
        collection: impl Fn(&Client, &str) -> Collection,
    ) -> CliResult {
        let names = cobra::at_least_one(&self.names, command)?;
        let session = env.session(&self.connection).await?;
        let project = self.project.resolve(env, &session)?;
        let collection = collection(&session.client, &project);
        let (mut failures, mut separator) = (Vec::new(), "");
        for name in names {
            match collection.get(&name).await.context(format!("{command} {name}")) {
                Ok(object) => {
                    let events = events(env, &session, &project, &object).await;
                    env.out(&format!("{separator}{}{events}", page::page(&object)))?;
                    separator = "\n\n";
                }
                Err(failure) => failures.push(failure),
            }
        }
        Failure::joined(failures)
    }
}

/// What happened to an object. Who may not read Events sees the rest.
async fn events(env: &Env, session: &Session, project: &str, object: &Object) -> String {
    let Ok(list) = session.client.events(project).list().await else {
        return "Events:  not to be read\n".to_owned();
    };
    let is_about = |event: &&Object| {
        event.text("/involvedObject/kind") == object.kind()
            && event.text("/involvedObject/name") == object.name()
    };
    let (columns, now) = (Columns::Events, env.now());
    let about: Vec<&Object> = list.items.iter().filter(is_about).collect();
    let rows: Vec<_> = about.iter().map(|one| columns.row(one, Width::Normal, now)).collect();
    if rows.is_empty() {
        return "Events:  none\n".to_owned();
    }
    let table = env.table().draw(Some(&columns.head(Width::Normal)), &rows);
    format!("Events:\n{}", page::indented(&table))
}
