//! A reply as a tree: what the reply parser builds, and what rare commands answer with.
//!
//! Commands in inner loops never build one; they write to a [`Reply`](crate::Reply) directly.

/// Any reply of either protocol version.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A missing value.
    Null,
    /// A missing array, which RESP2 tells from a missing string.
    NullArray,
    /// `+`: a status such as `OK`.
    Status(Vec<u8>),
    /// `-` or `!`: an error with its code, without the leading `-`.
    Error(Vec<u8>),
    /// `:`
    Integer(i64),
    /// `,`
    Double(f64),
    /// `#`
    Boolean(bool),
    /// `(`: decimal digits, with a `-` before them if negative.
    BigNumber(Vec<u8>),
    /// `$`
    Bytes(Vec<u8>),
    /// `=`: a text and its three-letter format, `txt` or `mkd`.
    Verbatim([u8; 3], Vec<u8>),
    /// `*`
    Array(Vec<Value>),
    /// `%`: pairs in their order.
    Map(Vec<(Value, Value)>),
    /// `~`
    Set(Vec<Value>),
    /// `>`: sent without being asked for.
    Push(Vec<Value>),
    /// `|`: a value with pairs about it.
    Attributed(Vec<(Value, Value)>, Box<Value>),
}

impl Value {
    /// Bytes from anything that has some.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Bytes(bytes.into())
    }

    /// The status `OK`.
    pub fn ok() -> Self {
        Self::Status(b"OK".to_vec())
    }
}
