//! Options of the format: plain data, each default documented.

use arrowfeed_source::Limits;

use crate::FeatureEncoding;
use crate::example::Feature;
use crate::sequence_example::SequenceFeatures;

/// The content of the records of a file.
///
/// [`RecordFormat`](crate::RecordFormat) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordKind {
    /// Raw bytes, which become one `large_binary` column.
    Raw {
        /// Name of the column.
        column: String,
    },
    /// `tf.Example` messages.
    Example {
        /// The features that become columns, in this order. `None`: the features of all records, sorted by name.
        features: Option<Vec<Feature>>,
        /// If `features` is `None`: the number of records, from the first one on, that are read to infer the features.
        /// `None`: all records. A feature that none of these records has does not become a column.
        sample: Option<u64>,
    },
    /// `tf.SequenceExample` messages.
    SequenceExample {
        /// As in `Example`. Inferred features have the struct [`SEQUENCE_COLUMN`](crate::sequence_example::SEQUENCE_COLUMN).
        features: Option<SequenceFeatures>,
        /// As in `Example`.
        sample: Option<u64>,
    },
}

/// Options for reading TFRecord files.
///
/// [`RecordFormat`](crate::RecordFormat) has an example.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(try_from = "described::Fields"))]
pub struct RecordOptions {
    /// Content of the records.
    pub kind: RecordKind,
    /// Names of the features to read, in the order of the columns. Other features are skipped without being parsed. `None`:
    /// all.
    pub columns: Option<Vec<String>>,
    /// Names of features not to read. `None`: no feature is excluded.
    pub exclude: Option<Vec<String>>,
    /// The Arrow types of features. [`Raw`](RecordKind::Raw) records have no features.
    pub encoding: FeatureEncoding,
    /// Number of file bytes whose records form a chunk, at least 1. A shuffle moves whole chunks, so smaller chunks mix
    /// better, but an index takes 32 bytes per chunk. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` limits the size of a record, `batch_bytes` the size of a batch.
    pub limits: Limits,
}

impl RecordOptions {
    /// Returns the default options for records of this kind, with all columns.
    pub fn new(kind: RecordKind) -> Self {
        let (encoding, limits) = (FeatureEncoding::default(), Limits::default());
        Self { kind, columns: None, exclude: None, encoding, chunk_bytes: 256 << 10, limits }
    }
}

impl Default for RecordOptions {
    /// `tf.Example` messages, whose features are inferred.
    fn default() -> Self {
        Self::new(RecordKind::Example { features: None, sample: None })
    }
}

/// The options as they are described in JSON and in SQL.
#[cfg(feature = "serde")]
mod described {
    use arrowfeed_source::options::{Words, list_or_object};
    use serde::{Deserialize, Deserializer};

    use super::{RecordKind, RecordOptions};
    use crate::FeatureEncoding;
    use crate::example::{Feature, FeatureKind};
    use crate::sequence_example::SequenceFeatures;

    /// The fields of [`RecordOptions`], of [`RecordKind`] and of [`SequenceFeatures`].
    #[derive(Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub(super) struct Fields {
        format: Format,
        #[serde(deserialize_with = "features")]
        features: Option<Vec<Feature>>,
        #[serde(deserialize_with = "features")]
        context: Option<Vec<Feature>>,
        #[serde(deserialize_with = "features")]
        sequence: Option<Vec<Feature>>,
        sequence_column: Option<String>,
        sample: Option<u64>,
        column: Option<String>,
        encoding: FeatureEncoding,
        chunk_bytes: Option<u64>,
    }

    /// A [`RecordKind`].
    #[derive(Clone, Copy, PartialEq, Default)]
    enum Format {
        #[default]
        Example,
        SequenceExample,
        Raw,
    }

    arrowfeed_source::words! { Format { "example" = Example, "sequence_example" = SequenceExample, "raw" = Raw } }

    /// Parses `{"id": "int64"}`, or `[{"name": "id", "kind": "int64"}]`.
    fn features<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Feature>>, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Given {
            name: String,
            kind: FeatureKind,
        }

        let of_entry = |name, kind| Given { name, kind };
        let given =
            list_or_object(deserializer, of_entry, "a list of features, or an object of names and kinds")?;
        Ok(Some(given.into_iter().map(|Given { name, kind }| Feature { name, kind }).collect()))
    }

    impl TryFrom<Fields> for RecordOptions {
        type Error = String;

        fn try_from(given: Fields) -> Result<Self, String> {
            let Fields {
                format,
                features,
                context,
                sequence,
                sequence_column,
                sample,
                column,
                encoding,
                chunk_bytes,
            } = given;
            let of_steps = context.is_some() || sequence.is_some();
            let others = [
                ("features", features.is_some(), Format::Example),
                ("context", context.is_some(), Format::SequenceExample),
                ("sequence", sequence.is_some(), Format::SequenceExample),
                ("sequence_column", sequence_column.is_some(), Format::SequenceExample),
                ("column", column.is_some(), Format::Raw),
            ];
            if let Some((name, _, needed)) = others.iter().find(|(_, given, of)| *given && *of != format) {
                let (needed, found) = (needed.word(), format.word());
                return Err(format!("{name}: expected the format {needed}, found {found}"));
            }
            if sample.is_some() && format == Format::Raw {
                return Err("sample: expected a format with features, found raw".to_owned());
            }
            if sample.is_some() && (features.is_some() || of_steps) {
                return Err(
                    "sample: expected either features or their number of records, found both".to_owned()
                );
            }
            if sequence_column.is_some() && !of_steps {
                return Err("sequence_column: expected context or sequence as well, found neither".to_owned());
            }
            let kind = match format {
                Format::Example => RecordKind::Example { features, sample },
                Format::SequenceExample => {
                    let given = SequenceFeatures {
                        context: context.unwrap_or_default(),
                        sequence: sequence.unwrap_or_default(),
                        sequence_column: sequence_column
                            .unwrap_or(SequenceFeatures::default().sequence_column),
                    };
                    RecordKind::SequenceExample { features: of_steps.then_some(given), sample }
                }
                Format::Raw => RecordKind::Raw { column: column.unwrap_or_else(|| "record".to_owned()) },
            };
            let defaults = Self::new(kind);
            Ok(Self { encoding, chunk_bytes: chunk_bytes.unwrap_or(defaults.chunk_bytes), ..defaults })
        }
    }
}
