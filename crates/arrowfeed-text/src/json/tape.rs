//! A strict parser of JSON texts. It needs no recursion, so a text of any depth takes memory in proportion to its length.
//!
//! The grammar is that of RFC 8259, and each string has characters: half of a surrogate pair is an error.

use crate::group::Slice;

/// The reason why records are not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A record is not one JSON text in UTF-8.
    Syntax,
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

/// The elements of records.
#[derive(Debug, Default)]
pub(super) struct Tape<'a> {
    text: &'a str,
    unescaped: String,
    /// The first element is null, and stands for values that do not exist.
    elements: Vec<Element>,
    /// The indices of the values of the records.
    rows: Vec<u32>,
}

impl<'a> Tape<'a> {
    /// Parses records, each of which is one JSON text. `depth` is the maximum number of lists and objects around a value.
    ///
    /// # Errors
    /// A record is not JSON, or too deep; the records are too long.
    pub(super) fn of(records: Slice<'a>, depth: usize) -> Result<Self, Fault> {
        let text = std::str::from_utf8(records.bytes()).map_err(|_| Fault::Syntax)?;
        if u32::try_from(text.len()).is_err() {
            return Err(Fault::Length);
        }
        let tape = Self {
            text,
            unescaped: String::new(),
            elements: vec![Element::Null],
            rows: Vec::with_capacity(records.len()),
        };
        let mut parser = TapeParser { tape, bytes: text.as_bytes(), at: 0, open: Vec::new(), depth };
        let mut end = 0;
        for record in records.iter() {
            end += record.len();
            parser.tape.rows.push(parser.tape.elements.len() as u32);
            parser.bytes = &text.as_bytes()[..end];
            parser.value()?;
            parser.skip_whitespace();
            if parser.at != end {
                return Err(Fault::Syntax);
            }
        }
        Ok(parser.tape)
    }

    /// The indices of the values of the records.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub(super) fn get(&self, index: u32) -> Element {
        self.elements[index as usize]
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
    /// The records up to the end of the current one.
    bytes: &'a [u8],
    at: usize,
    /// The indices of the lists and objects around the current value.
    open: Vec<u32>,
    depth: usize,
}

impl TapeParser<'_> {
    /// Parses a value and all values in it.
    fn value(&mut self) -> Result<(), Fault> {
        loop {
            self.skip_whitespace();
            let byte = *self.bytes.get(self.at).ok_or(Fault::Syntax)?;
            match byte {
                b'"' => self.string()?,
                b'{' | b'[' => {
                    if self.open.len() >= self.depth {
                        return Err(Fault::Depth);
                    }
                    let (element, end) =
                        if byte == b'{' { (Element::Object(0), b'}') } else { (Element::List(0), b']') };
                    self.open.push(self.tape.elements.len() as u32);
                    self.tape.elements.push(element);
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
                _ => return Err(Fault::Syntax),
            }
            if !self.has_next()? {
                return Ok(());
            }
        }
    }

    /// Continues after a value, up to the next value. Returns false if no list and no object is open.
    fn has_next(&mut self) -> Result<bool, Fault> {
        while let Some(open) = self.open.last() {
            let is_object = matches!(self.tape.elements[*open as usize], Element::Object(_));
            self.skip_whitespace();
            match (self.bytes.get(self.at), is_object) {
                (Some(b','), _) => {
                    self.at += 1;
                    if is_object {
                        self.skip_whitespace();
                        self.key()?;
                    }
                    return Ok(true);
                }
                (Some(b'}'), true) | (Some(b']'), false) => self.close(),
                _ => return Err(Fault::Syntax),
            }
        }
        Ok(false)
    }

    /// Ends the innermost list or object, at its last byte.
    fn close(&mut self) {
        self.at += 1;
        let end = self.tape.elements.len() as u32;
        if let Some(open) = self.open.pop() {
            let element = &mut self.tape.elements[open as usize];
            *element =
                if matches!(element, Element::Object(_)) { Element::Object(end) } else { Element::List(end) };
        }
    }

    /// Parses a key and the colon after it.
    fn key(&mut self) -> Result<(), Fault> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(Fault::Syntax);
        }
        self.string()?;
        self.skip_whitespace();
        self.expect(b':')
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.bytes.get(self.at) != Some(&byte) {
            return Err(Fault::Syntax);
        }
        self.at += 1;
        Ok(())
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn literal(&mut self, text: &[u8], element: Element) -> Result<(), Fault> {
        if !self.bytes[self.at..].starts_with(text) {
            return Err(Fault::Syntax);
        }
        self.at += text.len();
        self.tape.elements.push(element);
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at as u32;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            // No digit follows a zero.
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
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
        self.tape.elements.push(Element::Number(Span { start, end: self.at as u32 }));
        Ok(())
    }

    /// Parses one digit or more.
    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { Err(Fault::Syntax) } else { Ok(()) }
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        let start = self.at;
        self.at += plain_bytes(&self.bytes[start..]);
        if self.bytes.get(self.at) == Some(&b'"') {
            self.tape.elements.push(Element::Text(Span { start: start as u32, end: self.at as u32 }));
            self.at += 1;
            return Ok(());
        }
        self.string_with_escapes(start)
    }

    /// Parses a string from its first byte that is not a plain character. `start` is its first byte.
    fn string_with_escapes(&mut self, mut start: usize) -> Result<(), Fault> {
        let first = self.tape.unescaped.len() as u32;
        loop {
            self.tape.unescaped.push_str(&self.tape.text[start..self.at]);
            let byte = self.bytes.get(self.at);
            self.at += 1;
            match byte {
                Some(b'"') => break,
                Some(b'\\') => {
                    let character = self.escape().ok_or(Fault::Syntax)?;
                    self.tape.unescaped.push(character);
                }
                _ => return Err(Fault::Syntax),
            }
            start = self.at;
            self.at += plain_bytes(&self.bytes[start..]);
        }
        let end = self.tape.unescaped.len() as u32;
        self.tape.elements.push(Element::Unescaped(Span { start: first, end }));
        Ok(())
    }

    /// Parses an escape after its backslash.
    fn escape(&mut self) -> Option<char> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.unit()?;
                let second = if (0xd800..0xdc00).contains(&first) {
                    let is_escape = self.bytes.get(self.at..self.at + 2)? == b"\\u";
                    self.at += 2;
                    is_escape.then(|| self.unit())??
                } else {
                    // An ordinary unit makes a character by itself.
                    return char::from_u32(first.into());
                };
                char::decode_utf16([first, second]).next()?.ok()?
            }
            _ => return None,
        })
    }

    /// Parses the four digits of a UTF-16 code unit.
    fn unit(&mut self) -> Option<u16> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)? as u16))
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
