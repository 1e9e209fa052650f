//! Plain and gzip files. The test passes with and without the feature `gzip`; `make features` runs it without.

use arrowfeed_source::FeedErrorKind;
use arrowfeed_source::io::FileSource;
use arrowfeed_text::{CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};

/// `{"a":1}` and a line end: one block of deflate that is not compressed.
const GZIP: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01\x08\x00\xf7\xff{\"a\":1}\n\x46\xa3\xe8\x74\x08\x00\x00\x00";

#[test]
fn a_gzip_file_is_an_error_if_gzip_is_not_compiled_in() {
    let source = || [FileSource::bytes(GZIP.to_vec()).with_name("file")];
    let opened = [
        CsvFormat::files(source(), CsvOptions::default(), None),
        JsonLinesFormat::files(source(), JsonLinesOptions::default(), None),
    ];
    for opened in opened {
        if cfg!(feature = "gzip") {
            assert_eq!(opened.unwrap().schema().fields().len(), 1);
        } else {
            let error = opened.unwrap_err();
            assert_eq!(error.kind(), FeedErrorKind::Codec);
            let message = "file: expected a codec of this build, found gzip: enable the feature \"gzip\" of arrowfeed-text";
            assert_eq!(error.to_string(), message);
        }
    }
    let plain = FileSource::bytes(b"{\"a\":1}\n".to_vec()).with_name("file");
    let files = JsonLinesFormat::files([plain], JsonLinesOptions::default(), None).unwrap();
    assert_eq!(files.schema().fields().len(), 1);
}
