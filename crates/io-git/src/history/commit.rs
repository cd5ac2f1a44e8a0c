//! A commit and a tag, as plain data. Whatever a repository holds is read: old tools wrote odd things.

use std::fmt;

use gix_hash::ObjectId;
use jiff::Timestamp;

/// Who made something, as the repository says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The e-mail address, without its brackets.
    pub email: String,
}

/// A time with the offset of the place where it was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Date {
    /// When.
    pub at: Timestamp,
    /// Seconds east of UTC.
    pub offset_seconds: i32,
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <{}>", self.name, self.email)
    }
}

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// The tree it describes.
    pub tree: ObjectId,
    /// The commits it follows, the main line first; empty where a shallow history ends.
    pub parents: Vec<ObjectId>,
    /// Who wrote the change.
    pub author: Person,
    /// When.
    pub authored_at: Date,
    /// Who committed it.
    pub committer: Person,
    /// When.
    pub committed_at: Date,
    /// The first paragraph of the message, in one line.
    pub subject: String,
    /// The whole message.
    pub message: String,
    /// Whether it carries a signature. The signature itself is not checked here.
    pub signed: bool,
}

/// A tag that leads to a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its name without `refs/tags/`.
    pub name: String,
    /// The commit it leads to, through other tags where there are some.
    pub commit: Commit,
    /// When it was made: the tagger's date, or the committer's of a lightweight tag.
    pub created_at: Date,
    /// Who made it; nobody for a lightweight tag.
    pub tagger: Option<Person>,
    /// The first paragraph of its message, in one line; empty for a lightweight tag.
    pub annotation: String,
}

/// The part of a tag object that does not depend on what it points to.
pub(super) struct Annotation {
    pub(super) target: ObjectId,
    pub(super) tagger: Option<Person>,
    pub(super) created_at: Option<Date>,
    pub(super) subject: String,
}

impl Commit {
    pub(crate) fn decode(id: ObjectId, data: &[u8]) -> Option<Self> {
        let raw = Raw::parse(data);
        let encoding = raw.first("encoding").map(<[u8]>::to_ascii_lowercase);
        let decode = |bytes: &[u8]| decoded(bytes, encoding.as_deref());
        let (author, authored_at) = person(&decode(raw.first("author").unwrap_or_default()));
        let (committer, committed_at) = person(&decode(raw.first("committer").unwrap_or_default()));
        let message = decode(raw.message);
        Some(Self {
            id,
            tree: raw.id("tree")?,
            parents: raw.all("parent").filter_map(|id| ObjectId::from_hex(id).ok()).collect(),
            author,
            authored_at: authored_at.unwrap_or_default(),
            committer,
            committed_at: committed_at.unwrap_or_default(),
            subject: subject(&message),
            signed: raw.headers.iter().any(|(name, _)| name.starts_with(b"gpgsig")),
            message,
        })
    }
}

impl Annotation {
    pub(super) fn decode(data: &[u8]) -> Option<Self> {
        let raw = Raw::parse(data);
        let tagger = raw.first("tagger").map(|line| person(&decoded(line, None)));
        Some(Self {
            target: raw.id("object")?,
            created_at: tagger.as_ref().and_then(|(_, date)| *date),
            tagger: tagger.map(|(person, _)| person),
            subject: subject(&decoded(raw.message, None)),
        })
    }
}

/// A commit or tag taken apart: lines of a name and a value, an empty line, the message. Nothing is checked, because `git`
/// itself shows objects whose people and dates are malformed.
struct Raw<'a> {
    headers: Vec<(&'a [u8], &'a [u8])>,
    message: &'a [u8],
}

impl<'a> Raw<'a> {
    fn parse(data: &'a [u8]) -> Self {
        let mut headers = Vec::new();
        let mut rest = data;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            if line.is_empty() {
                return Self { headers, message: rest };
            }
            // A line that begins with a space goes on from the one before; no such value is of use here.
            if let Some(space) = line.iter().position(|byte| *byte == b' ').filter(|at| *at > 0) {
                let (name, value) = line.split_at(space);
                headers.push((name, value.get(1..).unwrap_or_default()));
            }
        }
        Self { headers, message: b"" }
    }

    fn all(&self, name: &'static str) -> impl Iterator<Item = &'a [u8]> {
        let named = self.headers.iter().filter(move |(each, _)| *each == name.as_bytes());
        named.map(|(_, value)| *value)
    }

    fn first(&self, name: &'static str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    fn id(&self, name: &'static str) -> Option<ObjectId> {
        ObjectId::from_hex(self.first(name)?).ok()
    }
}

/// Text in the encoding a commit names; what is not text in it is replaced.
fn decoded(bytes: &[u8], encoding: Option<&[u8]>) -> String {
    match encoding {
        Some(b"iso-8859-1" | b"latin1" | b"latin-1" | b"iso8859-1") => {
            bytes.iter().map(|byte| char::from(*byte)).collect()
        }
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// `Name <email> seconds zone`, however much of it is there.
fn person(line: &str) -> (Person, Option<Date>) {
    let (name, rest) = line.split_once('<').unwrap_or((line, ""));
    let (email, date) = match rest.rsplit_once('>') {
        Some((email, date)) => (email.split('>').next().unwrap_or_default(), date),
        None => (rest, ""),
    };
    let person = Person { name: name.trim().to_owned(), email: email.trim().to_owned() };
    let mut words = date.split_whitespace();
    let seconds = words.next().and_then(|seconds| seconds.parse().ok());
    let at = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    let offset_seconds = words.next().and_then(offset).unwrap_or_default();
    (person, at.map(|at| Date { at, offset_seconds }))
}

/// `+0130` in seconds; `None` for what no clock on earth shows.
fn offset(zone: &str) -> Option<i32> {
    let value: i32 = zone.parse().ok()?;
    let (hours, minutes) = (value / 100, value % 100);
    let is_known = hours.abs() <= 14 && minutes.abs() < 60;
    is_known.then_some(hours * 3600 + minutes * 60)
}

/// The first paragraph in one line, as `git log` shows it.
fn subject(message: &str) -> String {
    let lines = message.lines().map(str::trim_end).skip_while(|line| line.is_empty());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn commit(text: &str) -> Commit {
        let id = ObjectId::empty_tree(gix_hash::Kind::Sha1);
        Commit::decode(id, text.as_bytes()).unwrap()
    }

    const TREE: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";

    #[test]
    fn a_commit_gives_people_dates_and_subject() {
        let read = commit(&format!(
            "{TREE}author A B <a@b.c> 1700000000 +0200\ncommitter C <c@d> 1700000060 -0500\n\
             gpgsig -----BEGIN PGP SIGNATURE-----\n -----END PGP SIGNATURE-----\n\n\n first\nline \n\nbody\n"
        ));
        assert_eq!(read.author.to_string(), "A B <a@b.c>");
        assert_eq!(read.committed_at.at.as_second() - read.authored_at.at.as_second(), 60);
        assert_eq!(
            (read.authored_at.offset_seconds, read.committed_at.offset_seconds),
            (7200, -18000)
        );
        assert_eq!((read.subject.as_str(), read.signed), (" first line", true));
        assert!(read.parents.is_empty());
    }

    #[test]
    fn offsets_are_hours_and_minutes() {
        for (zone, seconds) in [
            ("+0130", Some(5400)),
            ("-0330", Some(-12600)),
            ("+0000", Some(0)),
            ("+9900", None),
            ("+0099", None),
            ("UTC", None),
        ] {
            assert_eq!(offset(zone), seconds, "{zone}");
        }
    }

    #[test]
    fn odd_people_and_encodings_are_read() {
        let read = commit(&format!("{TREE}author x <y> nonsense\ncommitter <> 5 +0000\n\nm"));
        assert_eq!(
            (read.author.to_string(), read.authored_at),
            ("x <y>".to_owned(), Date::default())
        );
        assert_eq!(read.committer, Person::default());
        assert_eq!(decoded(b"caf\xe9", Some(b"iso-8859-1")), "café");
        assert_eq!(
            person("just a name"),
            (Person { name: "just a name".into(), ..Person::default() }, None)
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_without_panic(data in proptest::collection::vec(any::<u8>(), 0..500)) {
            let id = ObjectId::empty_tree(gix_hash::Kind::Sha1);
            let _ = Commit::decode(id, &data);
            let _ = Annotation::decode(&data);
        }
    }
}
