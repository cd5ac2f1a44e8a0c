//! The formats of texts that rules know by name.

use emb_meta::{
    NameRule, dns_1035_label_problems, dns_1035_prefix_problems, label_value_problems,
    qualified_name_problems,
};

use super::Url;
use crate::format::FormatName;

/// A format of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) enum NamedFormat {
    Dns1123Label,
    Dns1123Subdomain,
    Dns1035Label,
    QualifiedName,
    Dns1123LabelPrefix,
    Dns1123SubdomainPrefix,
    Dns1035LabelPrefix,
    LabelValue,
    Uri,
    Uuid,
    Byte,
    Date,
    DateTime,
}

/// The function that gives each; its name is what follows the dot.
const FUNCTIONS: [(&str, NamedFormat); 13] = [
    ("format.dns1123Label", NamedFormat::Dns1123Label),
    ("format.dns1123Subdomain", NamedFormat::Dns1123Subdomain),
    ("format.dns1035Label", NamedFormat::Dns1035Label),
    ("format.qualifiedName", NamedFormat::QualifiedName),
    ("format.dns1123LabelPrefix", NamedFormat::Dns1123LabelPrefix),
    ("format.dns1123SubdomainPrefix", NamedFormat::Dns1123SubdomainPrefix),
    ("format.dns1035LabelPrefix", NamedFormat::Dns1035LabelPrefix),
    ("format.labelValue", NamedFormat::LabelValue),
    ("format.uri", NamedFormat::Uri),
    ("format.uuid", NamedFormat::Uuid),
    ("format.byte", NamedFormat::Byte),
    ("format.date", NamedFormat::Date),
    ("format.datetime", NamedFormat::DateTime),
];

impl NamedFormat {
    /// The format that a function gives.
    pub(in crate::cel) fn of_function(function: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|(known, _)| *known == function).map(|(_, format)| *format)
    }

    /// The function that gives it.
    pub(in crate::cel) fn function(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, format)| *format == self).map_or("", |(function, _)| function)
    }

    /// The format of this name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::of_function(&format!("format.{name}"))
    }

    /// All that keeps a text from having the format, in the words of the API.
    pub(super) fn problems(self, text: &str) -> Vec<String> {
        let unless = |format: FormatName, problem: &str| {
            if format.admits(text) { Vec::new() } else { vec![problem.to_owned()] }
        };
        match self {
            Self::Dns1123Label => NameRule::DnsLabel.problems(text),
            Self::Dns1123Subdomain => NameRule::DnsSubdomain.problems(text),
            Self::Dns1035Label => dns_1035_label_problems(text),
            Self::QualifiedName => qualified_name_problems(text),
            Self::Dns1123LabelPrefix => NameRule::DnsLabel.prefix_problems(text),
            Self::Dns1123SubdomainPrefix => NameRule::DnsSubdomain.prefix_problems(text),
            Self::Dns1035LabelPrefix => dns_1035_prefix_problems(text),
            Self::LabelValue => label_value_problems(text),
            Self::Uri => uri_problem(text).into_iter().collect(),
            Self::Uuid => unless(FormatName::Uuid(None), "does not match the UUID format"),
            Self::Byte => unless(FormatName::Base64, "invalid base64"),
            Self::Date => unless(FormatName::Date, "invalid date"),
            Self::DateTime => unless(FormatName::DateTime, "invalid datetime"),
        }
    }
}

fn uri_problem(text: &str) -> Option<String> {
    let problem = if text.is_empty() { "empty url" } else { "invalid URI for request" };
    Url::parse(text).is_none().then(|| format!("parse {text:?}: {problem}"))
}
