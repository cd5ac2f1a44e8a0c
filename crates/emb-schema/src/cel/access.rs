//! `authorizer`: expressions that ask what somebody may do.
//!
//! A question grows call by call, as in `authorizer.group('apps').resource('deployments').check('get').allowed()`. Its
//! answer comes from whoever runs the expression.

use std::{fmt, rc::Rc};

use super::{
    evaluate::Evaluated,
    function::Function,
    program::{EvalError, Meter},
    value::Val,
};

/// What one question costs: as much as a third of what an expression may do.
const CHECK_COST: usize = 350_000;

/// Answers questions about permissions.
pub trait Authorizer {
    /// Whether this may be done, and why.
    fn check(&self, question: &Question) -> Answer;

    /// The object that the request under admission is about, as the start of a question.
    fn request_resource(&self) -> Question;
}

/// Whether somebody may do something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Namespace and name of a ServiceAccount; without one the question is about the caller.
    pub service_account: Option<(String, String)>,
    /// A path that is no resource; empty when the question is about a resource.
    pub path: String,
    /// The API group.
    pub group: String,
    /// The plural name of the resource.
    pub resource: String,
    /// The subresource, or "".
    pub subresource: String,
    /// The namespace, or "" for all.
    pub namespace: String,
    /// The name, or "" for all.
    pub name: String,
    /// What is to be done.
    pub verb: String,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether it may be done.
    pub allowed: bool,
    /// Why, if the authorizer says so.
    pub reason: String,
}

/// How far a question has come; each stage is a type of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Authorizer,
    Path,
    Group,
    Resource,
    Decision,
}

impl Stage {
    pub(super) fn type_name(self) -> &'static str {
        match self {
            Self::Authorizer => "kubernetes.authorization.Authorizer",
            Self::Path => "kubernetes.authorization.PathCheck",
            Self::Group => "kubernetes.authorization.GroupCheck",
            Self::Resource => "kubernetes.authorization.ResourceCheck",
            Self::Decision => "kubernetes.authorization.Decision",
        }
    }

    /// The stage after calling a function with this many texts; `None` where there is no such function.
    pub(super) fn after(self, function: Function, texts: usize) -> Option<Self> {
        Some(match (self, function, texts) {
            (Self::Authorizer, Function::ServiceAccount, 2) => Self::Authorizer,
            (Self::Authorizer, Function::Path, 1) => Self::Path,
            (Self::Authorizer, Function::Group, 1) => Self::Group,
            (Self::Group, Function::Resource, 1)
            | (
                Self::Resource,
                Function::Subresource
                | Function::Namespace
                | Function::Name
                | Function::FieldSelector
                | Function::LabelSelector,
                1,
            ) => Self::Resource,
            (Self::Path | Self::Resource, Function::Check, 1) => Self::Decision,
            _ => return None,
        })
    }
}

/// A question under way, or its answer.
#[derive(Clone)]
pub(super) struct Access<'v> {
    authorizer: &'v dyn Authorizer,
    stage: Stage,
    question: Rc<Question>,
    answer: Option<Rc<Answer>>,
}

impl fmt::Debug for Access<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("stage", &self.stage).field("answer", &self.answer).finish()
    }
}

impl<'v> Access<'v> {
    /// The variable `authorizer`.
    pub(super) fn new(authorizer: &'v dyn Authorizer) -> Self {
        Self { authorizer, stage: Stage::Authorizer, question: Rc::default(), answer: None }
    }

    pub(super) fn stage(&self) -> Stage {
        self.stage
    }

    /// `authorizer.requestResource`.
    pub(super) fn member(&self, field: &str) -> Option<Self> {
        (self.stage == Stage::Authorizer && field == REQUEST_RESOURCE).then(|| Self {
            stage: Stage::Resource,
            question: Rc::new(self.authorizer.request_resource()),
            ..self.clone()
        })
    }

    /// Calls a function on the question.
    pub(super) fn call(
        &self,
        function: Function,
        arguments: &[Val<'v>],
        meter: &mut Meter,
    ) -> Evaluated<'v> {
        if let Some(answer) = &self.answer {
            return match function {
                Function::Allowed => Ok(Val::Bool(answer.allowed)),
                Function::Reason => Ok(Val::text(answer.reason.clone())),
                // Asking cannot go wrong here.
                Function::Errored => Ok(Val::Bool(false)),
                Function::ErrorText => Ok(Val::text("")),
                _ => Err(EvalError::NoSuchOverload),
            };
        }
        let texts: Option<Vec<&str>> = arguments.iter().map(Val::as_text).collect();
        let texts = texts.ok_or(EvalError::NoSuchOverload)?;
        let stage = self.stage.after(function, texts.len()).ok_or(EvalError::NoSuchOverload)?;
        let mut question = (*self.question).clone();
        set(&mut question, function, &texts)?;
        let mut next = Self { stage, question: Rc::new(question), ..self.clone() };
        if stage == Stage::Decision {
            meter.charge(CHECK_COST)?;
            next.answer = Some(Rc::new(self.authorizer.check(&next.question)));
        }
        Ok(Val::Access(next))
    }
}

/// The object under admission, as a member of the variable.
pub(super) const REQUEST_RESOURCE: &str = "requestResource";

fn set(question: &mut Question, function: Function, texts: &[&str]) -> Result<(), EvalError> {
    let slot = match function {
        Function::Path => &mut question.path,
        Function::Group => &mut question.group,
        Function::Resource => &mut question.resource,
        Function::Subresource => &mut question.subresource,
        Function::Namespace => &mut question.namespace,
        Function::Name => &mut question.name,
        Function::Check => &mut question.verb,
        Function::ServiceAccount => {
            if let [namespace, name] = texts {
                question.service_account = Some(((*namespace).to_owned(), (*name).to_owned()));
            }
            return Ok(());
        }
        // Permissions by role do not look at selectors.
        _ => return Ok(()),
    };
    texts.first().copied().unwrap_or_default().clone_into(slot);
    if function == Function::Path && question.path.is_empty() {
        return Err(EvalError::failed("path must not be empty"));
    }
    Ok(())
}
