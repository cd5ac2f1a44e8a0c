//! The person before the terminal of this process.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _},
    process::{Command, Stdio},
};

use cli_verbs::ports::Terminal;

/// That of this process.
pub(super) struct ProcessTerminal;

impl Terminal for ProcessTerminal {
    fn is_watched(&self) -> bool {
        io::stderr().is_terminal()
    }

    fn is_read(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Asks on the terminal itself, so that input and output may be elsewhere.
    fn ask_secret(&self, question: &str) -> io::Result<String> {
        let nobody = |_| io::Error::other("there is no terminal to ask on; give it as an argument");
        let mut tty = OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(nobody)?;
        write!(tty, "{question}: ")?;
        let hidden = Hidden::begin(tty.try_clone()?)?;
        let mut line = String::new();
        BufReader::new(&tty).read_line(&mut line)?;
        drop(hidden);
        writeln!(tty)?;
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

/// While it lives, nobody sees what is typed.
struct Hidden {
    tty: File,
}

impl Hidden {
    fn begin(tty: File) -> io::Result<Self> {
        echo(&tty, "-echo")?;
        Ok(Self { tty })
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // A terminal that cannot be set back is gone.
        let _ = echo(&self.tty, "echo");
    }
}

/// Every system with terminals has `stty`.
fn echo(tty: &File, mode: &str) -> io::Result<()> {
    let mut command = Command::new("stty");
    command.arg(mode).stdin(tty.try_clone()?).stdout(Stdio::null()).stderr(Stdio::null());
    let failed = || io::Error::other("the terminal cannot hide what is typed");
    if command.status()?.success() { Ok(()) } else { Err(failed()) }
}
