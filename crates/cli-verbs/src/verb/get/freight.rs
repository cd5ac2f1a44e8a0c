//! `kargo get freight`.

use super::{
    arrange::ArrangeArgs,
    list::{Args, Shown, fetch_named},
    watch,
};
use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::{Columns, PrintArgs},
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

const FREIGHT: Shown = Shown { noun: "freight", plural: "freight", columns: Columns::Freight };

#[derive(clap::Args, Debug)]
pub(super) struct FreightArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// Name of a piece; repeat it for more
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
    /// Alias of a piece; repeat it for more
    #[arg(long = "alias", value_name = "ALIAS")]
    aliases: Vec<String>,
    /// Only what is from a Warehouse; repeat it for more
    #[arg(long = "warehouse", value_name = "WAREHOUSE")]
    warehouses: Vec<String>,
    #[arg(long = "origin", value_name = "WAREHOUSE", hide = true)]
    origins: Vec<String>,
    /// Go on and show what changes
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    arrange: ArrangeArgs,
    #[command(flatten)]
    print: PrintArgs,
    /// A table without the names of its columns
    #[arg(long)]
    no_headers: bool,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn freight(env: &Env, args: &FreightArgs) -> CliResult {
    args.check()?;
    if !args.origins.is_empty() {
        env.say("Flag --origin has been deprecated, use --warehouse instead")?;
    }
    let session = env.session(&args.connection).await?;
    let mut freight = session.client.freight(&args.project.resolve(env, &session)?);
    let mut names = cobra::distinct(&args.names);
    names.extend(cobra::distinct(&args.aliases));
    if names.is_empty() {
        for warehouse in args.warehouses.iter().chain(&args.origins) {
            freight = freight.with("origins", warehouse);
        }
    }
    if args.watch {
        return watch::watch(env, &args.as_list(names), &freight, FREIGHT).await;
    }
    let (objects, failures) = if names.is_empty() {
        let items = freight.list().await.context("list freight")?.items;
        (args.arrange.arrange(items)?, Vec::new())
    } else {
        fetch_named(&freight, FREIGHT, &names).await
    };
    env.show_objects(&args.print, Columns::Freight, !args.no_headers, &objects)?;
    Failure::joined(failures)
}

impl FreightArgs {
    fn check(&self) -> CliResult {
        let names = ("name", !self.names.is_empty());
        let aliases = ("alias", !self.aliases.is_empty());
        let warehouses = ("warehouse", !self.warehouses.is_empty());
        let origins = ("origin", !self.origins.is_empty());
        for one in [names, aliases] {
            for other in [warehouses, origins] {
                cobra::exclusive(&[one, other])?;
            }
        }
        self.arrange.check(&[self.names.as_slice(), &self.aliases].concat())?;
        if self.watch && (names.1 || aliases.1) {
            return Err(Failure::usage("single pieces of Freight cannot be watched"));
        }
        Ok(())
    }

    fn as_list(&self, names: Vec<String>) -> Args {
        Args {
            names,
            arrange: self.arrange.clone(),
            print: self.print.clone(),
            no_headers: self.no_headers,
            connection: self.connection.clone(),
        }
    }
}
