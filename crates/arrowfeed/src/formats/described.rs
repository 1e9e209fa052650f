//! Options in JSON, and in texts such as those of SQL.

use arrowfeed_source::options::Object;
use arrowfeed_source::{FeedError, FeedErrorKind};
use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_path_to_error::Error;

use super::texts::{Text, TextError};
use super::{Format, FormatOptions};

impl FormatOptions {
    /// Parses the options of a format in JSON: an object whose names are those of the fields of
    /// [`CsvOptions`](crate::text::CsvOptions) and so on, without `columns`, `exclude` and `limits`, which all formats have. The
    /// [module](super) has an example.
    ///
    /// # Errors
    /// A name or a value is wrong: the message names it, what was expected and what was found. The build does not have the format.
    pub fn from_json(format: Format, json: &str) -> Result<Self, FeedError> {
        parse_json(json, |json| Self::parse(format, json))
    }

    /// Parses the options of a format, each of which is a text: `true`, `12`, a word, a list or an object in JSON. A list may
    /// also be the text of its only value.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # #[cfg(feature = "text")] {
    /// use arrowfeed::formats::{Format, FormatOptions};
    ///
    /// let given = [("header", "false"), ("nulls", "NA"), ("types", r#"{"column_1": "Int8"}"#)];
    /// let FormatOptions::Csv(options) = FormatOptions::from_texts(Format::Csv, given)? else { unreachable!() };
    /// assert_eq!((options.header, options.nulls), (false, vec!["NA".to_owned()]));
    ///
    /// let error = FormatOptions::from_texts(Format::Csv, [("header", "no")]).unwrap_err();
    /// assert_eq!(error.to_string(), "header: expected true or false, found \"no\"");
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json).
    pub fn from_texts<'a>(
        format: Format,
        texts: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, FeedError> {
        Self::parse(format, given(texts))?.map_err(|error| refused(&error, error.inner()))
    }

    /// The outer error: the build does not have the format.
    fn parse<'de, D: Deserializer<'de>>(
        format: Format,
        given: D,
    ) -> Result<Result<Self, Error<D::Error>>, FeedError> {
        let mut options = Self::new(format)?;
        let parsed = match &mut options {
            #[cfg(feature = "avro")]
            Self::Avro(options) => set(options, given),
            #[cfg(feature = "parquet")]
            Self::Parquet(options) => set(options, given),
            #[cfg(feature = "ipc")]
            Self::Arrow(options) => set(options, given),
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(options) => set(options, given),
            #[cfg(feature = "text")]
            Self::JsonLines(options) => set(options, given),
            #[cfg(feature = "text")]
            Self::Csv(options) => set(options, given),
        };
        Ok(parsed.map(|()| options))
    }
}

fn set<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    options: &mut T,
    given: D,
) -> Result<(), Error<D::Error>> {
    let Object(parsed) = serde_path_to_error::deserialize::<D, Object<T>>(given)?;
    *options = parsed;
    Ok(())
}

/// Parses a struct of options in JSON, which is an object.
///
/// # Errors
/// As [`FormatOptions::from_json`].
pub fn from_json<T: DeserializeOwned>(json: &str) -> Result<T, FeedError> {
    let parsed = parse_json(json, |json| Ok(serde_path_to_error::deserialize::<_, Object<T>>(json)));
    parsed.map(|Object(options)| options)
}

/// Parses a struct of options, each of which is a text.
///
/// # Errors
/// As [`FormatOptions::from_texts`].
pub fn from_texts<'a, T: Deserialize<'a>>(
    texts: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<T, FeedError> {
    serde_path_to_error::deserialize(given(texts)).map_err(|error| refused(&error, error.inner()))
}

fn given<'a>(
    texts: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> impl Deserializer<'a, Error = TextError> {
    MapDeserializer::new(texts.into_iter().map(|(name, text)| (name, Text(text))))
}

fn parse_json<'a, T>(
    json: &'a str,
    parse: impl FnOnce(
        &mut serde_json::Deserializer<serde_json::de::StrRead<'a>>,
    ) -> Result<Result<T, Error<serde_json::Error>>, FeedError>,
) -> Result<T, FeedError> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let parsed = parse(&mut deserializer)?.map_err(|error| {
        let inner = error.inner();
        let mut text = inner.to_string();
        if !inner.is_data() {
            return FeedError::new(FeedErrorKind::Options, text);
        }
        // The position is that of a byte after the wrong name or value, which the path names.
        let position = format!(" at line {} column {}", inner.line(), inner.column());
        if text.ends_with(&position) {
            text.truncate(text.len() - position.len());
        }
        refused(&error, text)
    })?;
    let end = deserializer.end();
    end.map(|()| parsed).map_err(|error| FeedError::new(FeedErrorKind::Options, error.to_string()))
}

/// An error that names the option: `delimiter: ...`.
fn refused<E>(error: &Error<E>, text: impl ToString) -> FeedError {
    let (path, text) = (error.path().to_string(), text.to_string());
    // The text of an unknown name has the name.
    let is_named = path == "." || text.starts_with("unknown field");
    FeedError::new(FeedErrorKind::Options, if is_named { text } else { format!("{path}: {text}") })
}
