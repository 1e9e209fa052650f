use std::ops::Range;
use std::path::Path;

use arrowfeed_source::io::Memory;
use arrowfeed_source::run::{Split, align};

use super::super::block::BlockReader;
use super::super::codec::Codec;
use super::super::input::Input;
use super::super::testing::{CODECS, Container, SYNC as MARKER, inputs, read_all, read_rest, sources};
use super::*;

fn header(bytes: &[u8]) -> Header {
    let [mut input, ..] = inputs(bytes);
    Header::read(&mut input, &Limits::default(), &Check::never()).unwrap()
}

fn scanner(source: Arc<dyn ByteSource>, bytes: &[u8]) -> BlockScanner {
    BlockScanner::new(source, bytes.len() as u64, &header(bytes), &Limits::default())
}

fn scan_rest(scanner: &mut BlockScanner) -> (Vec<Chunk>, Option<FeedError>) {
    let mut heads = Vec::new();
    loop {
        match scanner.next(&Check::never()) {
            Ok(Some(head)) => heads.push(head),
            Ok(None) => return (heads, None),
            Err(error) => return (heads, Some(error)),
        }
    }
}

/// Scans through every kind of source, and asserts that the reader sees the same blocks and the same error.
fn assert_like_reader(bytes: &[u8]) {
    let [input, ..] = inputs(bytes);
    let (blocks, expected) = read_all(input, &Limits::default()).unwrap();
    let text = |error: &FeedError| format!("{:?} {:?} {error}", error.kind(), error.limit());
    for source in sources(bytes) {
        let mut scanner = scanner(source, bytes);
        let (heads, error) = scan_rest(&mut scanner);
        let seen: Vec<_> = heads.iter().map(|head| (head.number, head.offset, head.rows, head.end)).collect();
        let read: Vec<_> =
            blocks.iter().map(|(b, _)| (b.index, b.offset, b.count, b.offset + b.len())).collect();
        assert_eq!(seen, read);
        assert!(heads.windows(2).all(|pair| pair[0].end == pair[1].offset));
        assert_eq!(error.as_ref().map(text), expected.as_ref().map(text));
        let again = scanner.next(&Check::never()).err();
        assert_eq!(again.as_ref().map(text), expected.as_ref().map(text));
    }
}

fn blocks(codec: Codec) -> Container {
    Container::new(codec).block(2, b"ab").block(0, b"").block(3, &[b'c'; 300]).block(1, b"d")
}

#[test]
fn scanners_go_from_thread_to_thread() {
    fn is_send<T: Send + Sync>() {}
    is_send::<BlockScanner>();
}

#[test]
fn scanner_and_reader_see_the_same_blocks() {
    for codec in CODECS {
        assert_like_reader(&blocks(codec).bytes);
        assert_like_reader(&Container::new(codec).bytes);
    }
}

#[test]
fn scanner_and_reader_see_the_same_faults() {
    let whole = blocks(Codec::Null);
    let header_len = Container::new(Codec::Null).bytes.len();
    for len in header_len..=whole.bytes.len() {
        assert_like_reader(&whole.bytes[..len]);
    }
    for at in header_len..whole.bytes.len() {
        for flip in [1, 0x80] {
            let mut bytes = whole.bytes.clone();
            bytes[at] ^= flip;
            // Faults such as a count of 0 with data are left to the reader, which has the data.
            let [input, ..] = inputs(&bytes);
            let error = read_all(input, &Limits::default()).unwrap().1;
            let of_payload = error.is_some_and(|error| error.message().starts_with("expected no bytes"));
            if !of_payload {
                assert_like_reader(&bytes);
            }
        }
    }
    assert_like_reader(&whole.clone().raw(&[0xff; 30]).bytes);
    assert_like_reader(&whole.clone().raw(&[0; 600]).bytes);
    assert_like_reader(&whole.clone().raw_block(1, 1 << 40, b"").bytes);
    assert_like_reader(&whole.clone().raw(&whole.bytes).bytes);
}

#[test]
fn the_next_block_is_found_from_any_offset() {
    let file = blocks(Codec::Null);
    for source in sources(&file.bytes) {
        let mut scanner = scanner(source, &file.bytes);
        let heads = scan_rest(&mut scanner).0;
        for start in 0..=file.bytes.len() as u64 + 40 {
            let expected = heads.iter().map(|head| head.offset).find(|&offset| offset >= start);
            assert_eq!(
                scanner.first_block_at_or_after(start, &Check::never()).unwrap(),
                expected,
                "from {start}"
            );
        }
    }
}

#[test]
fn a_marker_across_the_edge_of_a_window_is_found() {
    let edges = [FIRST_WINDOW, FIRST_WINDOW + WINDOW - (SYNC - 1), FIRST_WINDOW + 2 * (WINDOW - (SYNC - 1))];
    for len in edges.into_iter().flat_map(|edge| edge - 100..edge + 40) {
        let first = Container::new(Codec::Null).block(1, &vec![7; len]);
        let offset = first.bytes.len() as u64;
        let file = first.block(1, b"b");
        let scanner = scanner(Arc::new(Memory::new(file.bytes.clone())), &file.bytes);
        assert_eq!(scanner.first_block_at_or_after(58, &Check::never()).unwrap(), Some(offset));
    }
}

fn aligned(scanner: &mut BlockScanner, range: Range<u64>) -> Range<u64> {
    let file_len = scanner.file_len;
    align(scanner, range, file_len, &Check::never()).unwrap()
}

/// Aligns a byte range and reads its blocks. Asserts that the reader sees them whole, and that they start
/// within the range.
fn payloads(scanner: &mut BlockScanner, reader: &mut BlockReader, range: Range<u64>) -> Vec<Vec<u8>> {
    let aligned = aligned(scanner, range.clone());
    reader.restart(aligned.clone(), 0).unwrap();
    let (blocks, error) = read_rest(reader);
    assert!(error.is_none(), "{range:?} {error:?}");
    assert!(blocks.iter().all(|(block, _)| range.contains(&block.offset)));
    blocks.into_iter().map(|(_, payload)| payload).collect()
}

#[test]
fn ranges_that_meet_give_every_block_once() {
    let [long, cut] = [[MARKER.as_slice(), b"\x02\x02 no block"].concat(), MARKER[..15].to_vec()];
    let tricky = Container::new(Codec::Null).block(1, &long).block(0, b"").block(1, &MARKER).block(1, &cut);
    let overlapping =
        Container::with_sync(Codec::Null, [b'a'; 16]).block(1, b"aaa").block(1, &[b'a'; 20]).block(1, b"b");
    for file in [blocks(Codec::Null), blocks(Codec::Deflate), tricky, overlapping] {
        let len = file.bytes.len() as u64;
        let mut input = Input::from_bytes(file.bytes.clone().into(), 0..file.bytes.len());
        let header = Header::read(&mut input, &Limits::default(), &Check::never()).unwrap();
        let mut reader = BlockReader::new(input, &header, &Limits::default()).unwrap();
        let mut scanner = scanner(Arc::new(Memory::new(file.bytes.clone())), &file.bytes);
        let all = payloads(&mut scanner, &mut reader, 0..len);
        assert!(all.len() >= 3);
        for first in header.len..=len {
            for second in first..=len {
                let parts = [header.len..first, first..second, second..len];
                let parts = parts.map(|part| payloads(&mut scanner, &mut reader, part));
                assert_eq!(parts.concat(), all, "cut at {first} and {second}");
            }
        }
        for target in 1..=len {
            let splits = Split::cover(Path::new(""), header.len..len, None, target);
            let parts: Vec<_> =
                splits.map(|split| payloads(&mut scanner, &mut reader, split.start..split.end)).collect();
            assert_eq!(parts.concat(), all);
        }
    }
}

#[test]
fn a_marker_in_the_metadata_is_no_border() {
    let entries = [(b"avro.schema".as_slice(), b"\"long\"".as_slice()), (b"user", &MARKER)];
    let bytes = super::super::testing::header(&entries, &MARKER);
    let header_len = bytes.len() as u64;
    let file = [bytes, blocks(Codec::Null).bytes.split_off(57)].concat();
    for source in sources(&file) {
        let mut scanner = scanner(source, &file);
        assert_eq!(scan_rest(&mut scanner).0.len(), 4);
        for start in 0..=header_len {
            assert_eq!(scanner.first_block_at_or_after(start, &Check::never()).unwrap(), Some(header_len));
        }
    }
}

#[test]
fn a_wrong_block_is_in_exactly_one_of_the_ranges_that_meet() {
    let file = Container::new(Codec::Null).block(1, b"a").raw_block(-1, 1, b"b").block(1, b"c");
    let len = file.bytes.len() as u64;
    let mut scanner = scanner(Arc::new(Memory::new(file.bytes.clone())), &file.bytes);
    for cut in 57..=len {
        let errors: Vec<_> = [57..cut, cut..len]
            .into_iter()
            .filter_map(|range| {
                let mut input = Input::from_bytes(file.bytes.clone().into(), 0..file.bytes.len());
                let header = Header::read(&mut input, &Limits::default(), &Check::never()).unwrap();
                let mut reader = BlockReader::new(input, &header, &Limits::default()).unwrap();
                reader.restart(aligned(&mut scanner, range), 0).unwrap();
                read_rest(&mut reader).1
            })
            .collect();
        assert_eq!(errors.len(), 1, "cut at {cut}");
        assert_eq!(errors[0].message(), "expected a record count of 0 or more, found -1");
    }
}

#[test]
fn a_file_that_has_become_shorter_is_truncated() {
    let file = blocks(Codec::Null);
    for len in 57..file.bytes.len() - 1 {
        for source in sources(&file.bytes[..len]) {
            let error = scan_rest(&mut scanner(source, &file.bytes)).1.unwrap();
            assert_eq!(error.kind(), crate::FeedErrorKind::Truncated, "{len} bytes");
        }
    }
}
