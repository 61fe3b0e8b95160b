//! Feeds a parser bytes that arrive in pieces. Shared by the golden bytes and the unit tests, so
//! it knows neither parser.

/// What was read: the frames, the error that ended it, and how many bytes they took.
pub type Read<T, E> = (Vec<T>, Option<E>, usize);

/// Reads all frames of `bytes`, which arrive in pieces that end at the offsets `cuts`. `parse`
/// gives a frame with its length, or nothing while it needs more.
pub fn read<T, E>(
    bytes: &[u8],
    cuts: &[usize],
    mut parse: impl FnMut(&[u8]) -> Result<Option<(T, usize)>, E>,
) -> Read<T, E> {
    let (mut found, mut start) = (Vec::new(), 0);
    for &end in cuts.iter().chain([&bytes.len()]) {
        loop {
            match parse(&bytes[start..end]) {
                Ok(Some((frame, consumed))) => {
                    start += consumed;
                    found.push(frame);
                }
                Ok(None) => break,
                Err(error) => return (found, Some(error), start),
            }
        }
    }
    (found, None, start)
}
