//! `kargo dashboard`: opens the server's pages.

use crate::{env::Env, exit::CliResult, session::ConnectionArgs};

/// Open the dashboard in the browser
#[derive(clap::Args, Debug)]
pub struct DashboardArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
}

/// Where no browser opens, the address is told.
pub(super) async fn dashboard(env: &Env, args: &DashboardArgs) -> CliResult {
    let session = env.session(&args.connection).await?;
    let address = session.client.address().as_str();
    match env.browser.open(address) {
        Ok(()) => Ok(()),
        Err(_) => env.out_line(address),
    }
}
