//! Whether every block of a template ends, and every end ends a block. The language lets both pass,
//! and would leave the rest of the text out.

const BEGINNINGS: [&str; 5] = ["if", "range", "with", "define", "block"];

/// What is wrong with the blocks of a template.
pub(crate) fn check(text: &str) -> Result<(), &'static str> {
    let mut open = 0_usize;
    let mut rest = text;
    while let Some((_, action)) = rest.split_once("{{") {
        let content = action.strip_prefix("- ").unwrap_or(action).trim_start();
        let word = content.split(|letter: char| !letter.is_ascii_alphabetic()).next();
        match word.unwrap_or_default() {
            "end" => open = open.checked_sub(1).ok_or("unexpected {{end}}")?,
            word if BEGINNINGS.contains(&word) => open += 1,
            _ => {}
        }
        rest = after_action(content);
    }
    if open == 0 { Ok(()) } else { Err("unexpected EOF: a block has no {{end}}") }
}

/// The text after an action. Texts and comments inside may hold what looks like its end.
fn after_action(action: &str) -> &str {
    if let Some(comment) = action.strip_prefix("/*") {
        let rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        return rest.split_once("}}").map_or("", |(_, rest)| rest);
    }
    let mut quote = None;
    let mut is_escaped = false;
    for (index, letter) in action.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some('"' | '\'') if letter == '\\' => is_escaped = true,
            Some(end) if letter == end => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'' | '`') => quote = Some(letter),
            None => {
                let rest = action.get(index..).unwrap_or_default();
                if let Some(rest) = rest.strip_prefix("}}") {
                    return rest;
                }
            }
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn blocks_are_balanced() {
        for text in [
            "a",
            "{{ if .x }}{{ else if .y }}{{ end }}",
            "{{- range .x -}}{{ with . }}{{end}}{{- end -}}",
            "{{ endless }}{{ iff }}{{ .end }}{{ \"{{ if }}\" }}{{ `}} {{ end` }}{{ '\"' }}",
            "{{ \"\\\"}}{{ if\" }}{{/* {{ end }} }} */}}",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        for text in ["{{ end }}", "{{ if .x }}", "{{ if .x }}{{ end }}{{ end }}", "{{range .x}}a"] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
