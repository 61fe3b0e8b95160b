//! From the words of a request to its command, or to the refusal that Redis 7.0.15 would give.

use std::borrow::Cow;
use std::fmt::Write as _;

use dwell_wire::Arguments;

use crate::command::{Command, Flags, Handler, find, find_subcommand};
use crate::session::Session;

#[cfg(test)]
mod tests;

/// Bytes of a name or of arguments that an error repeats.
const SHOWN_BYTES_MAX: usize = 128;

/// Why a request is not executed.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The whole error line.
    pub text: Cow<'static, str>,
    /// The place of the command in the table, if it is one.
    pub command: Option<usize>,
}

/// The command of a request, if this connection may have it executed or queued now.
///
/// `likely` is the command that the connection sent last: in a pipeline it often is this one too.
///
/// # Errors
/// The refusal, in the order in which Redis looks for reasons.
pub fn resolve(
    args: Arguments<'_>,
    likely: Option<&'static Command>,
    session: &Session,
    own_commands: &[&'static Command],
) -> Result<&'static Command, Refusal> {
    let command = match likely {
        Some(likely) if likely.is_called(&args[0]) => likely,
        _ => known(args, own_commands)?,
    };
    let refuse = |text| Err(Refusal { text, command: Some(command.index) });
    let refused_family = match command.handler {
        Handler::Refused(family) => Some(family),
        _ => None,
    };
    if refused_family.is_none() && !command.accepts(args.len()) {
        let name = command.name;
        return refuse(format!("ERR wrong number of arguments for '{name}' command").into());
    }
    if !session.is_authenticated && !command.flags.contains(Flags::NO_AUTH) {
        return refuse("NOAUTH Authentication required.".into());
    }
    if let Some(family) = refused_family {
        return Err(refused(args, command, family));
    }
    if session.transaction.is_some() && command.flags.contains(Flags::NO_MULTI) {
        let name = command.name;
        return refuse(format!("ERR Command not allowed inside a transaction: {name}").into());
    }
    Ok(command)
}

fn known(
    args: Arguments<'_>,
    own_commands: &[&'static Command],
) -> Result<&'static Command, Refusal> {
    let name = &args[0];
    // A subcommand's whole name in the place of a command's is no command.
    match find(name).filter(|_| !name.contains(&b'|')) {
        Some(container) if container.is_container && args.len() > 1 => {
            find_subcommand(name, &args[1]).ok_or_else(|| unknown_subcommand(args))
        }
        Some(command) => Ok(command),
        None => {
            let own = own_commands.iter().copied().find(|own| own.is_called(name));
            own.ok_or_else(|| unknown(args))
        }
    }
}

fn unknown(args: Arguments<'_>) -> Refusal {
    let mut text = format!("ERR unknown command '{}', with args beginning with: ", shown(&args[0]));
    let mut left = SHOWN_BYTES_MAX;
    for argument in args.from(1).iter() {
        let argument = &argument[..argument.len().min(left)];
        write!(text, "'{}' ", String::from_utf8_lossy(argument)).expect("a string takes it");
        left = left.saturating_sub(argument.len() + 3);
        if left == 0 {
            break;
        }
    }
    Refusal { text: text.into(), command: None }
}

fn unknown_subcommand(args: Arguments<'_>) -> Refusal {
    let (container, subcommand) = (shown(&args[0]).to_uppercase(), shown(&args[1]));
    let text = format!("ERR unknown subcommand '{subcommand}'. Try {container} HELP.");
    Refusal { text: text.into(), command: None }
}

fn refused(args: Arguments<'_>, command: &Command, family: &str) -> Refusal {
    let name = shown(&args[0]);
    let text = match args.get(1) {
        Some(subcommand) if command.name.contains('|') => format!(
            "ERR unknown subcommand '{}' of '{}', {family} commands are not supported yet",
            shown(subcommand),
            name.to_lowercase()
        ),
        _ => format!("ERR unknown command '{name}', {family} commands are not supported yet"),
    };
    Refusal { text: text.into(), command: Some(command.index) }
}

/// The beginning of a word that the client sent. Line ends in it become blanks when it is written.
fn shown(word: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&word[..word.len().min(SHOWN_BYTES_MAX)])
}
