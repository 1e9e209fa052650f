//! Formatting of numbers, names and values in messages.

/// Groups the digits by thousands: `51882` becomes `51,882`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a count with its noun: `1 record`, `2,000 records`.
pub fn counted(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", thousands(number))
}

/// Formats bytes as hexadecimal: `4f 62 6a 01`.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// Escapes characters that could affect a terminal: control characters, direction marks, invisible characters, line breaks.
///
/// These are the characters that Rust's [`Debug`](std::fmt::Debug) escapes in a string, except quotes, backslashes and the
/// joiners U+200C and U+200D, which Persian, Indic scripts and emoji need. Every error message passes through this function.
///
/// ```
/// assert_eq!(arrowfeed_source::printable("\u{1b}[2Jit's\u{202e}"), r"\u{1b}[2Jit's\u{202e}");
/// ```
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\'' | '\\' | '\u{200c}' | '\u{200d}' => out.push(character),
            // `escape_debug` escapes combining marks only at the start of a text; the prefix `_` avoids that.
            _ => out.extend(['_', character].iter().collect::<String>().escape_debug().skip(1)),
        }
    }
    out
}

/// Quotes a name or value from a file for a message: double quotes, escaped, cut at 200 characters.
pub fn quoted(text: &str) -> String {
    let mut out: String = text.chars().take(200).collect();
    out = printable(&out.replace('\\', r"\\").replace('"', r#"\""#));
    if text.chars().nth(200).is_some() {
        out.push('…');
    }
    format!("\"{out}\"")
}

/// Bytes of a file for a message: quoted if they are text, or else `the bytes 4f 62 6a 01`.
pub fn text_or_hex(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes).ok().filter(|text| printable(text) == *text) {
        Some(text) => quoted(text),
        None => format!("the bytes {}", hex(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let grouped: Vec<String> = [0, 999, 1000, 51_882, 1_234_567].map(thousands).into();
        assert_eq!(grouped, ["0", "999", "1,000", "51,882", "1,234,567"]);
        assert_eq!([0, 1, 2000].map(|n| counted(n, "byte")), ["0 bytes", "1 byte", "2,000 bytes"]);
    }

    #[test]
    fn honest_text_stays_as_it_is() {
        let honest = "größe e\u{301} हिन्दी می\u{200c}خواهم 👨\u{200d}👩\u{200d}👧 名前 it's C:\\x";
        assert_eq!(printable(honest), honest);
        assert_eq!(quoted(r#"it's "C:\x""#), r#""it's \"C:\\x\"""#);
    }
}
