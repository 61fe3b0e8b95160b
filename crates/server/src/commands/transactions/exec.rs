//! `EXEC`
//!
//! Runs the queued commands as one indivisible batch, unless a watched key has changed.
//!
//! Source: <https://redis.io/docs/latest/commands/exec/>

use dwell_engine::{BatchOptions, Scope, Stop};
use dwell_wire::Reply;

use crate::call::{Pause, SessionCall, TransactionCall};
use crate::command::Handler;
use crate::commands::argument::fail;
use crate::execute::{append_error, data_call};
use crate::house::House;
use crate::session::Session;
use crate::transaction::{Queued, Transaction, Watched};

const ABORTED: &str = "EXECABORT Transaction discarded because of previous errors.";

pub(crate) fn run(call: &mut TransactionCall<'_, '_>) -> Result<(), Pause> {
    let Some(transaction) = call.session.transaction.take() else {
        return Err(fail("EXEC without MULTI").into());
    };
    if transaction.is_broken {
        call.session.watched.clear();
        call.reply.error(ABORTED);
        return Ok(());
    }
    let watched = std::mem::take(&mut call.session.watched);
    let (database, protocol) = (call.session.database, call.session.protocol);
    let result = if transaction.awaits_host() {
        leave_to_host(call, &watched)
    } else {
        run_as_batch(call, &transaction, &watched).map_err(Pause::Engine)
    };
    if let Err(Pause::Host | Pause::Engine(Stop::Gather(_) | Stop::Delay { .. })) = result {
        // It will run again from the beginning, so the connection must be what it was then.
        call.session.database = database;
        call.session.protocol = protocol;
        call.reply.set_protocol(protocol);
        call.session.transaction = Some(transaction);
        call.session.watched = watched;
    }
    result
}

/// Lets the host do its commands first, unless they would already be done in vain.
fn leave_to_host(call: &mut TransactionCall<'_, '_>, watched: &Watched) -> Result<(), Pause> {
    if call.batch(|scope| has_changed(scope, watched))? {
        call.reply.null_array();
        return Ok(());
    }
    Err(Pause::Host)
}

fn run_as_batch(
    call: &mut TransactionCall<'_, '_>,
    transaction: &Transaction,
    watched: &Watched,
) -> Result<(), Stop> {
    let TransactionCall { session, reply, turn, gathered, house, counters, .. } = call;
    let namespace = house.databases[session.database];
    // Where the replies that are errors begin; if a watched key has changed, nothing was run.
    let errors = turn.get().batch(namespace, &BatchOptions::default(), gathered, |scope| {
        if has_changed(scope, watched)? {
            reply.null_array();
            return Ok(None);
        }
        if session.leaves_accesses {
            scope.leave_accesses();
        }
        let mut errors = Vec::new();
        reply.array(transaction.queued.len());
        for queued in &transaction.queued {
            scope.select(house.databases[session.database]);
            let start = reply.mark().bytes;
            run_queued(queued, scope, session, reply, house)?;
            if reply.bytes().get(start) == Some(&b'-') {
                errors.push((queued.command.index, start + 1));
            }
        }
        Ok(Some(errors))
    })?;
    if let Some(errors) = errors {
        for queued in &transaction.queued {
            counters.count_within(queued.command.index);
        }
        for (command, start) in errors {
            counters.fail(command, &reply.bytes()[start..]);
        }
    }
    Ok(())
}

fn has_changed(scope: &mut Scope<'_>, watched: &Watched) -> Result<bool, Stop> {
    for ((namespace, key), seen) in watched {
        scope.select(*namespace);
        if scope.watch(key)? != *seen {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Runs one command of the batch. Its error is its own reply and undoes nothing of the others.
fn run_queued(
    queued: &Queued,
    scope: &mut Scope<'_>,
    session: &mut Session,
    reply: &mut Reply,
    house: &House,
) -> Result<(), Stop> {
    let args = queued.arguments.view();
    let mark = reply.mark();
    let result = match &queued.command.handler {
        Handler::Data(run) => {
            scope.attempt(|scope| data_call(*run, args, scope, reply, house, None))
        }
        Handler::Session(run) => {
            run(&mut SessionCall { args, session, reply, house }).map_err(Stop::Fail)
        }
        // Only UNWATCH is queued, and EXEC has forgotten the watched keys already.
        Handler::Transaction(_) => {
            reply.ok();
            Ok(())
        }
        Handler::Host | Handler::Refused(_) | Handler::Attack => {
            queued.answer.iter().for_each(|answer| reply.value(answer));
            Ok(())
        }
    };
    match result {
        Err(Stop::Fail(error)) => {
            reply.truncate(mark);
            append_error(reply, &error);
            Ok(())
        }
        result => result,
    }
}
