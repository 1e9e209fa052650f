use arrowfeed_source::counted;

use super::super::testing::{
    CODECS, Container, SYNC as MARKER, inputs, read_all, read_every_way, read_rest, varint,
};
use super::*;
use crate::container::codec::Codec;

/// File offset of the first block of an uncompressed file.
const FIRST: u64 = 57;

const MARKER_HEX: &str = "a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff";

fn reader(input: Input) -> BlockReader {
    reader_with(input, &Limits::default())
}

fn reader_with(mut input: Input, limits: &Limits) -> BlockReader {
    let header = Header::read(&mut input, limits, &Check::never()).unwrap();
    BlockReader::new(input, &header, limits).unwrap()
}

/// Reads through every kind of input, and returns the number of valid blocks and the error.
fn failure_with(file: &Container, limits: &Limits) -> (usize, FeedErrorKind, String) {
    let (blocks, error) = read_every_way(&file.bytes, limits).unwrap();
    let error = error.unwrap();
    (blocks.len(), error.kind(), error.to_string())
}

fn failure(file: &Container) -> (usize, FeedErrorKind, String) {
    failure_with(file, &Limits::default())
}

fn null() -> Container {
    Container::new(Codec::Null)
}

#[test]
fn readers_go_from_thread_to_thread() {
    fn is_send<T: Send>() {}
    is_send::<BlockReader>();
}

#[test]
fn blocks_are_given_in_order_with_their_places() {
    for codec in CODECS {
        let file = Container::new(codec).block(2, b"ab").block(3, b"cde");
        let (blocks, error) = read_every_way(&file.bytes, &Limits::default()).unwrap();
        assert!(error.is_none());
        let first = Container::new(codec);
        let second = first.clone().block(2, b"ab");
        let seen: Vec<_> =
            blocks.iter().map(|(b, data)| (b.index, b.offset, b.count, data.as_slice())).collect();
        let (first, second) = (first.bytes.len() as u64, second.bytes.len() as u64);
        assert_eq!(seen, [(0, first, 2, b"ab".as_slice()), (1, second, 3, b"cde")]);
    }
}

#[test]
fn a_file_of_a_header_only_has_no_blocks() {
    let (blocks, error) = read_every_way(&null().bytes, &Limits::default()).unwrap();
    assert!(blocks.is_empty() && error.is_none());
}

#[test]
fn a_file_cut_anywhere_but_at_a_border_of_blocks_is_truncated() {
    for codec in CODECS {
        let files = [Container::new(codec), Container::new(codec).block(2, b"ab")];
        let whole = files[1].clone().block(3, b"cde");
        let borders = [files[0].bytes.len(), files[1].bytes.len(), whole.bytes.len()];
        for len in 0..=whole.bytes.len() {
            let result = read_every_way(&whole.bytes[..len], &Limits::default());
            let complete = borders.iter().filter(|&&border| border <= len).count();
            match result {
                Err(error) => {
                    assert_eq!((complete, error.kind()), (0, FeedErrorKind::Truncated), "{codec:?} {len}");
                }
                Ok((blocks, error)) => {
                    assert_eq!(blocks.len() + 1, complete);
                    let kind = error.map(|error| error.kind());
                    let expected = (!borders.contains(&len)).then_some(FeedErrorKind::Truncated);
                    assert_eq!(kind, expected, "{codec:?} {len}");
                }
            }
        }
    }
}

#[test]
fn a_truncated_block_says_what_is_missing() {
    let cut = |len: usize| {
        let mut file = null().raw_block(100, 1000, &[7; 1000]);
        file.bytes.truncate(FIRST as usize + len);
        failure(&file)
    };
    let at = "block 0 at byte 57: expected";
    let end = "found the end of the file after";
    let truncated = |text: String| (0, FeedErrorKind::Truncated, text);
    assert_eq!(cut(1), truncated(format!("{at} the record count of a block, {end} 1 byte")));
    assert_eq!(cut(3), truncated(format!("{at} the byte size of a block, {end} 3 bytes")));
    assert_eq!(cut(4), truncated(format!("{at} 1,016 bytes of data and sync marker, {end} 0")));
    assert_eq!(cut(1019), truncated(format!("{at} 1,016 bytes of data and sync marker, {end} 1,015")));
}

#[test]
fn a_negative_record_count_or_byte_size_is_corrupt() {
    for value in [-1, -1000, i64::MIN] {
        let text = format!("block 1 at byte 76: expected a record count of 0 or more, found {value}");
        let file = null().block(1, b"a").raw_block(value, 1, b"a");
        assert_eq!(failure(&file), (1, FeedErrorKind::CorruptBlock, text));
        let text = format!("block 1 at byte 76: expected a byte size of 0 or more, found {value}");
        let file = null().block(1, b"a").raw_block(1, value, b"a");
        assert_eq!(failure(&file), (1, FeedErrorKind::CorruptBlock, text));
    }
}

#[test]
fn the_largest_record_count_is_only_a_number() {
    let file = null().raw_block(i64::MAX, 1, b"a");
    let (blocks, error) = read_every_way(&file.bytes, &Limits::default()).unwrap();
    assert_eq!(blocks[0].0.count, i64::MAX as u64);
    assert!(error.is_none());
}

#[test]
fn a_byte_size_over_the_limit_is_not_read() {
    for (size, shown) in [(1 << 40, "1,099,511,627,776"), (i64::MAX, "9,223,372,036,854,775,807")] {
        let text =
            format!("block 0 at byte 57: expected a block of at most 268,435,456 bytes, found {shown}");
        assert_eq!(failure(&null().raw_block(1, size, b"a")), (0, FeedErrorKind::Limit, text));
    }
    let limits = |decoded_block_bytes| Limits { decoded_block_bytes, ..Limits::default() };
    let file = null().block(1, b"abc");
    assert!(read_every_way(&file.bytes, &limits(3)).unwrap().1.is_none());
    let error = read_every_way(&file.bytes, &limits(2)).unwrap().1.unwrap();
    assert_eq!(error.limit(), Some("decoded_block_bytes"));
}

#[test]
fn a_byte_size_beyond_the_rest_is_truncated() {
    let text = "block 0 at byte 57: expected 200,000,016 bytes of data and sync marker, \
                found the end of the file after 17";
    let file = null().raw_block(1, 200_000_000, b"a");
    assert_eq!(failure(&file), (0, FeedErrorKind::Truncated, text.into()));
}

#[test]
fn a_byte_size_that_is_not_the_size_misses_the_marker() {
    for size in (1..=16).filter(|&size| size != 8) {
        let (blocks, kind, text) = failure(&null().raw_block(1, size, b"12345678").block(1, b"next"));
        assert_eq!((blocks, kind), (0, FeedErrorKind::CorruptBlock));
        let start = format!(
            "block 0 at byte 57: expected the sync marker {MARKER_HEX} after {} of data, found ",
            counted(size as u64, "byte")
        );
        assert!(text.starts_with(&start), "{text}");
    }
}

#[test]
fn one_wrong_bit_of_any_marker_is_corrupt_before_its_block_is_returned() {
    let borders: Vec<usize> =
        (1..=3).map(|n| (0..n).fold(null(), |file, _| file.block(1, b"a")).bytes.len()).collect();
    let whole = (0..3).fold(null(), |file, _| file.block(1, b"a"));
    for (good, border) in borders.into_iter().enumerate() {
        for bit in 0..128 {
            let mut file = whole.clone();
            file.bytes[border - 16 + bit / 8] ^= 1 << (bit % 8);
            let (blocks, kind, _) = failure(&file);
            assert_eq!((blocks, kind), (good, FeedErrorKind::CorruptBlock));
        }
    }
    let mut file = whole;
    *file.bytes.last_mut().unwrap() = 0;
    let found = MARKER_HEX.replace("ff", "00");
    let text = format!(
        "block 2 at byte 95: expected the sync marker {MARKER_HEX} after 1 byte of data, found {found}"
    );
    assert_eq!(failure(&file).2, text);
}

#[test]
fn a_block_of_no_records_has_no_bytes() {
    for codec in CODECS {
        let file = Container::new(codec).block(0, b"abc");
        let (_, kind, text) = failure(&file);
        assert_eq!(kind, FeedErrorKind::CorruptBlock);
        let at = Container::new(codec).bytes.len();
        assert_eq!(text, format!("block 0 at byte {at}: expected no bytes in a block of 0 records, found 3"));
        let file = Container::new(codec).block(0, b"").raw_block(0, 0, b"").block(1, b"x");
        let (blocks, error) = read_every_way(&file.bytes, &Limits::default()).unwrap();
        assert_eq!((blocks.len(), error.is_none()), (3, true), "{codec:?}");
    }
}

#[test]
fn records_without_bytes_are_counted_against_a_limit() {
    for codec in CODECS {
        let with = |count| Container::new(codec).block(count, b"");
        for count in [1000, 100_000_000] {
            let (blocks, error) = read_every_way(&with(count).bytes, &Limits::default()).unwrap();
            assert_eq!((blocks.len(), error.is_none()), (1, true));
        }
        for count in [100_000_001, 1_000_000_000_000, i64::MAX] {
            let error = read_every_way(&with(count).bytes, &Limits::default()).unwrap().1.unwrap();
            assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("zero_byte_rows")));
            let at = Container::new(codec).bytes.len();
            let shown = thousands(count as u64);
            let text = format!(
                "block 0 at byte {at}: expected at most 100,000,000 records in a block without bytes, found {shown}"
            );
            assert_eq!(error.to_string(), text);
        }
    }
}

#[test]
fn a_number_of_more_than_64_bits_is_corrupt() {
    let at = "block 0 at byte 57: expected a";
    for bytes in [vec![0xff; 11], vec![0x80; 10_000], [[0xff; 9].as_slice(), &[2; 20]].concat()] {
        let text = format!("{at} record count, found a number of more than 64 bits");
        assert_eq!(failure(&null().raw(&bytes)), (0, FeedErrorKind::CorruptBlock, text));
        let text = format!("{at} byte size, found a number of more than 64 bits");
        let file = null().raw(&varint(1)).raw(&bytes);
        assert_eq!(failure(&file), (0, FeedErrorKind::CorruptBlock, text));
    }
}

#[test]
fn a_number_longer_than_it_needs_to_be_is_read() {
    let file = null().raw(&[0x82, 0x00, 0x82, 0x80, 0x00, b'a']).raw(&MARKER);
    let (blocks, error) = read_every_way(&file.bytes, &Limits::default()).unwrap();
    assert_eq!((blocks[0].0.count, blocks[0].1.as_slice(), error.is_none()), (1, b"a".as_slice(), true));
}

#[test]
fn a_tail_of_zeros_is_named() {
    let zeros = "00 ".repeat(16);
    let text = format!(
        "block 1 at byte 76: expected the sync marker {MARKER_HEX} after 0 bytes of data, \
         found {} (is the rest of the file filled with zeros?)",
        zeros.trim_end()
    );
    let file = null().block(1, b"a").raw(&[0; 512]);
    assert_eq!(failure(&file), (1, FeedErrorKind::CorruptBlock, text));
}

#[test]
fn a_marker_of_zeros_is_a_marker() {
    let file = Container::with_sync(Codec::Null, [0; 16]).block(1, b"\0").raw_block(0, 0, b"").block(1, b"b");
    let (blocks, error) = read_every_way(&file.bytes, &Limits::default()).unwrap();
    assert_eq!((blocks.len(), error.is_none()), (3, true));
}

#[test]
fn files_that_were_joined_are_named() {
    let text = "block 1 at byte 76: expected a block, \
                found the magic bytes of another Avro file (files that were joined?)";
    let file = null().block(1, b"a").raw(&null().block(1, b"b").bytes);
    assert_eq!(failure(&file), (1, FeedErrorKind::CorruptBlock, text.into()));
}

#[test]
fn an_error_stays_until_the_reader_resynchronises() {
    let file = null().block(1, b"a").raw_block(-1, 1, b"b").block(1, b"c");
    for input in inputs(&file.bytes) {
        let mut reader = reader(input);
        assert!(reader.next(&Check::never()).unwrap().is_some());
        let first = reader.next(&Check::never()).unwrap_err().to_string();
        assert_eq!(reader.next(&Check::never()).unwrap_err().to_string(), first);
        let text = "expected a current block, found none";
        assert_eq!(reader.payload(&Check::never()).unwrap_err().to_string(), text);
        assert_eq!(reader.resync(&Check::never()).unwrap(), Some(19));
        let block = reader.next(&Check::never()).unwrap().unwrap();
        assert_eq!((block.index, block.offset), (2, 95));
        assert_eq!(reader.payload(&Check::never()).unwrap().bytes(), b"c");
        assert!(reader.next(&Check::never()).unwrap().is_none());
    }
}

#[test]
fn data_that_does_not_decompress_leaves_the_next_block_alone() {
    let file = Container::new(Codec::Deflate).raw_block(1, 3, b"\xff\xff\xff").block(1, b"good");
    let mut reader = reader(inputs(&file.bytes).into_iter().next().unwrap());
    reader.next(&Check::never()).unwrap().unwrap();
    let text = "block 0 at byte 60: expected a deflate stream, found 3 bytes of invalid or truncated data";
    assert_eq!(reader.payload(&Check::never()).unwrap_err().to_string(), text);
    assert_eq!(reader.next(&Check::never()).unwrap().unwrap().index, 1);
    assert_eq!(reader.payload(&Check::never()).unwrap().bytes(), b"good");
}

/// Reads up to the error of a file and resynchronises. Returns the number of skipped bytes and the blocks that follow.
fn after_resync(file: &Container) -> (Option<u64>, Vec<Vec<u8>>) {
    let results = inputs(&file.bytes).map(|input| {
        let mut reader = reader(input);
        assert!(read_rest(&mut reader).1.is_some());
        let skipped = reader.resync(&Check::never()).unwrap();
        let (blocks, error) = read_rest(&mut reader);
        assert!(error.is_none());
        (skipped, blocks.into_iter().map(|(_, payload)| payload).collect::<Vec<_>>())
    });
    results.iter().for_each(|result| assert_eq!(*result, results[0]));
    let [first, ..] = results;
    first
}

#[test]
fn resync_finds_the_next_block_across_any_distance() {
    for len in [0, 1, 100, WINDOW - 20, WINDOW - 10, WINDOW, 2 * WINDOW + 5] {
        let garbage = vec![0xff; len];
        let file = null().block(1, b"a").raw_block(-1, 0, &garbage).block(1, b"b").block(1, b"c");
        let (skipped, blocks) = after_resync(&file);
        assert_eq!((skipped, blocks), (Some(len as u64 + 18), vec![b"b".to_vec(), b"c".to_vec()]));
    }
}

#[test]
fn resync_ends_where_no_block_follows() {
    let marker_at_the_end = null().raw_block(-1, 0, b"garbage");
    assert_eq!(after_resync(&marker_at_the_end), (Some(25), vec![]));
    let nothing = null().raw(b"\x01garbage without a marker");
    assert_eq!(after_resync(&nothing), (None, vec![]));
    let cut = null().raw_block(1, 1000, b"cut");
    assert_eq!(after_resync(&cut), (Some(22), vec![]));
}

#[test]
fn resync_passes_markers_that_no_block_follows() {
    let fake = [MARKER.as_slice(), b"\xffno block", &MARKER, &MARKER, b"\x02\x7f"].concat();
    let file = null().raw_block(-1, 0, &fake).block(1, b"real");
    let (skipped, blocks) = after_resync(&file);
    assert_eq!((skipped, blocks), (Some(fake.len() as u64 + 18), vec![b"real".to_vec()]));
}

#[test]
fn markers_without_blocks_take_little_memory() {
    // Each marker claims a block of 100 MiB, which would end inside the file.
    let fake = [MARKER.as_slice(), &varint(1), &varint(100 << 20)].concat();
    let file = null().raw_block(-1, 0, &fake.repeat(8 * WINDOW / fake.len())).block(1, b"real");
    let tail = vec![0; 101 << 20];
    let bytes = file.raw_block(1, tail.len() as i64, &tail).bytes;
    for input in inputs(&bytes).into_iter().take(2) {
        let mut reader = reader(input);
        assert!(reader.next(&Check::never()).is_err());
        assert!(reader.resync(&Check::never()).unwrap().is_some());
        assert_eq!(reader.next(&Check::never()).unwrap().unwrap().size, 4);
        assert!(reader.input.capacity() < 8 * WINDOW);
    }
}

#[test]
fn a_marker_that_overlaps_itself_is_found_behind_a_wrong_block() {
    let file = Container::with_sync(Codec::Null, [b'a'; 16]).raw_block(-1, 0, b"xaaa").block(1, b"real");
    assert_eq!(after_resync(&file), (Some(22), vec![b"real".to_vec()]));
}

#[test]
fn a_reader_continues_at_another_range() {
    let file = null().block(1, b"a").block(1, b"b").block(1, b"c");
    let [memory, bytes, _, mut stream, _] = inputs(&file.bytes);
    for input in [memory, bytes] {
        let mut reader = reader(input);
        for (range, index, expected) in [(76..95, 1, b"b"), (57..76, 0, b"a"), (95..114, 2, b"c")] {
            reader.restart(range.clone(), index).unwrap();
            let (blocks, error) = read_rest(&mut reader);
            assert!(error.is_none());
            let block = Block { index, offset: range.start, count: 1, size: 1, data: range.start + 2 };
            assert_eq!(blocks, [(block, expected.to_vec())]);
        }
        // A range that does not end at a block boundary.
        reader.restart(57..90, 0).unwrap();
        let message = "expected a block that ends by byte 90, where the next block seems to start, found its end at byte 95";
        let error = read_rest(&mut reader).1.unwrap();
        assert_eq!(error.kind(), FeedErrorKind::CorruptBlock);
        assert_eq!(error.to_string(), format!("block 1 at byte 76: {message}"));
        reader.restart(57..76, 0).unwrap();
        assert!(read_rest(&mut reader).1.is_none());
    }
    let header = Header::read(&mut stream, &Limits::default(), &Check::never()).unwrap();
    let mut reader = BlockReader::new(stream, &header, &Limits::default()).unwrap();
    assert_eq!(reader.restart(57..76, 0).unwrap_err().kind(), FeedErrorKind::Io);
}

#[test]
fn many_small_blocks_take_linear_time() {
    let one = null().raw_block(0, 0, b"").bytes.split_off(FIRST as usize);
    let file = null().raw(&one.repeat(200_000));
    for input in inputs(&file.bytes).into_iter().take(3) {
        let (blocks, error) = read_all(input, &Limits::default()).unwrap();
        assert_eq!((blocks.len(), error.is_none()), (200_000, true));
    }
}
