//! A strict parser of JSON texts. It needs no recursion, so a text of any depth takes memory in proportion to its length.
//!
//! The grammar is that of RFC 8259, and each string has characters: half of a surrogate pair is an error.

use crate::group::Slice;

/// The reason why records are not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A record is not one JSON text in UTF-8: the reason, and the number of its first wrong byte among all records, from 1 on.
    Syntax { reason: &'static str, column: usize },
    /// A value is nested deeper than allowed.
    Depth,
    /// The records are too long for offsets of 32 bits.
    Length,
}

/// Part of a text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

/// A value or a key. The elements of lists and objects follow them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Null,
    Bool(bool),
    Number(Span),
    /// A string without escapes: a part of the records.
    Text(Span),
    /// A string with escapes: a part of the texts whose escapes were replaced.
    Unescaped(Span),
    /// A list up to this index.
    List(u32),
    /// An object up to this index: keys and values take turns.
    Object(u32),
}

/// An element in 8 bytes, because a record may have an element for every two of its bytes: a kind in the lowest 3 bits, the
/// length of a part in the next 29 bits, and the start of a part, the end of a list or object, or a boolean in the other 32.
#[derive(Debug, Clone, Copy)]
struct Packed(u64);

impl Packed {
    const NULL: Self = Self(0);
    /// The length of a part that is longer: its place is an index of [`Tape::long`].
    const LONG: u32 = u32::MAX >> 3;

    fn new(kind: u64, length: u32, place: u32) -> Self {
        Self(kind | u64::from(length) << 3 | u64::from(place) << 32)
    }

    fn length(self) -> u32 {
        self.0 as u32 >> 3
    }

    fn place(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// The elements of records.
#[derive(Debug, Default)]
pub(super) struct Tape<'a> {
    text: &'a str,
    unescaped: String,
    /// The first element is null, and stands for values that do not exist.
    elements: Vec<Packed>,
    /// The parts whose length is not packed.
    long: Vec<Span>,
    /// The indices of the values of the records.
    rows: Vec<u32>,
}

impl<'a> Tape<'a> {
    /// Parses records, each of which is one JSON text. `depth` is the maximum number of lists and objects around a value.
    ///
    /// # Errors
    /// A record is not JSON, or too deep; the records are too long.
    pub(super) fn of(records: Slice<'a>, depth: usize) -> Result<Self, Fault> {
        let text = std::str::from_utf8(records.bytes())
            .map_err(|error| Fault::Syntax { reason: "invalid UTF-8", column: error.valid_up_to() + 1 })?;
        if u32::try_from(text.len()).is_err() {
            return Err(Fault::Length);
        }
        let tape = Self {
            text,
            unescaped: String::new(),
            elements: vec![Packed::NULL],
            long: Vec::new(),
            rows: Vec::with_capacity(records.len()),
        };
        let mut parser =
            TapeParser { tape, bytes: &[], at: 0, open: Vec::new(), depth, fault: Fault::Length };
        match parser.records(records) {
            Some(()) => Ok(parser.tape),
            None => Err(parser.fault),
        }
    }

    /// The indices of the values of the records.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub(super) fn get(&self, index: u32) -> Element {
        let packed = self.elements[index as usize];
        match packed.0 & 7 {
            0 => Element::Null,
            1 => Element::Bool(packed.place() != 0),
            2 => Element::Number(self.span(packed)),
            3 => Element::Text(self.span(packed)),
            4 => Element::Unescaped(self.span(packed)),
            5 => Element::List(packed.place()),
            _ => Element::Object(packed.place()),
        }
    }

    fn span(&self, packed: Packed) -> Span {
        let (start, length) = (packed.place(), packed.length());
        if length == Packed::LONG { self.long[start as usize] } else { Span { start, end: start + length } }
    }

    fn packed(&mut self, element: Element) -> Packed {
        let (kind, span) = match element {
            Element::Null => return Packed::NULL,
            Element::Bool(value) => return Packed::new(1, 0, value.into()),
            Element::List(end) => return Packed::new(5, 0, end),
            Element::Object(end) => return Packed::new(6, 0, end),
            Element::Number(span) => (2, span),
            Element::Text(span) => (3, span),
            Element::Unescaped(span) => (4, span),
        };
        let length = span.end - span.start;
        if length < Packed::LONG {
            return Packed::new(kind, length, span.start);
        }
        self.long.push(span);
        Packed::new(kind, Packed::LONG, self.long.len() as u32 - 1)
    }

    fn push(&mut self, element: Element) {
        let packed = self.packed(element);
        self.elements.push(packed);
    }

    /// The index after a value and all values in it.
    pub(super) fn after(&self, index: u32) -> u32 {
        match self.get(index) {
            Element::List(end) | Element::Object(end) => end,
            _ => index + 1,
        }
    }

    /// The indices of the items of a list, which ends at `end`.
    pub(super) fn items(&self, list: u32, end: u32) -> impl Iterator<Item = u32> {
        let mut next = list + 1;
        std::iter::from_fn(move || {
            let item = next;
            (item < end).then(|| {
                next = self.after(item);
                item
            })
        })
    }

    /// A part of the records.
    pub(super) fn text(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// A part of the texts whose escapes were replaced.
    pub(super) fn unescaped(&self, span: Span) -> &str {
        &self.unescaped[span.start as usize..span.end as usize]
    }

    /// The text of a string; `None` for other values.
    pub(super) fn string(&self, index: u32) -> Option<&str> {
        match self.get(index) {
            Element::Text(span) => Some(self.text(span)),
            Element::Unescaped(span) => Some(self.unescaped(span)),
            _ => None,
        }
    }

    /// The index of the value of a key of an object. Of equal keys, the last one counts.
    pub(super) fn value(&self, object: u32, name: &str) -> Option<u32> {
        let (mut key, end, mut found) = (object + 1, self.after(object), None);
        while key < end {
            if self.string(key) == Some(name) {
                found = Some(key + 1);
            }
            key = self.after(key + 1);
        }
        found
    }
}

struct TapeParser<'a> {
    tape: Tape<'a>,
    /// The records up to the end of the current one, without its line end.
    bytes: &'a [u8],
    at: usize,
    /// The indices of the lists and objects around the current value.
    open: Vec<u32>,
    depth: usize,
    /// The reason why a method returned `None`.
    fault: Fault,
}

const END_OF_VALUE: &str = "EOF while parsing a value";
const END_OF_LIST: &str = "EOF while parsing a list";
const END_OF_OBJECT: &str = "EOF while parsing an object";
const END_OF_STRING: &str = "EOF while parsing a string";
const CONTROL_CHARACTER: &str = "control character (\\u0000-\\u001F) found while parsing a string";
const LONE_SURROGATE: &str = "lone leading surrogate in hex escape";

impl<'a> TapeParser<'a> {
    fn records(&mut self, records: Slice<'a>) -> Option<()> {
        let mut end = 0;
        for record in records.iter() {
            let line = record.strip_suffix(b"\n").unwrap_or(record);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.bytes = &self.tape.text.as_bytes()[..end + line.len()];
            self.at = end;
            end += record.len();
            self.tape.rows.push(self.tape.elements.len() as u32);
            self.value()?;
            self.skip_whitespace();
            if self.at != self.bytes.len() {
                return self.fail("", "trailing characters");
            }
        }
        Some(())
    }

    /// Stores the fault of the current byte: `reason`, or `at_end` if there is no byte.
    #[cold]
    fn fail<T>(&mut self, at_end: &'static str, reason: &'static str) -> Option<T> {
        let is_end = self.at >= self.bytes.len();
        let reason = if is_end { at_end } else { reason };
        self.fault = Fault::Syntax { reason, column: self.bytes.len().min(self.at + 1) };
        None
    }

    /// Parses a value and all values in it.
    fn value(&mut self) -> Option<()> {
        loop {
            self.skip_whitespace();
            let Some(byte) = self.bytes.get(self.at).copied() else { return self.fail(END_OF_VALUE, "") };
            match byte {
                b'"' => self.string()?,
                b'{' | b'[' => {
                    if self.open.len() >= self.depth {
                        self.fault = Fault::Depth;
                        return None;
                    }
                    let (element, end) =
                        if byte == b'{' { (Element::Object(0), b'}') } else { (Element::List(0), b']') };
                    self.open.push(self.tape.elements.len() as u32);
                    self.tape.push(element);
                    self.at += 1;
                    self.skip_whitespace();
                    if self.bytes.get(self.at) == Some(&end) {
                        self.close();
                    } else {
                        if byte == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b'n' => self.literal(b"null", Element::Null)?,
                b't' => self.literal(b"true", Element::Bool(true))?,
                b'f' => self.literal(b"false", Element::Bool(false))?,
                b']' if matches!(self.innermost(), Some(Element::List(_))) => {
                    return self.fail("", "trailing comma");
                }
                _ => return self.fail("", "expected value"),
            }
            if !self.has_next()? {
                return Some(());
            }
        }
    }

    /// The innermost open list or object.
    fn innermost(&self) -> Option<Element> {
        self.open.last().map(|open| self.tape.get(*open))
    }

    /// Continues after a value, up to the next value. Returns false if no list and no object is open.
    fn has_next(&mut self) -> Option<bool> {
        while let Some(open) = self.innermost() {
            let is_object = matches!(open, Element::Object(_));
            self.skip_whitespace();
            match (self.bytes.get(self.at), is_object) {
                (Some(b','), _) => {
                    self.at += 1;
                    if is_object {
                        self.skip_whitespace();
                        self.key()?;
                    }
                    return Some(true);
                }
                (Some(b'}'), true) | (Some(b']'), false) => self.close(),
                (_, true) => return self.fail(END_OF_OBJECT, "expected `,` or `}`"),
                (_, false) => return self.fail(END_OF_LIST, "expected `,` or `]`"),
            }
        }
        Some(false)
    }

    /// Ends the innermost list or object, at its last byte.
    fn close(&mut self) {
        self.at += 1;
        let end = self.tape.elements.len() as u32;
        if let Some(open) = self.open.pop() {
            let is_object = matches!(self.tape.get(open), Element::Object(_));
            let element = if is_object { Element::Object(end) } else { Element::List(end) };
            self.tape.elements[open as usize] = self.tape.packed(element);
        }
    }

    /// Parses a key and the colon after it.
    fn key(&mut self) -> Option<()> {
        match self.bytes.get(self.at) {
            Some(b'"') => self.string()?,
            // An object without keys has ended before.
            Some(b'}') => return self.fail("", "trailing comma"),
            _ => return self.fail(END_OF_OBJECT, "key must be a string"),
        }
        self.skip_whitespace();
        if self.bytes.get(self.at) != Some(&b':') {
            return self.fail(END_OF_OBJECT, "expected `:`");
        }
        self.at += 1;
        Some(())
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn literal(&mut self, text: &[u8], element: Element) -> Option<()> {
        let found = &self.bytes[self.at..];
        if !found.starts_with(text) {
            self.at += found.iter().zip(text).take_while(|(found, expected)| found == expected).count();
            return self.fail(END_OF_VALUE, "expected ident");
        }
        self.at += text.len();
        self.tape.push(element);
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let start = self.at as u32;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
            if self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                return self.fail("", "invalid number");
            }
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.tape.push(Element::Number(Span { start, end: self.at as u32 }));
        Some(())
    }

    /// Parses one digit or more.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { self.fail(END_OF_VALUE, "invalid number") } else { Some(()) }
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        let start = self.at;
        self.at += plain_bytes(&self.bytes[start..]);
        if self.bytes.get(self.at) == Some(&b'"') {
            self.tape.push(Element::Text(Span { start: start as u32, end: self.at as u32 }));
            self.at += 1;
            return Some(());
        }
        self.string_with_escapes(start)
    }

    /// Parses a string from its first byte that is not a plain character. `start` is its first byte.
    fn string_with_escapes(&mut self, mut start: usize) -> Option<()> {
        let first = self.tape.unescaped.len() as u32;
        loop {
            self.tape.unescaped.push_str(&self.tape.text[start..self.at]);
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    let character = self.escape()?;
                    self.tape.unescaped.push(character);
                }
                _ => return self.fail(END_OF_STRING, CONTROL_CHARACTER),
            }
            start = self.at;
            self.at += plain_bytes(&self.bytes[start..]);
        }
        self.at += 1;
        let end = self.tape.unescaped.len() as u32;
        self.tape.push(Element::Unescaped(Span { start: first, end }));
        Some(())
    }

    /// Parses an escape after its backslash.
    fn escape(&mut self) -> Option<char> {
        let character = match self.bytes.get(self.at) {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit()?;
                if !(0xd800..0xdc00).contains(&first) {
                    // An ordinary unit makes a character by itself.
                    return char::from_u32(first.into()).or_else(|| self.fail_before(LONE_SURROGATE));
                }
                for byte in *b"\\u" {
                    if self.bytes.get(self.at) != Some(&byte) {
                        return self.fail(END_OF_STRING, "unexpected end of hex escape");
                    }
                    self.at += 1;
                }
                self.at -= 1;
                let second = self.unit()?;
                let pair = char::decode_utf16([first, second]).next();
                return pair.and_then(Result::ok).or_else(|| self.fail_before(LONE_SURROGATE));
            }
            _ => return self.fail(END_OF_STRING, "invalid escape"),
        };
        self.at += 1;
        Some(character)
    }

    /// Parses the `u` and the four digits of a UTF-16 code unit.
    fn unit(&mut self) -> Option<u16> {
        self.at += 1;
        let Some(digits) = self.bytes.get(self.at..self.at + 4) else {
            self.at = self.bytes.len();
            return self.fail(END_OF_STRING, "");
        };
        self.at += 4;
        let digits = digits
            .iter()
            .try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)? as u16));
        digits.or_else(|| self.fail_before("invalid escape"))
    }

    /// Stores the fault of the byte before the current one.
    #[cold]
    fn fail_before<T>(&mut self, reason: &'static str) -> Option<T> {
        self.at -= 1;
        self.fail("", reason)
    }
}

/// Number of bytes before the first quote, backslash or control character.
fn plain_bytes(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let (words, rest) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The high bit of each byte that is zero, or follows a zero byte.
        let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
        let quotes = zeros(word ^ (ONES * u64::from(b'"')));
        let backslashes = zeros(word ^ (ONES * u64::from(b'\\')));
        let controls = word.wrapping_sub(ONES * 0x20) & !word;
        // Borrows reach only bytes after the first that is found.
        let found = (quotes | backslashes | controls) & HIGH;
        if found != 0 {
            return number * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let start = words.len() * 8;
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    start + end.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests;
