use csv_core::{ReadRecordResult, ReaderBuilder};
use proptest::prelude::*;

use super::*;

/// The ends of the records of a text that arrives in pieces of `piece` bytes.
fn ends(framing: Framing, text: &[u8], piece: usize) -> Vec<usize> {
    let (mut found, mut place, mut at) = (Vec::new(), FramingState::default(), 0);
    while at < text.len() {
        let bytes = &text[at..text.len().min(at.saturating_add(piece))];
        match framing.end(bytes, &mut place) {
            Some(more) => {
                at += more;
                found.push(at);
                place = FramingState::default();
            }
            None => at += bytes.len(),
        }
    }
    if found.last().copied().unwrap_or(0) < text.len() {
        found.push(text.len());
    }
    found
}

/// The cells of each record of a text according to `csv_core`.
fn cells(text: &[u8], escape: Option<u8>) -> Vec<Vec<Vec<u8>>> {
    let mut reader = ReaderBuilder::new().escape(escape).build();
    // Otherwise the reader skips a byte order mark.
    reader.read_record(b"\n", &mut [], &mut [0]);
    let (mut rest, mut records) = (text, Vec::new());
    let (mut output, mut ends) = (vec![0; text.len() + 1], vec![0; text.len() + 2]);
    let (mut bytes, mut count) = (0, 0);
    loop {
        let (result, read, written, ended) =
            reader.read_record(rest, &mut output[bytes..], &mut ends[count..]);
        rest = &rest[read..];
        (bytes, count) = (bytes + written, count + ended);
        match result {
            ReadRecordResult::Record => {
                let starts = std::iter::once(0).chain(ends.iter().copied());
                let cells = starts.zip(&ends[..count]).map(|(start, end)| output[start..*end].to_vec());
                records.push(cells.collect());
                (bytes, count) = (0, 0);
            }
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::End => return records,
            full => panic!("the output has room for all cells: {full:?}"),
        }
    }
}

fn csv(escape: Option<u8>) -> Framing {
    Framing::Csv { delimiter: b',', quote: b'"', escape, comment: None }
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(b'"'), Just(b','), Just(b'\n'), Just(b'\r'), Just(b'\\'), Just(b'a')];
    proptest::collection::vec(byte, 0..40)
}

proptest! {
    #![proptest_config(crate::random_config::config(250))]

    #[test]
    fn records_one_by_one_have_the_cells_of_the_whole_text(
        text in text(), escape in proptest::sample::select(&[None, Some(b'\\')]), piece in 1_usize..12
    ) {
        let (mut one_by_one, mut start) = (Vec::new(), 0);
        for end in ends(csv(escape), &text, piece) {
            let record = &text[start..end];
            let found = cells(record, escape);
            prop_assert_eq!(found.len(), usize::from(!csv(escape).is_blank(record)));
            one_by_one.extend(found);
            start = end;
        }
        prop_assert_eq!(one_by_one, cells(&text, escape));
    }

    #[test]
    fn records_end_where_they_end_whatever_pieces_come(text in text(), piece in 1_usize..12) {
        for framing in [csv(None), csv(Some(b'\\')), Framing::Lines] {
            prop_assert_eq!(ends(framing, &text, piece), ends(framing, &text, usize::MAX));
        }
    }
}

#[test]
fn a_line_end_in_quotes_ends_no_record() {
    let text = b"a,\"b\nc\"\r\nd,e\"f\n\"g\"\"\n\"\rh";
    assert_eq!(ends(csv(None), text, 100), [9, 15, 22, 23]);
    assert_eq!(ends(Framing::Lines, text, 100), [5, 9, 15, 20, 23]);
}

#[test]
fn quotes_in_comments_have_no_meaning() {
    let framing = Framing::Csv { delimiter: b',', quote: b'"', escape: None, comment: Some(b'#') };
    let text = b"#\"\n\"#\n\"\n1,#\"\r##\r\n2";
    for piece in [1, 2, 100] {
        assert_eq!(ends(framing, text, piece), [3, 8, 13, 17, 18]);
    }
    assert!(framing.is_comment(b"#\n") && !framing.is_comment(b"1,#\n") && !framing.is_comment(b""));
    assert!(!csv(None).is_comment(b"#\n"));
}
