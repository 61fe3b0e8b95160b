//! `LCS key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]`
//!
//! Finds the longest common subsequence of two strings, its length, or where it lies.
//!
//! Source: <https://redis.io/docs/latest/commands/lcs/>

use dwell_engine::{ErrorKind, Stop};

use super::subsequence::{self, Subsequence};
use super::text;
use crate::call::Call;
use crate::commands::argument::{self, fail, is_word, syntax_error};

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let a = read(call, 1)?;
    let b = read(call, 2)?;
    let options = Options::parse(call)?;
    if !subsequence::is_bounded(a.len(), b.len()) {
        let why = "transient memory for LCS exceeds proto-max-bulk-len";
        return Err(fail(format!("Insufficient memory, {why}")));
    }
    if options.wants_places {
        answer_places(call, &Subsequence::of(&a, &b), &options);
    } else if options.wants_length {
        call.reply.integer(subsequence::length(&a, &b) as i64);
    } else {
        call.reply.bulk(&Subsequence::of(&a, &b).text());
    }
    Ok(())
}

#[derive(Default)]
struct Options {
    wants_length: bool,
    wants_places: bool,
    wants_lengths_of_places: bool,
    place_length_min: i64,
}

impl Options {
    fn parse(call: &Call<'_, '_>) -> Result<Self, Stop> {
        let mut options = Self::default();
        let mut words = call.args.from(3).iter();
        while let Some(word) = words.next() {
            if is_word(word, "IDX") {
                options.wants_places = true;
            } else if is_word(word, "LEN") {
                options.wants_length = true;
            } else if is_word(word, "WITHMATCHLEN") {
                options.wants_lengths_of_places = true;
            } else if is_word(word, "MINMATCHLEN") {
                let length = words.next().ok_or_else(syntax_error)?;
                options.place_length_min = argument::integer(length)?;
            } else {
                return Err(syntax_error());
            }
        }
        if options.wants_places && options.wants_length {
            let why = "If you want both the length and indexes, please just use IDX.";
            return Err(fail(why));
        }
        Ok(options)
    }
}

fn read(call: &mut Call<'_, '_>, position: usize) -> Result<Vec<u8>, Stop> {
    match text::read(call.scope, &call.args[position]) {
        Ok(text) => Ok(text.unwrap_or_default()),
        Err(Stop::Fail(error)) if error.kind == ErrorKind::WrongType => {
            Err(fail("The specified keys must contain string values"))
        }
        Err(stop) => Err(stop),
    }
}

fn answer_places(call: &mut Call<'_, '_>, subsequence: &Subsequence<'_>, options: &Options) {
    let mut places = subsequence.places();
    places.retain(|place| place.length as i64 >= options.place_length_min);
    let reply = &mut *call.reply;
    reply.map(2);
    reply.bulk(b"matches");
    reply.array(places.len());
    for place in places {
        reply.array(2 + usize::from(options.wants_lengths_of_places));
        for start in [place.in_a, place.in_b] {
            reply.array(2);
            reply.integer(start as i64);
            reply.integer((start + place.length - 1) as i64);
        }
        if options.wants_lengths_of_places {
            reply.integer(place.length as i64);
        }
    }
    reply.bulk(b"len");
    reply.integer(subsequence.length as i64);
}
