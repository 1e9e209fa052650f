use super::*;

fn with_slack(bytes: &[u8]) -> Vec<u8> {
    [bytes, &[0xff; SLACK]].concat()
}

/// Reads the union of null and an int.
fn read_optional_int(cur: &mut Cursor<'_>, null: u8) -> Result<(), Stop> {
    if cur.optional(null)? { cur.int().map(|_| ()) } else { Ok(()) }
}

#[test]
fn skipping_ends_where_reading_ends() {
    let mut bytes: Vec<u8> = (0..=255).collect();
    bytes.extend((0..=255).rev());
    for start in 0..bytes.len() {
        let padded = with_slack(&bytes[start..]);
        let here = || Cursor::new(Padded::new(&padded, bytes.len() - start).unwrap());
        let after = |read: &dyn Fn(&mut Cursor<'_>) -> Result<(), Stop>| {
            let mut cur = here();
            read(&mut cur).map(|()| cur.left())
        };
        assert_eq!(after(&|cur| cur.skip_varint()), after(&|cur| cur.varint().map(|_| ())));
        let string = |cur: &mut Cursor<'_>| cur.length().and_then(|length| cur.skip(length));
        assert_eq!(after(&|cur| cur.skip_string()), after(&string));
        assert_eq!(after(&|cur| cur.skip_int()), after(&|cur| cur.int().map(|_| ())));
        for null in [0, 2] {
            assert_eq!(after(&|cur| cur.skip_optional_int(null)), after(&|cur| read_optional_int(cur, null)));
            let array = |cur: &mut Cursor<'_>| cur.optional_array::<8>(null).map(|_| ());
            assert_eq!(after(&|cur| cur.skip_optional(null, 8)), after(&array));
        }
    }
}

#[test]
fn ints_are_skipped_as_they_are_read() {
    let ints = [
        0_u64,
        1,
        0x7f,
        0x80,
        (1 << 27) - 1,
        1 << 27,
        (1 << 28) - 1,
        1 << 28,
        u32::MAX.into(),
        1 << 32,
        u64::MAX,
    ];
    for (int, tag) in ints.iter().flat_map(|int| [0, 2].map(|tag| (*int, tag))) {
        // The shortest form of the tag, and a longer one.
        for tag_bytes in [vec![tag], vec![tag | 0x80, 0]] {
            let mut value = Vec::new();
            let mut rest = int;
            while rest >= 0x80 {
                value.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            value.push(rest as u8);
            let bytes = [tag_bytes, value, vec![0x81; 3]].concat();
            let padded = with_slack(&bytes);
            let after = |skip: &dyn Fn(&mut Cursor<'_>) -> Result<(), Stop>| {
                let mut cur = Cursor::new(Padded::new(&padded, bytes.len()).unwrap());
                skip(&mut cur).map(|()| cur.left())
            };
            for null in [0, 2] {
                let plain = |cur: &mut Cursor<'_>| read_optional_int(cur, null);
                assert_eq!(
                    after(&|cur| cur.skip_optional_int(null)),
                    after(&plain),
                    "{int} after {tag}, null is {null}"
                );
            }
            let one = |cur: &mut Cursor<'_>| cur.varint().map(|_| ());
            let plain = |cur: &mut Cursor<'_>| one(cur).and_then(|()| cur.int().map(|_| ()));
            assert_eq!(after(&|cur| one(cur).and_then(|()| cur.skip_int())), after(&plain), "{int}");
        }
    }
}

fn varint_of(bytes: &[u8]) -> (Result<u64, Stop>, usize) {
    let padded = with_slack(bytes);
    let mut cursor = Cursor::new(Padded::new(&padded, bytes.len()).unwrap());
    let value = cursor.varint();
    (value, bytes.len() - cursor.left())
}

/// Decodes a varint byte by byte, as the specification defines it.
fn plain_varint(bytes: &[u8]) -> Result<(u64, usize), Stop> {
    let mut value = 0_u128;
    for (i, byte) in bytes.iter().take(10).enumerate() {
        value |= u128::from(byte & 0x7f) << (7 * i);
        if *byte < 0x80 {
            return u64::try_from(value).map(|value| (value, i + 1)).map_err(|_| Stop::Invalid);
        }
    }
    Err(Stop::Invalid)
}

#[test]
fn a_varint_of_any_length_is_read_like_the_plain_definition() {
    for len in 1..=12_usize {
        for last in [0_u8, 1, 2, 0x3f, 0x7f, 0x80, 0xff] {
            for fill in [0x80_u8, 0x81, 0xaa, 0xff] {
                let mut bytes = vec![fill; len];
                bytes[len - 1] = last;
                let (value, read) = varint_of(&bytes);
                match plain_varint(&bytes) {
                    Ok((expected, len)) => assert_eq!((value, read), (Ok(expected), len), "{bytes:x?}"),
                    Err(stop) => assert_eq!(value, Err(stop), "{bytes:x?}"),
                }
            }
        }
    }
}

#[test]
fn a_value_that_reaches_into_the_slack_is_refused() {
    let padded = with_slack(&[1, 2, 3]);
    let block = Padded::new(&padded, 3).unwrap();
    assert_eq!(Cursor::new(block).array::<4>(), Err(Stop::Invalid));
    assert_eq!(Cursor::new(block).bytes(4), Err(Stop::Invalid));
    assert_eq!(Cursor::new(block).bytes(3), Ok(&[1, 2, 3][..]));
    assert_eq!(Cursor::new(Padded::new(&padded, 0).unwrap()).boolean(), Err(Stop::Invalid));
}

#[test]
fn an_int_fits_32_bits() {
    let read = |bytes: &[u8]| {
        let padded = with_slack(bytes);
        Cursor::new(Padded::new(&padded, bytes.len()).unwrap()).int()
    };
    assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Ok(i32::MIN));
    assert_eq!(read(&[0xfe, 0xff, 0xff, 0xff, 0x0f]), Ok(i32::MAX));
    assert_eq!(read(&[0x80, 0x80, 0x80, 0x80, 0x10]), Err(Stop::Invalid));
}

/// The first read of a short form must give what the general form gives.
#[test]
fn short_lengths_indices_and_counts_are_read_like_long_ones() {
    for first in 0..=255_u8 {
        for second in [0_u8, 1, 2, 0x7f, 0x80, 0xff] {
            for left in [0, 1, 2, 3, 70, 200] {
                let bytes = [&[first, second][..], &[0x55; 198]].concat();
                let padded = with_slack(&bytes[..left]);
                let start = || Cursor::new(Padded::new(&padded, left).unwrap());
                let read = |of: &dyn Fn(&mut Cursor<'_>) -> Result<usize, Stop>| {
                    let mut cur = start();
                    of(&mut cur).map(|value| (value, left - cur.left()))
                };
                let long = plain_varint(&bytes[..left]).map(|(value, len)| (unzigzag(value), len));
                let non_negative = long
                    .and_then(|(value, len)| Ok((usize::try_from(value).map_err(|_| Stop::Invalid)?, len)));
                let length = non_negative.and_then(|(value, len)| {
                    if value <= left - len { Ok((value, len)) } else { Err(Stop::Invalid) }
                });
                assert_eq!(read(&|cur| cur.length()), length, "{first} {second} {left}");
                let string = length.map(|(value, len)| (value, len + value));
                assert_eq!(read(&|cur| cur.string().map(|text| text.bytes().len())), string);
                for count in [1, 2, 50, 64, 100] {
                    let index = non_negative.and_then(|(value, len)| {
                        if value < count { Ok((value, len)) } else { Err(Stop::Invalid) }
                    });
                    assert_eq!(read(&|cur| cur.index(count)), index, "{first} {second} {left} {count}");
                }
                if let Ok((value, len)) = long
                    && value >= 0
                {
                    let mut cur = start();
                    assert_eq!(cur.items(), Ok((value as usize, None)));
                    assert_eq!(left - cur.left(), len);
                }
            }
        }
    }
}
