//! `LCS key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]`
//!
//! Finds the longest common subsequence of two strings, its length, or where it lies.
//!
//! Source: <https://redis.io/docs/latest/commands/lcs/>

use dwell_engine::{ErrorKind, OwnedValue, Sight, Stop};

use super::subsequence::{self, CELLS_MAX, Place, Subsequence};
use super::text;
use crate::call::Call;
use crate::commands::argument::{self, fail, is_word, syntax_error};
use crate::errand::{self, Errand, Next};

/// Cells of the table that are filled at once: some hundred microseconds.
const CELLS_AT_ONCE_MAX: usize = 4 * 1024 * 1024;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let options = Options::parse(call)?;
    errand::begin(Comparison { options, strings: None, found: None }, call)
}

/// The strings as they were at one moment, and what they have in common.
struct Comparison {
    options: Options,
    strings: Option<([OwnedValue; 2], Sight)>,
    found: Option<Found>,
}

enum Found {
    Length(usize),
    Text(Vec<u8>),
    Places(Vec<Place>, usize),
}

impl Errand for Comparison {
    fn step(&mut self, call: &mut Call<'_, '_>) -> Result<Next, Stop> {
        let sight = self.strings.as_ref().map(|(_, sight)| sight);
        let stands = sight.is_some_and(|sight| call.scope.recall(sight));
        if let Some(found) = self.found.take().filter(|_| stands) {
            answer(call, &found, &self.options);
            return Ok(Next::Done);
        }
        let cells = subsequence::cells([length(call, 1)?, length(call, 2)?]);
        let cells = cells.filter(|cells| *cells <= CELLS_MAX).ok_or_else(too_long)?;
        let is_long = cells > CELLS_AT_ONCE_MAX;
        if is_long && call.is_in_multi {
            return Err(fail("LCS of strings this long takes too long inside MULTI"));
        }
        self.strings = Some(([read(call, 1)?, read(call, 2)?], call.scope.sight()));
        if is_long {
            return Ok(Next::Work);
        }
        self.work();
        if let Some(found) = self.found.take() {
            answer(call, &found, &self.options);
        }
        Ok(Next::Done)
    }

    fn work(&mut self) {
        let Some((strings, _)) = &self.strings else { return };
        let [a, b] = [&strings[0], &strings[1]].map(|string| string.view().to_vec());
        self.found = Some(if self.options.wants_places {
            let subsequence = Subsequence::of(&a, &b);
            Found::Places(subsequence.places(), subsequence.length)
        } else if self.options.wants_length {
            Found::Length(subsequence::length(&a, &b))
        } else {
            Found::Text(Subsequence::of(&a, &b).text())
        });
    }
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

/// The string at the key that stands at `position`, which shares what is long with the engine.
fn read(call: &mut Call<'_, '_>, position: usize) -> Result<OwnedValue, Stop> {
    let value = call.scope.read(&call.args[position])?;
    Ok(value.map_or(OwnedValue::Void, |value| value.to_owned()))
}

/// How long the string is; a long one is not read for it.
fn length(call: &mut Call<'_, '_>, position: usize) -> Result<u64, Stop> {
    match text::length(call.scope, &call.args[position]) {
        Ok(length) => Ok(length.unwrap_or(0)),
        Err(Stop::Fail(error)) if error.kind == ErrorKind::WrongType => {
            Err(fail("The specified keys must contain string values"))
        }
        Err(stop) => Err(stop),
    }
}

fn too_long() -> Stop {
    let why = "transient memory for LCS exceeds proto-max-bulk-len";
    fail(format!("Insufficient memory, {why}"))
}

fn answer(call: &mut Call<'_, '_>, found: &Found, options: &Options) {
    match found {
        Found::Length(length) => call.reply.integer(*length as i64),
        Found::Text(text) => call.reply.bulk(text),
        Found::Places(places, length) => answer_places(call, places, *length, options),
    }
}

fn answer_places(call: &mut Call<'_, '_>, places: &[Place], length: usize, options: &Options) {
    let is_told = |place: &&Place| place.length as i64 >= options.place_length_min;
    let reply = &mut *call.reply;
    reply.map(2);
    reply.bulk(b"matches");
    reply.array(places.iter().filter(is_told).count());
    for place in places.iter().filter(is_told) {
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
    reply.integer(length as i64);
}
