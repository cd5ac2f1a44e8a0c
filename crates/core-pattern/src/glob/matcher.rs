//! Matching a name against a valid glob by backtracking.
//!
//! Only the last `*` and the last `**/` are ever taken back, which is enough because both are
//! greedy from the left. Alternations are tried one by one, each put in place of its braces.

/// Steps one match may take.
const MAX_STEPS: usize = 1_000_000;

const SEPARATOR: char = '/';

pub(super) fn matches(pattern: &[char], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let mut search = Search { name: &name, steps_left: MAX_STEPS };
    search.run(pattern, Cursor::default()).unwrap_or(false)
}

/// The search is over without a match: the glob cannot be read after an alternative was put in
/// place, or the steps are used up.
struct Abandoned;

struct Search<'a> {
    name: &'a [char],
    steps_left: usize,
}

/// Where matching stands, and where it resumes when it fails.
#[derive(Clone, Copy, Default)]
struct Cursor {
    pattern: usize,
    name: usize,
    after_star: Option<Resume>,
    after_globstar: Option<Resume>,
}

#[derive(Clone, Copy)]
struct Resume {
    pattern: usize,
    name: usize,
}

enum Step {
    Advanced { at_segment_start: bool },
    Mismatch,
    MatchesAnything,
    Alternation,
}

impl Search<'_> {
    fn run(&mut self, pattern: &[char], mut cursor: Cursor) -> Result<bool, Abandoned> {
        // Also true right after an alternative was put in place, wherever that is: upstream reads
        // a `**` there as a whole component.
        let mut is_segment_start = true;
        while let Some(&character) = self.name.get(cursor.name) {
            self.spend(1)?;
            match step(pattern, &mut cursor, character, is_segment_start)? {
                Step::Advanced { at_segment_start } => is_segment_start = at_segment_start,
                Step::MatchesAnything => return Ok(true),
                Step::Alternation => return self.try_alternatives(pattern, cursor),
                Step::Mismatch => match self.backtrack(&mut cursor) {
                    Some(at_segment_start) => is_segment_start = at_segment_start,
                    None => return Ok(false),
                },
            }
        }
        self.matches_nothing(pattern.get(cursor.pattern..).unwrap_or_default())
    }

    /// Resumes behind the last `*`, one character further, or else behind the last `**/`, one
    /// component further. Returns whether that is the start of a component.
    fn backtrack(&self, cursor: &mut Cursor) -> Option<bool> {
        if let Some(star) = cursor.after_star.as_mut()
            && self.name.get(star.name) != Some(&SEPARATOR)
        {
            star.name += 1;
            (cursor.pattern, cursor.name) = (star.pattern, star.name);
            return Some(false);
        }
        let globstar = cursor.after_globstar.as_mut()?;
        let component = self.name.get(globstar.name..)?;
        globstar.name += component.iter().position(|&character| character == SEPARATOR)? + 1;
        (cursor.pattern, cursor.name) = (globstar.pattern, globstar.name);
        Some(true)
    }

    fn try_alternatives(&mut self, pattern: &[char], cursor: Cursor) -> Result<bool, Abandoned> {
        for replaced in with_each_alternative(pattern, cursor.pattern).ok_or(Abandoned)? {
            self.spend(replaced.len())?;
            if self.run(&replaced, cursor)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the rest of a pattern matches the end of the name. Only single wildcards do: `a/**`
    /// matches `a`, `a/**/**` does not.
    fn matches_nothing(&mut self, rest: &[char]) -> Result<bool, Abandoned> {
        self.spend(1)?;
        match rest {
            []
            | ['*']
            | ['*', '*']
            | [SEPARATOR, '*', '*']
            | ['*', '*', SEPARATOR]
            | [SEPARATOR, '*', '*', SEPARATOR] => Ok(true),
            ['{', ..] => {
                for replaced in with_each_alternative(rest, 0).ok_or(Abandoned)? {
                    self.spend(replaced.len())?;
                    if self.matches_nothing(&replaced)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn spend(&mut self, steps: usize) -> Result<(), Abandoned> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(Abandoned)?;
        Ok(())
    }
}

/// Matches one term of the pattern against `character`.
fn step(
    pattern: &[char],
    cursor: &mut Cursor,
    character: char,
    is_segment_start: bool,
) -> Result<Step, Abandoned> {
    let rest = pattern.get(cursor.pattern..).unwrap_or_default();
    let width = match rest {
        [] => return Ok(Step::Mismatch),
        ['*', ..] => return Ok(star(rest, cursor, is_segment_start)),
        ['{', ..] => return Ok(Step::Alternation),
        ['?', ..] => (character != SEPARATOR).then_some(1),
        ['[', class @ ..] => {
            let (is_member, length) = class_contains(class, character).ok_or(Abandoned)?;
            is_member.then_some(length + 1)
        }
        ['\\'] => return Err(Abandoned),
        ['\\', literal, ..] => (*literal == character).then_some(2),
        [literal, ..] => (*literal == character).then_some(1),
    };
    let Some(width) = width else { return Ok(Step::Mismatch) };
    let is_literal = !matches!(rest, ['?' | '[', ..]);
    cursor.pattern += width;
    cursor.name += 1;
    Ok(Step::Advanced { at_segment_start: is_literal && character == SEPARATOR })
}

/// `**` counts as such only when it is a whole component; elsewhere it is a `*`.
fn star(rest: &[char], cursor: &mut Cursor, is_segment_start: bool) -> Step {
    match rest {
        ['*', '*'] if is_segment_start => return Step::MatchesAnything,
        ['*', '*', SEPARATOR, ..] if is_segment_start => {
            cursor.pattern += 3;
            cursor.after_globstar = Some(Resume { pattern: cursor.pattern, name: cursor.name });
            cursor.after_star = None;
            return Step::Advanced { at_segment_start: true };
        }
        ['*', '*', ..] => cursor.pattern += 2,
        _ => cursor.pattern += 1,
    }
    cursor.after_star = Some(Resume { pattern: cursor.pattern, name: cursor.name });
    Step::Advanced { at_segment_start: false }
}

/// Whether a class (without its opening bracket) holds `character`, and the length of the class up
/// to and including its closing bracket; `None` when it is not closed.
fn class_contains(class: &[char], character: char) -> Option<(bool, usize)> {
    let (is_negated, mut rest) = match class {
        ['^' | '!', rest @ ..] => (true, rest),
        _ => (false, class),
    };
    let mut contains = false;
    while rest.first()? != &']' {
        let (low, after_low) = class_member(rest)?;
        rest = after_low;
        let high = match rest {
            ['-', next, ..] if *next != ']' => {
                let (high, after_high) = class_member(rest.get(1..)?)?;
                rest = after_high;
                high
            }
            _ => low,
        };
        // The first character counts even when the range it begins is empty.
        contains |= character == low || (low..=high).contains(&character);
    }
    Some((contains != is_negated, class.len() - rest.len() + 1))
}

/// One possibly escaped member of a class, and what follows it.
fn class_member(rest: &[char]) -> Option<(char, &[char])> {
    match rest {
        ['\\', member, after @ ..] | [member, after @ ..] => Some((*member, after)),
        [] => None,
    }
}

/// The pattern once per alternative, each in place of the braces that open at `open`; `None` when
/// they are not closed.
fn with_each_alternative(pattern: &[char], open: usize) -> Option<Vec<Vec<char>>> {
    let inside = pattern.get(open + 1..)?;
    let mut alternatives = Vec::new();
    let (mut start, mut depth, mut index) = (0, 0_usize, 0);
    loop {
        match (inside.get(index)?, depth) {
            ('\\', _) => index += 1,
            ('{', _) => depth += 1,
            ('}', 1..) => depth -= 1,
            (',', 0) => {
                alternatives.push(inside.get(start..index)?);
                start = index + 1;
            }
            ('}', 0) => break,
            _ => {}
        }
        index += 1;
    }
    alternatives.push(inside.get(start..index)?);
    let (before, after) = (pattern.get(..open)?, inside.get(index + 1..)?);
    Some(alternatives.into_iter().map(|middle| [before, middle, after].concat()).collect())
}
