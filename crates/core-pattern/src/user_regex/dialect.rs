//! Translation of a whole expression; classes and escapes have modules of their own.

use std::str::Chars;

use super::RegexError;
use super::class::translate_class;
use super::escape::{
    EscapedClass, push_literal, syntax_error, take_character_escape, take_class_escape,
};

/// The largest count in `{n,m}`.
const MAX_REPEAT: u32 = 1000;

/// What a repetition operator would apply to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    Missing,
    Present,
    AlreadyRepeated,
}

struct Translator<'a> {
    rest: Chars<'a>,
    output: String,
    operand: Operand,
    /// Flags such as `(?i)` that were read but not yet written: a repetition after them still
    /// applies to what stands before.
    flags: String,
}

/// Writes the expression so that the engine understands what upstream means by it.
pub(super) fn translate(source: &str) -> Result<String, RegexError> {
    let mut translator = Translator {
        rest: source.chars(),
        output: String::new(),
        operand: Operand::Missing,
        flags: String::new(),
    };
    while let Some(character) = translator.rest.next() {
        translator.term(character)?;
    }
    Ok(translator.output)
}

impl Translator<'_> {
    fn term(&mut self, character: char) -> Result<(), RegexError> {
        match character {
            '(' => return self.open_group(),
            '*' | '+' | '?' => return self.repeat(&character.to_string()),
            '{' => return self.counted_repeat(),
            _ => self.write_flags(),
        }
        match character {
            '\\' => return self.escape(),
            '[' => translate_class(&mut self.rest, &mut self.output)?,
            '.' | '^' | '$' | ')' => self.output.push(character),
            '|' => {
                self.output.push('|');
                self.operand = Operand::Missing;
                return Ok(());
            }
            literal => push_literal(literal, &mut self.output),
        }
        self.operand = Operand::Present;
        Ok(())
    }

    fn escape(&mut self) -> Result<(), RegexError> {
        match self.rest.clone().next() {
            Some('Q') => {
                self.rest.next();
                self.quoted();
                return Ok(());
            }
            Some(anchor @ ('A' | 'z')) => {
                self.rest.next();
                self.output.extend(['\\', anchor]);
            }
            Some(boundary @ ('b' | 'B')) => {
                self.rest.next();
                self.output.extend(["(?-u:\\", if boundary == 'b' { "b" } else { "B" }, ")"]);
            }
            _ => match take_class_escape(&mut self.rest)? {
                // Folding must not add the few letters beyond ASCII that fold into it.
                Some(EscapedClass::Ascii(class)) => self.output.extend(["(?-i:[", class, "])"]),
                Some(EscapedClass::Unicode(class)) => self.output.push_str(&class),
                None => push_literal(take_character_escape(&mut self.rest)?, &mut self.output),
            },
        }
        self.operand = Operand::Present;
        Ok(())
    }

    /// `\Q…\E`: everything up to `\E` or the end is literal.
    fn quoted(&mut self) {
        let text = self.rest.as_str();
        let (quoted, after) = text.split_once("\\E").unwrap_or((text, ""));
        for literal in quoted.chars() {
            push_literal(literal, &mut self.output);
            self.operand = Operand::Present;
        }
        self.rest = after.chars();
    }

    fn write_flags(&mut self) {
        self.output.push_str(&self.flags);
        self.flags.clear();
    }

    fn begin_group(&mut self, opening: &str) {
        self.write_flags();
        self.output.push_str(opening);
        self.operand = Operand::Missing;
    }

    fn open_group(&mut self) -> Result<(), RegexError> {
        let text = self.rest.as_str();
        let Some(extension) = text.strip_prefix('?') else {
            self.begin_group("(");
            return Ok(());
        };
        let named = extension.strip_prefix("P<").or_else(|| extension.strip_prefix('<'));
        if let Some(named) = named {
            let (name, after) = named.split_once('>').unwrap_or((named, ""));
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(is_word) || name.len() == named.len() {
                return Err(syntax_error("invalid named capture", text));
            }
            // Only whether there is a match is ever asked, so the name is of no use.
            self.begin_group("(");
            self.rest = after.chars();
            return Ok(());
        }
        let end = extension.find([':', ')']);
        let flags = end.and_then(|end| extension.split_at_checked(end));
        match flags {
            Some((flags, after)) if is_flags(flags, after) => {
                if let Some(after) = after.strip_prefix(')') {
                    self.flags.extend(["(?", flags, ")"]);
                    self.rest = after.chars();
                } else {
                    self.begin_group(&format!("(?{flags}:"));
                    self.rest = after.strip_prefix(':').unwrap_or(after).chars();
                }
                Ok(())
            }
            _ => Err(syntax_error("invalid or unsupported Perl syntax", text)),
        }
    }

    fn repeat(&mut self, operator: &str) -> Result<(), RegexError> {
        match self.operand {
            Operand::Missing => {
                return Err(syntax_error("missing argument to repetition operator", operator));
            }
            Operand::AlreadyRepeated => {
                return Err(syntax_error("invalid nested repetition operator", operator));
            }
            Operand::Present => {}
        }
        self.output.push_str(operator);
        if let Some(after) = self.rest.as_str().strip_prefix('?') {
            self.output.push('?');
            self.rest = after.chars();
        }
        self.operand = Operand::AlreadyRepeated;
        Ok(())
    }

    /// `{n}`, `{n,}` and `{n,m}` repeat; any other brace is a literal.
    fn counted_repeat(&mut self) -> Result<(), RegexError> {
        let text = self.rest.as_str();
        let Some((counts, after)) = text.split_once('}') else {
            self.literal_brace();
            return Ok(());
        };
        let (low, high) = counts.split_once(',').unwrap_or((counts, counts));
        if !is_count(low) || !(high.is_empty() || is_count(high)) {
            self.literal_brace();
            return Ok(());
        }
        let within = |count: &str| count.parse().ok().filter(|count: &u32| *count <= MAX_REPEAT);
        let is_valid = match (within(low), high) {
            (Some(_), "") => true,
            (Some(low), high) => within(high).is_some_and(|high| low <= high),
            (None, _) => false,
        };
        if !is_valid {
            return Err(syntax_error("invalid repeat count", counts));
        }
        self.rest = after.chars();
        self.repeat(&format!("{{{counts}}}"))
    }

    fn literal_brace(&mut self) {
        self.write_flags();
        push_literal('{', &mut self.output);
        self.operand = Operand::Present;
    }
}

fn is_count(text: &str) -> bool {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (text.len() == 1 || !text.starts_with('0'))
}

/// Flags before `:` may be none; before `)` there must be some; a minus needs flags behind it.
fn is_flags(flags: &str, after: &str) -> bool {
    let (set, cleared) = flags.split_once('-').unwrap_or((flags, ""));
    let are_known = |flags: &str| flags.chars().all(|flag| matches!(flag, 'i' | 'm' | 's' | 'U'));
    let is_empty_minus = flags.contains('-') && cleared.is_empty();
    are_known(set)
        && are_known(cleared)
        && !is_empty_minus
        && (after.starts_with(':') || !flags.is_empty())
}
