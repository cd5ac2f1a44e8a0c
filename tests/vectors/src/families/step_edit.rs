//! Steps that edit files: where ours keeps more of a file, or refuses what the reference breaks.
//!
//! An exception of these families looks at what ours made of the case: the document must say what was asked for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core_edit::{KeyPath, toml, yaml};
use serde_json::Value;

use super::step_run::{Ran, ran};
use crate::{Case, Exception};

/// The texts that a case and ours have for the file that the step writes.
struct Texts {
    before: String,
    wanted: String,
    ours: String,
    is_told_equally: bool,
}

impl Texts {
    /// `None` unless both succeed.
    fn of(case: &Case<'_>) -> Option<Self> {
        let Ran { attempt, files, .. } = ran(case);
        let want = case.member("want").filter(|_| attempt.class.is_none())?;
        let (path, wanted) = written_file(want)?;
        let before = case.member("files").and_then(|files| files.get(&path)?.as_str());
        let before = before.unwrap_or_default().to_owned();
        let ours = files.get(&path).cloned().unwrap_or_else(|| before.clone());
        let told = attempt.output.map(Value::Object).unwrap_or_default();
        let is_told_equally = told == want.get("output").cloned().unwrap_or_default();
        Some(Self { before, wanted, ours, is_told_equally })
    }

    /// Whether both say the same, in a form that is not.
    fn are_the_same_yaml(&self) -> bool {
        let wanted = yaml::parse(&self.wanted);
        wanted.is_ok() && wanted == yaml::parse(&self.ours)
    }
}

/// The only file that a case wants written, and its text. One that is not UTF-8 is in Base64.
fn written_file(want: &Value) -> Option<(String, String)> {
    let (path, text) = want.get("files")?.as_object()?.iter().next()?;
    let text = text.as_str()?;
    match path.strip_suffix("_base64") {
        None => Some((path.clone(), text.to_owned())),
        Some(path) => {
            let bytes = STANDARD.decode(text).ok()?;
            Some((path.to_owned(), String::from_utf8_lossy(&bytes).into_owned()))
        }
    }
}

fn updates<'a>(case: &Case<'a>) -> Vec<(&'a str, &'a Value)> {
    let updates = case.member("config").and_then(|config| config.get("updates"));
    let updates = updates.and_then(Value::as_array).into_iter().flatten();
    updates
        .filter_map(|update| Some((update.get("key")?.as_str()?, update.get("value")?)))
        .collect()
}

/// Whether the document of ours is the old one with just the values of the updates in it.
fn is_as_asked(case: &Case<'_>, texts: &Texts) -> bool {
    let (Ok(mut document), Ok(ours)) = (yaml::parse(&texts.before), yaml::parse(&texts.ours))
    else {
        return false;
    };
    for (key, value) in updates(case) {
        let Ok(path) = KeyPath::parse(key) else { return false };
        let mut place = Some(&mut document);
        for part in path.parts() {
            place = place.and_then(|place| match place {
                Value::Array(items) => {
                    part.parse().ok().and_then(|index: usize| items.get_mut(index))
                }
                other => other.get_mut(part),
            });
        }
        match place {
            Some(place) => *place = value.clone(),
            None => return false,
        }
    }
    // The value of an anchor is also that of its aliases.
    let says_it = document == ours || texts.before.contains('*');
    says_it && changed_lines(&texts.before, &texts.ours) <= updates(case).len()
}

/// How many lines differ; lines of scalars that are gone do not count.
fn changed_lines(before: &str, after: &str) -> usize {
    let gone = before.lines().count().saturating_sub(after.lines().count());
    let kept: Vec<&str> = after.lines().collect();
    let missing = before.lines().filter(|line| !kept.contains(line)).count();
    missing.saturating_sub(gone)
}

fn has_plain_number(case: &Case<'_>) -> bool {
    let is_long = |number: f64| number.abs() >= 1e6 || (number != 0.0 && number.abs() < 1e-4);
    updates(case).iter().any(|(_, value)| value.as_f64().is_some_and(is_long))
}

pub(super) const SCALAR_LAYOUT_KEPT: Exception = Exception {
    name: "scalar-layout-kept",
    reason: "quotes, comments and spacing around a replaced scalar stay",
    applies: |case| {
        Texts::of(case).is_some_and(|texts| {
            texts.is_told_equally && texts.are_the_same_yaml() && is_as_asked(case, &texts)
        })
    },
};

pub(super) const SAYS_WHAT_WAS_ASKED: Exception = Exception {
    name: "says-what-was-asked",
    reason: "a value that needs quotes gets them, and what shares its lines is not cut off",
    applies: |case| {
        Texts::of(case).is_some_and(|texts| {
            texts.is_told_equally && !texts.are_the_same_yaml() && is_as_asked(case, &texts)
        })
    },
};

pub(super) const PLAIN_NUMBERS: Exception = Exception {
    name: "plain-numbers",
    reason: "numbers are written without exponents, in files and in messages",
    applies: |case| {
        let is_as_asked = Texts::of(case)
            .is_some_and(|texts| texts.ours == texts.wanted || is_as_asked(case, &texts));
        has_plain_number(case) && is_as_asked
    },
};

pub(super) const SCALARS_ONLY: Exception = Exception {
    name: "scalars-only",
    reason: "lists and maps are refused instead of written in the syntax of Go",
    applies: |case| {
        let is_refused = ran(case).attempt.class.is_some();
        is_refused && updates(case).iter().any(|(_, value)| value.is_array() || value.is_object())
    },
};

pub(super) const JSON_LAYOUT_KEPT: Exception = Exception {
    name: "json-layout-kept",
    reason: "white space in a list that grows, and at the end of the file, stays",
    applies: |case| {
        Texts::of(case).is_some_and(|texts| {
            let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
            let wanted = parse(&texts.wanted);
            texts.is_told_equally && wanted.is_some() && wanted == parse(&texts.ours)
        })
    },
};

pub(super) const BROKEN_JSON_REFUSED: Exception = Exception {
    name: "broken-json-refused",
    reason: "a file that is not JSON is refused instead of overwritten",
    applies: |case| {
        let files = case.member("files").and_then(Value::as_object);
        let is_json = |text: &Value| {
            text.as_str().is_some_and(|text| serde_json::from_str::<Value>(text).is_ok())
        };
        ran(case).attempt.class.is_some()
            && !files.into_iter().flatten().all(|(_, text)| is_json(text))
    },
};

pub(super) const TOML_TYPES_KEPT: Exception = Exception {
    name: "toml-types-kept",
    reason: "whole numbers are integers, and texts keep their kind of quotes",
    applies: |case| {
        Texts::of(case).is_some_and(|texts| {
            let wanted = toml::parse(&texts.wanted).map(with_floats);
            wanted.is_ok() && wanted == toml::parse(&texts.ours).map(with_floats)
        })
    },
};

/// Integers as floats, to compare what the numbers are.
fn with_floats(data: toml::Data) -> toml::Data {
    match data {
        #[expect(clippy::cast_precision_loss, reason = "the numbers of the cases are small")]
        toml::Data::Integer(number) => toml::Data::Float(number as f64),
        toml::Data::List(items) => toml::Data::List(items.into_iter().map(with_floats).collect()),
        toml::Data::Table(members) => toml::Data::Table(
            members.into_iter().map(|(name, data)| (name, with_floats(data))).collect(),
        ),
        other => other,
    }
}

pub(super) const TABLES_IN_TABLES: Exception = Exception {
    name: "tables-in-tables",
    reason: "nested arrays of tables are addressed by the index in each",
    applies: |case| {
        let is_indexed =
            |key: &str| key.split('.').filter(|part| part.parse::<usize>().is_ok()).count() > 1;
        let Ran { attempt, files, .. } = ran(case);
        let is_set = files.values().any(|text| toml::parse(text).is_ok());
        attempt.class.is_none() && is_set && updates(case).iter().any(|(key, _)| is_indexed(key))
    },
};

pub(super) const MERGED_AS_WRITTEN: Exception = Exception {
    name: "merged-as-written",
    reason: "comments, folded lines, characters and merge keys stay as they were written",
    applies: |case| {
        Texts::of(case).is_some_and(|texts| texts.is_told_equally && texts.are_the_same_yaml())
    },
};

pub(super) const LISTS_REPLACED: Exception = Exception {
    name: "lists-replaced",
    reason: "lists replace each other in every document, as documented, also in Kubernetes objects",
    applies: |case| {
        Texts::of(case).is_some_and(|texts| {
            let is_object =
                |value: &Value| value.get("apiVersion").is_some() && value.get("kind").is_some();
            texts.is_told_equally && yaml::parse(&texts.ours).is_ok_and(|value| is_object(&value))
        })
    },
};

/// The images in the message of a commit.
fn told_images(output: Option<&Value>) -> Vec<String> {
    let message = output.and_then(|output| output.get("commitMessage")).and_then(Value::as_str);
    message
        .unwrap_or_default()
        .lines()
        .filter(|line| line.starts_with("- "))
        .map(str::to_owned)
        .collect()
}

/// Whether the message of ours names images that the reference names too, and no others.
fn tells_some(case: &Case<'_>) -> bool {
    let wanted = told_images(case.member("want").and_then(|want| want.get("output")));
    let ours = told_images(ran(case).attempt.output.map(Value::Object).as_ref());
    !ours.is_empty() && ours.iter().all(|image| wanted.contains(image))
}

pub(super) const ONLY_SET_IMAGES: Exception = Exception {
    name: "only-set-images",
    reason: "only images that are set change and are told, and comments stay with their image",
    applies: |case| {
        Texts::of(case).is_some_and(|texts| texts.are_the_same_yaml()) && tells_some(case)
    },
};

pub(super) const NOTHING_TO_SET: Exception = Exception {
    name: "nothing-to-set",
    reason: "without an image to set the file stays as it is and no commit is described",
    applies: |case| {
        let images = case.member("config").and_then(|config| config.get("images"));
        let has_none = images.and_then(Value::as_array).is_none_or(Vec::is_empty);
        let Ran { attempt, files, .. } = ran(case);
        has_none && attempt.class.is_none() && attempt.output.is_none() && files.is_empty()
    },
};
