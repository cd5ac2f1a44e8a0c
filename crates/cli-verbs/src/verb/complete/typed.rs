//! What a command that is not whole yet asks for.

use clap::{Arg, Command};

use crate::{scope_args::ProjectArg, session::ConnectionArgs};

/// What the word that is being typed names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Projects,
    Stages,
    Warehouses,
    Promotions,
    PromotionRequests,
    Targets,
    Freight,
    Aliases,
}

/// A command as far as it is typed.
#[derive(Debug)]
pub(super) struct Typed {
    pub(super) wanted: Wanted,
    /// What is there of the word.
    pub(super) prefix: String,
    pub(super) project: ProjectArg,
    pub(super) connection: ConnectionArgs,
}

/// Where in the tree of commands the words have led.
struct Walk<'a> {
    path: Vec<&'a Command>,
    /// The flag whose value comes next.
    pending: Option<&'a Arg>,
    project: ProjectArg,
    connection: ConnectionArgs,
}

impl Typed {
    /// What the word at `index` names; `None` when that is no object, or not one that is there already.
    pub(super) fn read(root: &Command, words: &[String], index: usize) -> Option<Self> {
        let mut walk = Walk {
            path: vec![root],
            pending: None,
            project: ProjectArg::default(),
            connection: ConnectionArgs::default(),
        };
        // Some shells make a word of the sign between a flag and its value.
        for word in words.get(1..index)?.iter().filter(|word| *word != "=") {
            walk.take(word);
        }
        let prefix = words.get(index).filter(|word| *word != "=").cloned().unwrap_or_default();
        let wanted = walk.wanted(&prefix)?;
        Some(Self { wanted, prefix, project: walk.project, connection: walk.connection })
    }
}

impl<'a> Walk<'a> {
    fn command(&self) -> Option<&'a Command> {
        self.path.last().copied()
    }

    fn take(&mut self, word: &str) {
        if let Some(flag) = self.pending.take() {
            self.note(flag, word);
            return;
        }
        let Some(command) = self.command() else { return };
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        match command.get_arguments().find(|flag| is_named(flag, name)) {
            Some(flag) => match value {
                Some(value) => self.note(flag, value),
                None => self.pending = Some(flag).filter(|flag| takes_next(flag)),
            },
            None => self.path.extend(command.find_subcommand(word)),
        }
    }

    /// Keeps what says where to ask.
    fn note(&mut self, flag: &Arg, value: &str) {
        let value = Some(value.to_owned());
        match flag.get_long() {
            Some("project") => self.project.project = value,
            Some("context") => self.connection.context = value,
            Some("server") => self.connection.server = value,
            Some("token") => self.connection.token = value,
            _ => {}
        }
    }

    fn wanted(&self, prefix: &str) -> Option<Wanted> {
        let command = self.command()?;
        let argument = match self.pending {
            Some(flag) => flag,
            None if prefix.starts_with('-') => return None,
            None => command.get_positionals().next()?,
        };
        let value = argument.get_value_names()?.first()?.as_str();
        match (argument.get_long(), value) {
            (_, "PROJECT") => Some(Wanted::Projects),
            (_, "STAGE") => Some(Wanted::Stages),
            (_, "WAREHOUSE") => Some(Wanted::Warehouses),
            (Some("alias" | "freight-alias"), _) => Some(Wanted::Aliases),
            (Some("freight"), _) => Some(Wanted::Freight),
            (Some("promotion"), _) => Some(Wanted::Promotions),
            (Some("name") | None, "NAME") => self.named(command),
            _ => None,
        }
    }

    /// What the names are of that a command takes.
    fn named(&self, command: &Command) -> Option<Wanted> {
        let is_new = self.path.get(1).is_some_and(|verb| verb.get_name() == "create");
        match command.get_name() {
            _ if is_new => None,
            "project" | "projects" | "set-project" => Some(Wanted::Projects),
            "stage" | "stages" => Some(Wanted::Stages),
            "warehouse" | "warehouses" => Some(Wanted::Warehouses),
            "promote" | "promotion" | "promotions" => Some(Wanted::Promotions),
            "promotionrequest" | "promotionrequests" => Some(Wanted::PromotionRequests),
            "target" | "targets" => Some(Wanted::Targets),
            "freight" => Some(Wanted::Freight),
            _ => None,
        }
    }
}

fn is_named(flag: &Arg, name: &str) -> bool {
    if let Some(long) = name.strip_prefix("--") {
        return flag.get_long() == Some(long);
    }
    let mut letters = name.strip_prefix('-').unwrap_or_default().chars();
    matches!((letters.next(), letters.next()), (Some(one), None) if flag.get_short() == Some(one))
}

/// Whether the next word is the flag's value.
fn takes_next(flag: &Arg) -> bool {
    flag.get_num_args().is_some_and(|count| count.takes_values()) && !flag.is_require_equals_set()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::Verbs;

    fn read(line: &str) -> Option<Typed> {
        let mut root = Verbs::command();
        root.build();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Typed::read(&root, &words, words.len() - 1)
    }

    #[test]
    fn a_word_is_known_by_its_place() {
        for (line, wanted) in [
            ("kargo get stages ", Wanted::Stages),
            ("kargo get stage a b", Wanted::Stages),
            ("kargo get projects ", Wanted::Projects),
            ("kargo get promos ", Wanted::Promotions),
            ("kargo describe warehouse ", Wanted::Warehouses),
            ("kargo delete project ", Wanted::Projects),
            ("kargo config set-project ", Wanted::Projects),
            ("kargo get stages -p ", Wanted::Projects),
            ("kargo get stages --project = ", Wanted::Projects),
            ("kargo promote --freight-alias x --stage ", Wanted::Stages),
            ("kargo promote --stage prod --freight-alias wit", Wanted::Aliases),
            ("kargo promote --stage prod --warehouse ", Wanted::Warehouses),
            ("kargo promote --abort --name ", Wanted::Promotions),
            ("kargo promote --downstream-from ", Wanted::Stages),
            ("kargo logs --promotion ", Wanted::Promotions),
            ("kargo get freight --name ", Wanted::Freight),
            ("kargo get promotionrequests ", Wanted::PromotionRequests),
            ("kargo get targets ", Wanted::Targets),
            ("kargo get stages --allow-missing-template-keys -p x", Wanted::Projects),
        ] {
            assert_eq!(read(line).map(|typed| typed.wanted), Some(wanted), "{line:?}");
        }
    }

    #[test]
    fn what_names_no_object_of_the_server_is_left_to_the_shell() {
        for line in [
            "kargo",
            "kargo ",
            "kargo get ",
            "kargo get stages --",
            "kargo get stages -o ",
            "kargo create project ",
            "kargo update freight --new-alias ",
            "kargo up --demo-port ",
            "kargo get roles ",
        ] {
            assert!(read(line).is_none(), "{line:?}");
        }
        assert!(Typed::read(&Verbs::command(), &[], 7).is_none());
    }

    #[test]
    fn the_place_to_ask_is_taken_from_the_words() {
        let typed =
            read("kargo get stages -p demo --server=http://x --token t --context c de").unwrap();
        assert_eq!(typed.prefix, "de");
        assert_eq!(typed.project.project.as_deref(), Some("demo"));
        assert_eq!(typed.connection.server.as_deref(), Some("http://x"));
        assert_eq!(typed.connection.token.as_deref(), Some("t"));
        assert_eq!(typed.connection.context.as_deref(), Some("c"));
    }
}
