#![allow(clippy::unwrap_used, missing_docs)]
use dwell_wire::OwnedArguments;

use super::resolve;
use crate::command::{COMMANDS, Command, of_host};
use crate::session::Session;
use crate::settings::HostCommand;
use crate::transaction::Transaction;

fn refusal(words: &[&str], session: &Session) -> String {
    refusal_beside(words, session, &[])
}

fn refusal_beside(words: &[&str], session: &Session, own: &[&'static Command]) -> String {
    let args: OwnedArguments = words.iter().collect();
    let found = resolve(args.view(), None, session, own);
    found.err().map(|refusal| refusal.text.into_owned()).unwrap_or_default()
}

fn authenticated() -> Session {
    Session { is_authenticated: true, ..Session::default() }
}

#[test]
fn refusals_are_spelled_as_redis_spells_them() {
    let session = authenticated();
    for (words, text) in [
        (&["nosuch"][..], "ERR unknown command 'nosuch', with args beginning with: "),
        (&["foo", "a", "b"], "ERR unknown command 'foo', with args beginning with: 'a' 'b' "),
        (&["client", "nosuch"], "ERR unknown subcommand 'nosuch'. Try CLIENT HELP."),
        (&["echo"], "ERR wrong number of arguments for 'echo' command"),
        (&["client"], "ERR wrong number of arguments for 'client' command"),
        (&["client", "setname"], "ERR wrong number of arguments for 'client|setname' command"),
        (&["LPUSH", "a", "b"], "ERR unknown command 'LPUSH', list commands are not supported yet"),
        (
            &["client", "tracking", "on"],
            "ERR unknown subcommand 'tracking' of 'client', \
             tracking commands are not supported yet",
        ),
        (&["PiNg"], ""),
        (&["client|id", "x"], "ERR unknown command 'client|id', with args beginning with: 'x' "),
    ] {
        assert_eq!(refusal(words, &session), text);
    }
}

#[test]
fn a_guest_may_do_nothing_but_authenticate() {
    let guest = Session::default();
    assert_eq!(refusal(&["ping"], &guest), "NOAUTH Authentication required.");
    assert_eq!(refusal(&["auth", "x"], &guest), "");
    assert_eq!(refusal(&["hello", "3"], &guest), "");
}

#[test]
fn what_a_transaction_cannot_hold_is_refused_inside_it() {
    let transaction = Some(Box::new(Transaction::default()));
    let session = Session { transaction, ..authenticated() };
    let text = "ERR Command not allowed inside a transaction: ";
    assert_eq!(refusal(&["shutdown"], &session), format!("{text}shutdown"));
    assert_eq!(refusal(&["config", "set", "a", "b"], &session), format!("{text}config|set"));
    assert_eq!(refusal(&["config", "get", "a"], &session), "");
    assert_eq!(refusal(&["ping"], &session), "");
}

#[test]
fn an_unknown_name_is_repeated_only_in_part() {
    let long = "x".repeat(1000);
    let text = refusal(&[&long, &long, &long], &authenticated());
    assert!(text.len() < 400, "{text}");
}

fn own_commands() -> Vec<&'static Command> {
    let own =
        |name: &str, is_readonly| HostCommand { name: name.to_owned(), arity: 2, is_readonly };
    of_host(&[own("reads", true), own("writes", false)])
}

#[test]
fn a_users_own_command_has_a_place_behind_the_table() {
    let args: OwnedArguments = ["Writes", "a"].iter().collect();
    let found = resolve(args.view(), None, &authenticated(), &own_commands());
    assert_eq!(found.map(|command| command.index), Ok(COMMANDS.len() + 1));
}

#[test]
fn a_users_own_command_may_stand_in_a_transaction_if_it_only_reads() {
    let transaction = Some(Box::new(Transaction::default()));
    let session = Session { transaction, ..authenticated() };
    let own = own_commands();
    assert_eq!(refusal_beside(&["reads", "a"], &session, &own), "");
    assert_eq!(
        refusal_beside(&["writes", "a"], &session, &own),
        "ERR Command not allowed inside a transaction: writes"
    );
    assert_eq!(
        refusal_beside(&["reads"], &session, &own),
        "ERR wrong number of arguments for 'reads' command"
    );
}
