use super::super::testing::{ByteByByte, inputs, temporary_file};
use super::*;

/// Generates bytes that differ from position to position.
fn numbered(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

#[test]
fn every_input_returns_the_same_bytes_in_any_steps() {
    let bytes = numbered(3 * STEP + 17);
    let steps = [1, 63, STEP - 1, STEP, STEP + 1, 2 * STEP];
    let len = bytes.len();
    for mut input in inputs(&bytes) {
        let (mut read, mut step) = (Vec::new(), steps.iter().cycle());
        while read.len() < len {
            let n = *step.next().unwrap();
            assert_eq!(input.offset(), read.len() as u64);
            assert!(input.remaining().is_none_or(|left| left == (len - read.len()) as u64));
            let found = input.ensure(n, &Check::never()).unwrap();
            assert!(found >= n.min(len - read.len()));
            let padded = input.peek(n.min(found));
            assert!(padded.with_slack().len() >= padded.bytes().len() + SLACK);
            read.extend_from_slice(padded.bytes());
            input.consume(n.min(found));
        }
        assert_eq!(read, bytes);
        assert_eq!(input.ensure(1, &Check::never()).unwrap(), 0);
        assert!(input.peek(0).bytes().is_empty());
    }
}

#[test]
fn memory_is_not_copied_where_enough_of_it_follows() {
    let memory = Buffer::from(numbered(1000));
    let mut input = Input::from_bytes(memory.clone(), 100..1000);
    assert_eq!(input.ensure(1, &Check::never()).unwrap(), 900);
    let long_enough = 900 - SLACK;
    assert_eq!(input.peek(long_enough).bytes().as_ptr(), memory[100..].as_ptr());
    let copied = input.peek(long_enough + 1);
    assert_ne!(copied.bytes().as_ptr(), memory[100..].as_ptr());
    assert_eq!(copied.bytes(), &memory[100..1000 - SLACK + 1]);

    // The bytes after the range serve as padding, but are never returned.
    let mut input = Input::from_bytes(memory.clone(), 100..200);
    assert_eq!(input.ensure(101, &Check::never()).unwrap(), 100);
    assert_eq!(input.peek(100).bytes().as_ptr(), memory[100..].as_ptr());
}

#[test]
fn reading_can_go_on_anywhere_before_the_end() {
    let bytes = numbered(2 * STEP);
    let [memory, file, _, mut stream, _] = inputs(&bytes);
    for mut input in [memory, file] {
        input.ensure(10, &Check::never()).unwrap();
        for start in [STEP + 5, 2 * STEP, 7, 2 * STEP - 1] {
            input.restart(start as u64..u64::MAX).unwrap();
            let left = 2 * STEP - start;
            assert_eq!((input.offset(), input.remaining()), (start as u64, Some(left as u64)));
            assert!(input.ensure(STEP, &Check::never()).unwrap() >= left.min(STEP));
            assert_eq!(input.peek(left.min(STEP)).bytes(), &bytes[start..][..left.min(STEP)]);
        }
        input.restart(u64::MAX..u64::MAX).unwrap();
        assert_eq!(input.ensure(1, &Check::never()).unwrap(), 0);
    }
    assert_eq!(stream.restart(0..1).unwrap_err().kind(), io::ErrorKind::Unsupported);
}

#[test]
fn a_file_that_is_shorter_than_said_ends_where_it_ends() {
    let mut input = Input::from_source(temporary_file(&numbered(100)), 40..u64::MAX);
    assert_eq!(input.ensure(STEP, &Check::never()).unwrap(), 60);
    assert_eq!(input.available(), &numbered(100)[40..]);
}

#[test]
fn no_memory_is_allocated_for_the_claimed_bytes_of_a_stream() {
    let mut input = Input::from_reader(Box::new(ByteByByte::new(&numbered(1000))));
    assert_eq!(input.ensure(200 << 20, &Check::never()).unwrap(), 1000);
    assert!(input.capacity() < 4 * STREAM_STEP, "{}", input.capacity());
}

#[test]
fn a_file_handle_is_shared_by_threads() {
    let bytes = numbered(STEP);
    let file = temporary_file(&bytes);
    std::thread::scope(|scope| {
        for part in 0..4 {
            let (file, range) = (file.clone(), part * STEP / 4..(part + 1) * STEP / 4);
            let bytes = &bytes;
            scope.spawn(move || {
                let mut input = Input::from_source(file, range.start as u64..range.end as u64);
                for start in range.step_by(64) {
                    input.ensure(64, &Check::never()).unwrap();
                    assert_eq!(input.peek(64).bytes(), &bytes[start..start + 64]);
                    input.consume(64);
                }
            });
        }
    });
}

#[test]
fn an_error_of_a_stream_is_returned() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    struct Lying;
    impl Read for Lying {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            Ok(into.len() + 1)
        }
    }
    let kind = |reader| {
        Input::from_reader(reader).ensure(1, &Check::never()).unwrap_err().io_error().unwrap().kind()
    };
    assert_eq!(kind(Box::new(Failing)), io::ErrorKind::ConnectionReset);
    assert_eq!(kind(Box::new(Lying)), io::ErrorKind::Other);
}
