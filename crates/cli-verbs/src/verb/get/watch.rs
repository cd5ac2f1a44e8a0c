//! `--watch`: what there is, and then what changes.

use cli_client::{Change, Collection, Event, List, Object};

use super::list::{Args, Shown};
use crate::{
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::{Format, Table, Width, full_name},
};

/// Shows objects until the user has seen enough.
pub(super) async fn watch(
    env: &Env,
    args: &Args,
    collection: &Collection,
    shown: Shown,
) -> CliResult {
    let mut view = View::new(env, args, shown)?;
    if let [_, _, ..] = args.names.as_slice() {
        return Err(Failure::usage("only one name, or all objects, can be watched"));
    }
    args.arrange.check(&args.names)?;
    match args.names.first() {
        Some(name) => watch_one(&mut view, collection, name).await,
        None => watch_all(&mut view, collection, shown).await,
    }
}

async fn watch_one(view: &mut View<'_>, collection: &Collection, name: &str) -> CliResult {
    let action = format!("watch {} {name}", view.shown.noun);
    let mut watch = collection.watch(name).await.context(&action)?;
    loop {
        if let Event::Object(change, object) = watch.next().await.context(&action)? {
            view.show(&[object])?;
            if change == Change::Deleted {
                return Ok(());
            }
        }
    }
}

async fn watch_all(view: &mut View<'_>, collection: &Collection, shown: Shown) -> CliResult {
    let action = format!("watch {}", shown.plural);
    let selector = view.args.arrange.selector()?;
    loop {
        let list: List = collection.list().await.context(&action)?;
        view.show(&view.args.arrange.arrange(list.items.clone())?)?;
        let mut watch = collection.watch_from(&list).await.context(&action)?;
        while let Event::Object(_, object) = watch.next().await.context(&action)? {
            if selector.matches(&object) {
                view.show(&[object])?;
            }
        }
    }
}

/// What was shown so far decides how the next rows stand.
struct View<'a> {
    env: &'a Env,
    args: &'a Args,
    shown: Shown,
    format: Option<Format>,
    table: Table,
    is_headed: bool,
}

impl<'a> View<'a> {
    fn new(env: &'a Env, args: &'a Args, shown: Shown) -> CliResult<Self> {
        let format = args.print.format()?;
        let is_headed = args.no_headers;
        Ok(Self { env, args, shown, format, table: env.table(), is_headed })
    }

    fn show(&mut self, objects: &[Object]) -> CliResult {
        let width = match &self.format {
            None => Width::Normal,
            Some(Format::Table(width)) => *width,
            Some(Format::Name) => {
                return objects.iter().try_for_each(|one| self.env.out_line(&full_name(one)));
            }
            Some(format) => {
                return objects.iter().try_for_each(|object| {
                    self.env.out(&format.write(&self.args.print, object.value())?)
                });
            }
        };
        let columns = self.shown.columns;
        let head = columns.head(width);
        let now = self.env.now();
        let rows: Vec<_> = objects.iter().map(|one| columns.row(one, width, now)).collect();
        let text = self.table.draw((!self.is_headed).then_some(&head), &rows);
        self.is_headed |= !rows.is_empty();
        self.env.out(&text)
    }
}
