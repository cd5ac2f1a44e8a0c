//! Commits made anew: with the same files and message, on other parents, by other hands.

use std::collections::BTreeMap;

use io_scm::{NewCommit, RemoteCommit};

/// The replay of some commits, oldest first.
pub(super) struct Replay {
    commits: Vec<Planned>,
    /// What each commit became.
    made: BTreeMap<String, String>,
    done: usize,
    tip: String,
}

struct Planned {
    original: RemoteCommit,
    message: String,
    /// Whether GitHub takes the token's identity, and signs.
    is_signed_by_github: bool,
}

impl Replay {
    /// Plans the replay of `commits`, which come after `merge_base`. `signer` is who signs the work tree's commits.
    pub(super) fn new(
        merge_base: String,
        commits: Vec<RemoteCommit>,
        signer: Option<(String, String)>,
        is_signed_by_github: impl Fn(&str) -> bool,
    ) -> Self {
        let plan = |original: RemoteCommit| {
            let is_signed_by_github = is_signed_by_github(&original.id);
            let message = message(&original, is_signed_by_github, signer.as_ref());
            Planned { original, message, is_signed_by_github }
        };
        let commits = commits.into_iter().map(plan).collect();
        Self { commits, made: BTreeMap::new(), done: 0, tip: merge_base }
    }

    /// The next commit to make; an error names one that GitHub does not describe well enough.
    pub(super) fn next(&self) -> Result<Option<NewCommit>, String> {
        let Some(planned) = self.commits.get(self.done) else { return Ok(None) };
        let original = &planned.original;
        let Some(tree) = original.tree.clone() else {
            return Err(format!("GitHub does not tell the files of commit {}", original.id));
        };
        let people = match (&original.author, &original.committer) {
            (Some(author), Some(committer)) if !planned.is_signed_by_github => {
                Some((author.clone(), committer.clone()))
            }
            _ => None,
        };
        let parents = original.parents.iter();
        let parents = parents.map(|parent| self.made.get(parent).unwrap_or(parent).clone());
        let message = planned.message.clone();
        Ok(Some(NewCommit { tree, message, parents: parents.collect(), people }))
    }

    /// Notes what the commit that [`Replay::next`] gave became.
    pub(super) fn made(&mut self, id: String) {
        if let Some(planned) = self.commits.get(self.done) {
            self.made.insert(planned.original.id.clone(), id.clone());
        }
        self.done += 1;
        self.tip = id;
    }

    /// The last commit made; where they begin before there is one.
    pub(super) fn tip(&self) -> &str {
        &self.tip
    }

    /// Whether `commits` are what this replay would give.
    pub(super) fn gives(&self, commits: &[RemoteCommit]) -> bool {
        self.commits.len() == commits.len()
            && self.commits.iter().zip(commits).all(|(planned, found)| {
                let has_files = planned.original.tree.is_some();
                has_files
                    && planned.original.tree == found.tree
                    && planned.message.trim_end() == found.message.trim_end()
            })
    }
}

/// Who wrote a commit that GitHub signs is told at the end of its message, unless the signer did.
fn message(
    original: &RemoteCommit,
    is_signed_by_github: bool,
    signer: Option<&(String, String)>,
) -> String {
    let author = original.author.as_ref().filter(|author| {
        is_signed_by_github && !author.name.is_empty() && !author.email.is_empty()
    });
    match author {
        Some(author)
            if signer
                .is_none_or(|(name, email)| *name != author.name || *email != author.email) =>
        {
            let (name, email) = (&author.name, &author.email);
            format!("{}\n\nCo-authored-by: {name} <{email}>", original.message)
        }
        _ => original.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use io_scm::RemotePerson;

    use super::*;

    fn person(name: &str) -> RemotePerson {
        RemotePerson {
            name: name.to_owned(),
            email: format!("{name}@example.com"),
            date: Some("2026-01-02T03:04:05Z".to_owned()),
        }
    }

    fn commit(id: &str, parents: &[&str]) -> RemoteCommit {
        RemoteCommit {
            id: id.to_owned(),
            tree: Some(format!("tree of {id}")),
            message: format!("message of {id}"),
            author: Some(person("ada")),
            committer: Some(person("kargo")),
            parents: parents.iter().map(|parent| (*parent).to_owned()).collect(),
        }
    }

    fn replayed(mut replay: Replay) -> Vec<NewCommit> {
        let mut list = Vec::new();
        while let Some(next) = replay.next().unwrap() {
            replay.made(format!("new {}", list.len()));
            list.push(next);
        }
        list
    }

    #[test]
    fn commits_come_one_after_the_other_and_merges_keep_their_parents() {
        let commits =
            vec![commit("a", &["base"]), commit("b", &["a"]), commit("m", &["b", "elsewhere"])];
        let list = replayed(Replay::new("base".to_owned(), commits, None, |_| false));
        let parents: Vec<Vec<String>> = list.into_iter().map(|commit| commit.parents).collect();
        assert_eq!(parents, [vec!["base"], vec!["new 0"], vec!["new 1", "elsewhere"]]);
    }

    #[test]
    fn commits_that_nobody_we_trust_signed_keep_their_people() {
        let list =
            replayed(Replay::new("base".to_owned(), vec![commit("a", &["base"])], None, |_| false));
        assert_eq!(list[0].people, Some((person("ada"), person("kargo"))));
        assert_eq!(list[0].message, "message of a");
        assert_eq!(list[0].tree, "tree of a");
    }

    #[test]
    fn commits_that_github_signs_name_their_author_unless_the_signer_is() {
        for (signer, expected) in [
            (None, "message of a\n\nCo-authored-by: ada <ada@example.com>"),
            (Some("kargo"), "message of a\n\nCo-authored-by: ada <ada@example.com>"),
            (Some("ada"), "message of a"),
        ] {
            let signer = signer.map(|name| (name.to_owned(), format!("{name}@example.com")));
            let commits = vec![commit("a", &["base"])];
            let list = replayed(Replay::new("base".to_owned(), commits, signer, |_| true));
            assert_eq!((list[0].people.clone(), list[0].message.as_str()), (None, expected));
        }
        let mut nameless = commit("a", &["base"]);
        nameless.author = Some(RemotePerson { name: String::new(), ..person("ada") });
        let list = replayed(Replay::new("base".to_owned(), vec![nameless], None, |_| true));
        assert_eq!(list[0].message, "message of a");
    }

    #[test]
    fn nothing_to_replay_ends_where_it_begins() {
        let replay = Replay::new("base".to_owned(), Vec::new(), None, |_| true);
        assert_eq!((replay.next().unwrap(), replay.tip()), (None, "base"));
    }

    #[test]
    fn a_commit_without_files_is_an_error() {
        let blind = RemoteCommit { tree: None, ..commit("a", &["base"]) };
        let replay = Replay::new("base".to_owned(), vec![blind.clone()], None, |_| true);
        assert!(replay.next().is_err());
        assert!(!replay.gives(&[blind]));
    }

    #[test]
    fn a_former_replay_is_known_by_files_and_message() {
        let replay = Replay::new("base".to_owned(), vec![commit("a", &["base"])], None, |_| true);
        let mut found = commit("other", &["base"]);
        found.tree = Some("tree of a".to_owned());
        assert!(!replay.gives(std::slice::from_ref(&found)));
        found.message = "message of a\n\nCo-authored-by: ada <ada@example.com>\n".to_owned();
        assert!(replay.gives(std::slice::from_ref(&found)));
        assert!(!replay.gives(&[]));
    }
}
