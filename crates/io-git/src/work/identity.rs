//! Who makes commits, and when.

use core_rules::credential::Secret;
use jiff::Timestamp;

/// Who makes commits and tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// An armoured GPG private key; without it nothing is signed.
    pub signing_key: Option<Secret>,
}

impl Identity {
    /// `Name <email> seconds zone`, as objects hold it.
    pub(crate) fn line(&self, date: Timestamp) -> String {
        format!("{} <{}> {} +0000", plain(&self.name), plain(&self.email), date.as_second())
    }

    /// The environment by which git makes commits in this name at this time.
    pub(crate) fn environment(&self, date: Timestamp) -> [(&'static str, String); 6] {
        let time = format!("{} +0000", date.as_second());
        [
            ("GIT_AUTHOR_NAME", plain(&self.name)),
            ("GIT_AUTHOR_EMAIL", plain(&self.email)),
            ("GIT_AUTHOR_DATE", time.clone()),
            ("GIT_COMMITTER_NAME", plain(&self.name)),
            ("GIT_COMMITTER_EMAIL", plain(&self.email)),
            ("GIT_COMMITTER_DATE", time),
        ]
    }
}

/// Without what would end the field it stands in.
fn plain(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !c.is_control() && !"<>".contains(*c)).collect();
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_forge_another_line() {
        let identity = Identity {
            name: "Eve\ncommitter Bob <b@c>".to_owned(),
            email: "<e@x>".to_owned(),
            signing_key: None,
        };
        let date = Timestamp::from_second(1_700_000_000).unwrap();
        assert_eq!(identity.line(date), "Evecommitter Bob b@c <e@x> 1700000000 +0000");
    }
}
