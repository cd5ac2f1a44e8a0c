//! What `git push --porcelain` says of each ref.

/// How the server took the one ref that was pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is there now, or was before.
    Taken,
    /// It is not.
    Refused {
        reason: String,
        /// Whether somebody else was faster, so that another attempt may help.
        retry: bool,
    },
}

/// Words of git and of servers for "somebody else was faster". Locks of refs are held for moments.
const RACES: [&str; 11] = [
    "non-fast-forward",
    "fetch first",
    "stale info",
    "cannot lock ref",
    "failed to lock",
    "unable to lock",
    "reference already exists",
    "incorrect old value provided",
    "failed to update ref",
    "remote ref updated since checkout",
    "remote failed to report status",
];

/// Reads the lines of `flag TAB from:to TAB summary (reason)`; `None` when there is none.
pub(crate) fn verdict(output: &str) -> Option<Verdict> {
    let lines = output.lines().filter_map(|line| {
        let mut fields = line.splitn(3, '\t');
        let (flag, _, summary) = (fields.next()?, fields.next()?, fields.next()?);
        Some((flag.to_owned(), summary.trim().to_owned()))
    });
    lines.fold(None, |verdict, (flag, summary)| match flag.as_str() {
        "!" => Some(refused(&summary)),
        _ => verdict.or(Some(Verdict::Taken)),
    })
}

fn refused(summary: &str) -> Verdict {
    let reason =
        summary.split_once('(').map_or(summary, |(_, reason)| reason.trim_end_matches(')'));
    let lower = reason.to_ascii_lowercase();
    let retry = RACES.iter().any(|race| lower.contains(race));
    Verdict::Refused { reason: crate::error::remote_words(reason), retry }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(flag: &str, summary: &str) -> String {
        format!("To http://h/r\n{flag}\tHEAD:refs/heads/main\t{summary}\nDone\n")
    }

    #[test]
    fn what_was_taken_is_told_from_what_was_not() {
        for (flag, summary) in [
            (" ", "1..2"),
            ("+", "1...2 (forced update)"),
            ("*", "[new branch]"),
            ("=", "[up to date]"),
        ] {
            assert_eq!(verdict(&line(flag, summary)), Some(Verdict::Taken));
        }
        assert_eq!(verdict("To http://h/r\nDone\n"), None);
        for (summary, expected) in [
            ("[rejected] (non-fast-forward)", true),
            ("[rejected] (fetch first)", true),
            ("[remote rejected] (cannot lock ref 'refs/heads/main': is at 1 but expected 2)", true),
            ("[remote rejected] (incorrect old value provided)", true),
            ("[remote rejected] (reference already exists)", true),
            ("[remote failure] (remote failed to report status)", true),
            ("[remote rejected] (pre-receive hook declined)", false),
            ("[remote rejected] (protected branch hook declined)", false),
            ("[remote rejected] (refusing to update checked out branch: refs/heads/main)", false),
            ("[rejected] (already exists)", false),
        ] {
            match verdict(&line("!", summary)) {
                Some(Verdict::Refused { retry, reason }) => {
                    assert_eq!(retry, expected, "{summary}");
                    assert!(summary.contains(&reason), "{reason}");
                }
                other => panic!("{summary}: {other:?}"),
            }
        }
    }

    proptest! {
        #[test]
        fn any_output_is_read_without_panic(output in "\\PC{0,200}") {
            let _ = verdict(&output);
        }
    }
}
