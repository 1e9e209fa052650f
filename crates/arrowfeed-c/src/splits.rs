//! Splits in JSON: `{"path": "a.avro", "start": 0, "end": 1024, "file_id": "1024-00010203..."}`.

use std::path::PathBuf;

use arrowfeed::Split;
use arrowfeed::source::io::FileIdentity;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::options::parse;

/// A split as text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SplitText {
    path: String,
    start: u64,
    end: u64,
    #[serde(default)]
    file_id: Option<String>,
}

impl SplitText {
    /// The text of a split.
    pub(crate) fn new(split: &Split) -> Result<Self, Error> {
        let path = split.path.to_str().ok_or_else(|| {
            let found = split.path.display();
            Error::options(format!("expected files whose paths are UTF-8, found {found}"))
        })?;
        let file_id = split.identity.map(|identity| identity.to_string());
        Ok(Self { path: path.to_owned(), start: split.start, end: split.end, file_id })
    }

    /// Parses the text of a split.
    pub(crate) fn parse(text: &str) -> Result<Split, Error> {
        let wrong = |error: String| Error::options(format!("split: {error}"));
        let Self { path, start, end, file_id } = parse(text, "split")?;
        let identity = file_id.map(|text| text.parse::<FileIdentity>()).transpose();
        let identity = identity.map_err(|error| wrong(error.to_string()))?;
        let split = Split { path: PathBuf::from(path), start, end, identity };
        split.check().map_err(|error| wrong(error.to_string()))?;
        Ok(split)
    }
}
