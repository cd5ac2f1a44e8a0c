//! Checks of expressions: whether they can be read, and whether the names in them lead anywhere.

use std::collections::BTreeSet;

use api_kinds::{
    step::ExpressionVariable,
    warehouse::{RepoSubscription, Source},
};
use core_expr::{Library, Mention, Template};
use core_pattern::{normalize_chart, normalize_git, normalize_image};
use core_rules::step::{step_alias, task_step_alias};

use super::{Finding, Known, Process, Scope, nearest::nearest};

/// What expressions at one place may refer to.
pub(super) struct Expressions<'a> {
    library: Library,
    /// Names of variables; `None` when more may exist.
    vars: Option<BTreeSet<&'a str>>,
    /// Aliases of the steps before; `None` when more may exist.
    outputs: Option<BTreeSet<String>>,
    /// Aliases of this step and those after it.
    later: BTreeSet<String>,
    /// Aliases of the steps of the same task.
    task: Option<BTreeSet<String>>,
    subscriptions: Option<&'a [&'a RepoSubscription]>,
}

impl<'a> Expressions<'a> {
    /// Expressions in a variable of the process, which sees those before it.
    pub(super) fn of_variable(process: &Process<'a>, before: &'a [ExpressionVariable]) -> Self {
        let vars = process.outer_vars.iter().chain(before).map(|variable| variable.name.as_str());
        Self {
            library: Library::VARIABLES,
            vars: (process.scope == Scope::Stage).then(|| vars.collect()),
            outputs: None,
            later: BTreeSet::new(),
            task: None,
            subscriptions: process.known.subscriptions,
        }
    }

    /// Expressions of a Stage outside of its process, where no step has run.
    pub(super) fn of_stage(vars: &'a [ExpressionVariable], known: Known<'a>) -> Self {
        Self {
            library: Library::VARIABLES,
            vars: Some(vars.iter().map(|variable| variable.name.as_str()).collect()),
            outputs: Some(BTreeSet::new()),
            later: BTreeSet::new(),
            task: None,
            subscriptions: known.subscriptions,
        }
    }

    /// Expressions in a step.
    pub(super) fn of_step(process: &Process<'a>, index: usize) -> Self {
        let own = process.steps.get(index).map(|step| step.vars.as_slice()).unwrap_or_default();
        let vars = process.outer_vars.iter().chain(process.vars).chain(own);
        let before = aliases(process, 0..index);
        let later = aliases(process, index..process.steps.len());
        let is_task = process.scope == Scope::Task;
        Self {
            library: Library::STEP,
            vars: (!is_task).then(|| vars.map(|variable| variable.name.as_str()).collect()),
            outputs: (!is_task).then(|| before.clone()),
            later,
            task: is_task.then_some(before),
            subscriptions: process.known.subscriptions,
        }
    }

    /// Checks a condition, which must be an expression if it is anything.
    pub(super) fn check_condition(&self, field: &str, text: &str, findings: &mut Vec<Finding>) {
        let is_literal = Template::parse(text).is_ok_and(|template| template.is_literal());
        if is_literal && !text.is_empty() {
            let message =
                format!("{text:?} is not an expression and cannot decide: write ${{{{ … }}}}");
            findings.push(Finding { field: field.to_owned(), message });
        }
        self.check(field, text, findings);
    }

    /// Checks a text that may hold expressions.
    pub(super) fn check(&self, field: &str, text: &str, findings: &mut Vec<Finding>) {
        let mut tell = |message| findings.push(Finding { field: field.to_owned(), message });
        match Template::parse(text).and_then(|template| template.mentions(self.library)) {
            Err(error) => tell(error.to_string()),
            Ok(mentions) => {
                mentions.iter().filter_map(|mention| self.judge(mention)).for_each(tell);
            }
        }
    }

    fn judge(&self, mention: &Mention) -> Option<String> {
        match mention {
            Mention::Variable { path, .. } => {
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                match path.as_slice() {
                    ["vars", name, ..] => self.judge_variable(name),
                    ["outputs", alias, ..] => self.judge_alias(alias, self.outputs.as_ref()?),
                    ["task", "outputs", alias, ..] => self.judge_alias(alias, self.task.as_ref()?),
                    _ => None,
                }
            }
            Mention::Call { function, arguments, .. } => {
                let text = |index: usize| arguments.get(index).and_then(Option::as_deref);
                match function.as_str() {
                    "status" => {
                        let aliases = self.task.as_ref().or(self.outputs.as_ref())?;
                        self.judge_alias(text(0)?, aliases)
                    }
                    "commitFrom" | "imageFrom" | "chartFrom" => {
                        judge_subscription(function, text(0)?, self.subscriptions?)
                    }
                    _ => None,
                }
            }
        }
    }

    fn judge_variable(&self, name: &str) -> Option<String> {
        let vars = self.vars.as_ref()?;
        if vars.contains(name) {
            return None;
        }
        let hint = nearest(name, vars.iter().copied());
        let hint = hint.map(|near| format!("; did you mean vars.{near}?")).unwrap_or_default();
        Some(format!("vars.{name} is not defined before this place{hint}"))
    }

    fn judge_alias(&self, alias: &str, aliases: &BTreeSet<String>) -> Option<String> {
        if aliases.contains(alias) {
            return None;
        }
        if self.later.contains(alias) {
            return Some(format!("step {alias:?} has not run at this place: it comes later"));
        }
        let hint = nearest(alias, aliases.iter().map(String::as_str));
        let hint = hint.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        Some(format!("there is no step {alias:?} before this place{hint}"))
    }
}

/// How the outputs of some steps are addressed. A task's steps are known by both aliases.
fn aliases(process: &Process<'_>, range: std::ops::Range<usize>) -> BTreeSet<String> {
    let mut aliases = BTreeSet::new();
    for index in range {
        let Some(step) = process.steps.get(index) else { continue };
        let alias = step_alias(step, index);
        let task = step.task.as_ref().and_then(|task| process.known.task(task));
        for (position, inner) in task.iter().flat_map(|task| &task.steps).enumerate() {
            aliases.insert(task_step_alias(&alias, &step_alias(inner, position)));
        }
        aliases.insert(alias);
    }
    aliases
}

fn judge_subscription(
    function: &str,
    url: &str,
    subscriptions: &[&RepoSubscription],
) -> Option<String> {
    let is_subscribed = subscriptions.iter().any(|found| match (function, &found.source) {
        ("commitFrom", Source::Git(git)) => normalize_git(&git.repo_url) == normalize_git(url),
        ("imageFrom", Source::Image(image)) => {
            normalize_image(&image.repo_url) == normalize_image(url)
        }
        ("chartFrom", Source::Chart(chart)) => {
            normalize_chart(&chart.repo_url) == normalize_chart(url)
        }
        _ => false,
    });
    (!is_subscribed)
        .then(|| format!("{function}({url:?}): no Warehouse of this Stage subscribes to it"))
}
