//! The engine's errors: a few kinds, each telling the caller what to do (`spec/errors.toml`),
//! one sentence, and a hint. It knows no wire format and no Python class; `wire` is the word
//! that Redis clients branch on.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// What the caller has to do about an error; a mirror of `spec/errors.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Mend the call.
    Invalid,
    /// Use another key or command.
    WrongType,
    /// Run the transaction again.
    Conflict,
    /// Someone else holds a lock on the key.
    Locked,
    /// Try later.
    Busy,
    /// Writes are refused until an operator acts.
    ReadOnly,
    /// Memory or disk is full.
    Full,
    /// Wait for the tier.
    Unavailable,
    /// Restore; never try again.
    Corrupt,
    /// Open again.
    Closed,
    /// Report a bug.
    Internal,
}

impl ErrorKind {
    /// The kind's name in `spec/errors.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::WrongType => "wrong_type",
            Self::Conflict => "conflict",
            Self::Locked => "locked",
            Self::Busy => "busy",
            Self::ReadOnly => "read_only",
            Self::Full => "full",
            Self::Unavailable => "unavailable",
            Self::Corrupt => "corrupt",
            Self::Closed => "closed",
            Self::Internal => "internal",
        }
    }

    /// The first word of the error reply that a Redis client sees.
    pub const fn wire(self) -> &'static str {
        match self {
            Self::Invalid | Self::Closed | Self::Conflict => "ERR",
            Self::WrongType => "WRONGTYPE",
            Self::Locked => "LOCKED",
            Self::Busy => "BUSY",
            Self::ReadOnly => "READONLY",
            Self::Full => "OOM",
            Self::Unavailable => "MISCONF",
            Self::Corrupt => "ERR corrupt:",
            Self::Internal => "ERR internal:",
        }
    }
}

/// One failure: its kind, one sentence, and what may help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What the caller has to do.
    pub kind: ErrorKind,
    /// One sentence, the offending value last after a colon.
    pub message: Cow<'static, str>,
    /// The next step, where there is one to name.
    pub hint: Option<Cow<'static, str>>,
}

impl Error {
    /// An error of `kind` that says `message`.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// What the file system said, as an error that names the file.
    pub(crate) fn of_file(action: &str, path: &Path, cause: &std::io::Error) -> Self {
        let message = format!("cannot {action} {}: {cause}", path.display());
        Self::new(ErrorKind::Unavailable, message)
    }

    /// The same error with a next step.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The call is wrong.
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// The key holds a value of another kind.
    pub fn wrong_type() -> Self {
        Self::new(ErrorKind::WrongType, "Operation against a key holding the wrong kind of value")
    }

    /// A condition of the batch does not hold.
    pub fn conflict(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// Memory is full.
    pub fn full() -> Self {
        Self::new(ErrorKind::Full, "command not allowed when used memory > 'maxmemory'.")
            .with_hint("raise maxmemory, choose an eviction policy, or delete keys")
    }

    /// The engine has been closed.
    pub fn closed() -> Self {
        Self::new(ErrorKind::Closed, "the database is closed").with_hint("open it again")
    }

    /// A mistake of ours.
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Internal, message).with_hint("please report this as a bug")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<dwell_sqlite::Error> for Error {
    fn from(cause: dwell_sqlite::Error) -> Self {
        use dwell_sqlite::Error as Cause;
        let kind = match cause {
            Cause::Full => ErrorKind::Full,
            Cause::Corrupt { .. } => ErrorKind::Corrupt,
            Cause::TooNew { .. } => ErrorKind::Invalid,
            _ => ErrorKind::Unavailable,
        };
        Self::new(kind, cause.to_string())
    }
}

impl From<crate::log::LogError> for Error {
    fn from(cause: crate::log::LogError) -> Self {
        use crate::log::LogError as Cause;
        let kind = match cause {
            Cause::Full { .. } => ErrorKind::Full,
            Cause::Damaged { .. } | Cause::Gone { .. } => ErrorKind::Corrupt,
            Cause::NewerFormat { .. } | Cause::Encrypted { .. } | Cause::TooLarge { .. } => {
                ErrorKind::Invalid
            }
            Cause::OutOfOrder { .. } | Cause::Malformed => ErrorKind::Internal,
            Cause::Closed => ErrorKind::Closed,
            _ => ErrorKind::Unavailable,
        };
        Self::new(kind, cause.to_string())
    }
}
