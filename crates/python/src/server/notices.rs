//! What the event loop finds worth a line, kept until the host asks for it.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use dwell_server::Notice;
use dwell_server::stream::Peer;

/// A flood of them must not take the memory; what is beyond is counted.
const NOTICES_MAX: usize = 1000;

/// Sentences that wait for the host.
#[derive(Default)]
pub struct Kept(Mutex<(VecDeque<String>, u64)>);

impl Kept {
    /// Adds one; called by the event loop, which it never holds up.
    pub fn push(&self, notice: &Notice) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0.len() < NOTICES_MAX {
            kept.0.push_back(sentence(notice));
        } else {
            kept.1 += 1;
        }
    }

    /// Takes them all.
    pub fn take(&self) -> Vec<String> {
        let (kept, dropped) =
            std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let rest = (dropped > 0).then(|| format!("{dropped} further notices were dropped"));
        kept.into_iter().chain(rest).collect()
    }
}

fn sentence(notice: &Notice) -> String {
    match notice {
        Notice::Attack { peer } => format!(
            "a browser seems to have been lured into speaking to this server, which closed the \
             connection and executed nothing: {}",
            shown(peer)
        ),
        Notice::ProtocolError { peer, reason } => {
            format!("a client broke the protocol ({reason}) and was closed: {}", shown(peer))
        }
        Notice::Protected { peer } => {
            format!("refused a client from elsewhere, since no password is set: {}", shown(peer))
        }
        Notice::ClientsMax { peer } => {
            format!("refused a client, since clients_max is reached: {}", shown(peer))
        }
        Notice::OutputMax { peer, waiting_bytes } => format!(
            "closed a client that left {waiting_bytes} bytes of replies unread: {}",
            shown(peer)
        ),
        Notice::QueryMax { peer } => {
            format!("closed a client whose request grew beyond query_bytes_max: {}", shown(peer))
        }
        Notice::Idle { peer } => {
            format!("closed a client that was silent for too long: {}", shown(peer))
        }
        Notice::AcceptFailed { reason } => format!("could not accept a connection: {reason}"),
        other => format!("{other:?}"),
    }
}

fn shown(peer: &Peer) -> String {
    match peer {
        Peer::Tcp(address) => address.to_string(),
        Peer::Unix => "the Unix socket".to_owned(),
    }
}
