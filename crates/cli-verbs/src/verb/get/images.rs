//! `kargo get images`: which versions of images the Stages have and had.

use serde_json::{Map, Value};

use crate::{
    env::Env,
    exit::{CliResult, Context as _},
    output::PrintArgs,
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct ImagesArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// Only what Stages have now
    #[arg(long)]
    current: bool,
    #[command(flatten)]
    print: PrintArgs,
    /// A table without the names of its columns
    #[arg(long)]
    no_headers: bool,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn images(env: &Env, args: &ImagesArgs) -> CliResult {
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let images = session.client.images(&project).await.context("list images")?;
    if let Some(format) = args.print.format()? {
        return env.out(&format.write(&args.print, &images)?);
    }
    let head = ["IMAGE", "TAG", "STAGES"];
    let rows = rows(&images, args.current);
    env.out(&env.table().draw((!args.no_headers).then_some(&head), &rows))
}

/// One row for each version of each image.
fn rows(images: &Value, only_current: bool) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (url, image) in fields(Some(images)) {
        for (tag, places) in fields(image.get("tags")) {
            let stages = stages(places, only_current);
            if !stages.is_empty() {
                rows.push(vec![url.clone(), tag.clone(), stages.join(", ")]);
            }
        }
    }
    rows
}

/// Stages with how many pieces of Freight ago they had a version, those that have it first.
fn stages(places: &Value, only_current: bool) -> Vec<String> {
    let place = |(name, at): (&String, &Value)| (at.as_u64().unwrap_or_default(), name.clone());
    let mut stages: Vec<(u64, String)> = fields(places.get("stages")).map(place).collect();
    stages.sort();
    let wanted = stages.into_iter().filter(|(ago, _)| *ago == 0 || !only_current);
    let told = |(ago, name): (u64, String)| match ago {
        0 => name,
        ago => format!("{name} ({ago} ago)"),
    };
    wanted.map(told).collect()
}

fn fields(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stages_that_have_a_version_come_before_those_that_had_it() {
        let images = json!({ "example.com/app": { "tags": {
            "1.0": { "stages": { "dev": 1, "prod": 0 } }, "2.0": { "stages": { "dev": 0 } } } } });
        let tags = |only_current| -> Vec<String> {
            rows(&images, only_current).iter().map(|row| row[1..].join(" ")).collect()
        };
        assert_eq!(tags(false), ["1.0 prod, dev (1 ago)", "2.0 dev"]);
        assert_eq!(tags(true), ["1.0 prod", "2.0 dev"]);
    }
}
