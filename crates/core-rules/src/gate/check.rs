//! One reason why Freight may enter a Stage or may not.

use std::fmt;

use core_clock::Time;

/// Who wants to know whether Freight may enter a Stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// May a Promotion be created, by a person or on a person's behalf?
    Enter,
    /// Should one be created without anybody asking?
    Auto,
    /// May one that exists begin?
    Start,
}

/// What a check looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckName {
    /// Whether the Stage asks for Freight of this origin.
    Origin,
    /// Whether there is a way from the origin to the Stage.
    Sources,
    /// Whether the Stages before verified the Freight.
    Verified,
    /// Whether the Freight stayed long enough in them.
    Soak,
    /// Whether enough of them are content.
    Strategy,
    /// Whether somebody approved the Freight for the Stage, which stands in for all of that.
    Approval,
    /// Whether Promotions are allowed at this time.
    Window,
    /// Whether the person may promote to the Stage.
    Permission,
    /// Whether the Project lets the Stage promote by itself.
    Policy,
    /// Whether this is the piece that automatic promotion picks.
    Selection,
    /// Whether somebody pinned other Freight.
    Hold,
    /// Whether the Stage has the Freight, is about to get it, or failed to.
    Earlier,
    /// Whether others are ahead.
    Queue,
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing in the way.
    Passed,
    /// This alone is reason enough to say no.
    Refused,
    /// It makes no difference here.
    NotNeeded,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub name: CheckName,
    /// What was found.
    pub verdict: Verdict,
    /// The finding in words, for people.
    pub sentence: String,
    /// When the verdict will change by the passing of time alone.
    pub changes_at: Option<Time>,
}

impl Check {
    pub(super) fn new(name: CheckName, verdict: Verdict, sentence: impl Into<String>) -> Self {
        Self { name, verdict, sentence: sentence.into(), changes_at: None }
    }

    pub(super) fn at(self, changes_at: Option<Time>) -> Self {
        Self { changes_at, ..self }
    }

    /// Whether the check has a say in the answer to the question.
    pub fn counts_for(&self, question: Question) -> bool {
        self.name.questions().contains(&question)
    }
}

impl CheckName {
    /// The questions for which such a check counts.
    pub fn questions(self) -> &'static [Question] {
        use Question::{Auto, Enter, Start};
        match self {
            Self::Origin
            | Self::Sources
            | Self::Verified
            | Self::Soak
            | Self::Strategy
            | Self::Approval
            | Self::Window => &[Enter, Auto, Start],
            Self::Permission => &[Enter],
            Self::Policy | Self::Selection | Self::Hold | Self::Earlier => &[Auto],
            Self::Queue => &[Start],
        }
    }

    /// The name in interfaces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Origin => "origin",
            Self::Sources => "sources",
            Self::Verified => "verified",
            Self::Soak => "soak",
            Self::Strategy => "strategy",
            Self::Approval => "approval",
            Self::Window => "window",
            Self::Permission => "permission",
            Self::Policy => "policy",
            Self::Selection => "selection",
            Self::Hold => "hold",
            Self::Earlier => "earlier",
            Self::Queue => "queue",
        }
    }
}

impl Question {
    /// The name in interfaces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enter => "enter",
            Self::Auto => "auto",
            Self::Start => "start",
        }
    }
}

impl fmt::Display for CheckName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
