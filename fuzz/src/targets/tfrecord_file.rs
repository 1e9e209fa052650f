//! Reads any bytes as a TFRecord file, and expects records followed by an error or the end. Also writes records and reads
//! them back.

use arrowfeed_source::{FeedErrorKind, Limits};
use arrowfeed_tfrecord::{Compression, RecordWriter, Records};

use crate::input::decoded;

/// The longest allowed record. Longer records would only test the memory of this process.
const LONGEST: usize = 1 << 20;

pub(crate) fn run(bytes: &[u8]) {
    let Some(input) = decoded::<(Vec<u8>, Vec<Vec<u8>>)>(bytes) else { return };
    let (file, written) = input;
    let limits = Limits { decoded_block_bytes: LONGEST, ..Limits::default() };
    for compression in [Compression::None, Compression::Gzip, Compression::Zlib] {
        let mut records = Records::new(&file[..], compression, limits.clone());
        loop {
            match records.next() {
                Ok(Some(record)) => assert!(record.len() <= LONGEST),
                Ok(None) => break,
                Err(error) => {
                    assert!(!matches!(error.kind(), FeedErrorKind::Internal | FeedErrorKind::Io), "{error}");
                }
            }
        }

        let mut writer = RecordWriter::new(Vec::new(), compression);
        written.iter().for_each(|record| writer.write(record).expect("memory takes all"));
        let file = writer.finish().expect("memory takes all");
        let mut records = Records::new(&file[..], compression, limits.clone());
        for record in &written {
            assert_eq!(records.next().expect("what was written"), Some(&record[..]));
        }
        assert!(records.next().expect("the end").is_none());
    }
}
