//! `kargo completion`: what a shell needs to complete commands.
//!
//! Verbs and flags are in the script. Names of objects are asked of the server when they are needed, by
//! `kargo __complete`; where it has nothing to say, the script has the word.

use std::io::Write as _;

use clap_complete::Shell;

use crate::{exit::Failure, version};

const NAME: &str = "kargo";

/// Print what a shell needs to complete commands
#[derive(clap::Args, Debug)]
pub(crate) struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionArgs, command: clap::Command) -> Result<(), Failure> {
    std::io::stdout().write_all(&script(args.shell, command))?;
    Ok(())
}

fn script(shell: Shell, command: clap::Command) -> Vec<u8> {
    let mut script = Vec::new();
    // What is hidden is not offered either.
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut command = clap::Command::new(NAME).version(version::number()).subcommands(shown);
    clap_complete::generate(shell, &mut command, NAME, &mut script);
    let names = match shell {
        Shell::Bash => BASH,
        Shell::Zsh => ZSH,
        Shell::Fish => FISH,
        _ => "",
    };
    script.extend_from_slice(names.as_bytes());
    script
}

const BASH: &str = r#"
_kargo_names() {
    _kargo "$@"
    local names
    names=$("${COMP_WORDS[0]}" __complete "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
    if [[ -n "$names" ]]; then
        local typed="${COMP_WORDS[COMP_CWORD]}"
        [[ "$typed" == "=" ]] && typed=""
        COMPREPLY=($(compgen -W "$names" -- "$typed"))
    fi
    return 0
}
complete -F _kargo_names -o bashdefault -o default kargo
"#;

const ZSH: &str = r#"
_kargo_names() {
    local -a names
    names=("${(@f)$("${words[1]}" __complete $((CURRENT - 1)) "${words[@]}" 2>/dev/null)}")
    if [[ -n "${names[1]}" ]]; then
        compadd -- "${names[@]}"
    else
        _kargo "$@"
    fi
}
compdef _kargo_names kargo
"#;

const FISH: &str = r#"
function __kargo_names
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete (math (count $words) - 1) $words 2>/dev/null
end
complete -c kargo -a "(__kargo_names)"
complete -c kargo -s p -l project -r -f -a "(__kargo_names)"
for flag in alias downstream-from freight freight-alias name promotion stage warehouse
    complete -c kargo -l $flag -r -f -a "(__kargo_names)"
end
"#;

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn scripts_know_the_verbs_and_ask_for_names() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = String::from_utf8(script(shell, crate::Program::command())).unwrap();
            assert!(script.contains("promote"), "{shell}");
            assert!(script.contains("kargo_names"), "{shell}");
            assert_eq!(script.matches("__complete ").count(), 1, "{shell}: it is not for people");
        }
    }
}
