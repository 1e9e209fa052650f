//! Options of the format: plain data, each default documented.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrowfeed_source::field_ids::FieldIds;
use arrowfeed_source::format::check_selection;
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, SchemaMerge};

use crate::AvroSchema;

/// Mapping of Avro types to Arrow types. The table is in `docs/avro-to-arrow.md`.
///
/// [`AvroFormat`](crate::AvroFormat) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ColumnEncoding {
    /// The natural Arrow type of each Avro type.
    #[default]
    Native,
    /// The logical encoding of the standardized TFX inputs: a list around every column, and a null list for a missing value.
    Feature,
    /// The types that tfx_bsl, TFT and TFDV accept: `large_list` of `int64`, `float`, `double` or
    /// `large_binary`.
    Tfx,
}

/// The Arrow type of Avro strings and bytes.
///
/// [`AvroFormat`](crate::AvroFormat) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum StringType {
    /// `Utf8` and `Binary`, 32-bit offsets.
    #[default]
    Utf8,
    /// `LargeUtf8` and `LargeBinary`, 64-bit offsets.
    LargeUtf8,
    /// `Utf8View` and `BinaryView`.
    Utf8View,
}

/// The Arrow type of Avro unions of several types. A union of null and one type is a nullable column of that type.
///
/// [`AvroFormat`](crate::AvroFormat) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unions {
    /// A dense union. [`ColumnEncoding::Feature`] and [`ColumnEncoding::Tfx`] refuse it.
    #[default]
    Dense,
    /// A struct with one nullable child for each branch other than null. The child of the value's branch has the
    /// value, all others are null. A value of the branch null is a null struct.
    Struct,
    /// A string with the value in Avro's JSON encoding, of the type of [`StringType`]. A value of the branch null is
    /// a null.
    Json,
}

/// Options for reading Avro files and records.
///
/// [`AvroFormat`](crate::AvroFormat) has an example.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct AvroOptions {
    /// Field paths to read (`id`, `user.scores`, `friends.name.first`; through arrays and maps too), in the
    /// order of the columns. With [`Unions::Struct`], branches of unions are fields too. `None`: every field.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub columns: Option<Vec<String>>,
    /// Names of columns not to read, also of recursive ones. `None`: no column is excluded.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub exclude: Option<Vec<String>>,
    /// The schema to resolve the file's values to. `None`: as written.
    pub reader_schema: Option<AvroSchema>,
    /// Whether the reader schema is merged from the schemas of all files, whose headers are read first. Default false. Cannot be
    /// combined with a reader schema, and decoders of single records refuse it.
    pub merge_schemas: bool,
    /// Matches fields by their identifiers in a table (the attribute `field-id`). Needs a reader schema, see
    /// [`AvroSchema::of_table`]. `None`: by name.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub field_ids: Option<Arc<FieldIds>>,
    /// Bytes after which a batch is closed early. `None`: [`Limits::batch_bytes`].
    pub max_batch_bytes: Option<usize>,
    /// Default [`ColumnEncoding::Native`].
    pub encoding: ColumnEncoding,
    /// Default [`StringType::Utf8`].
    pub string_type: StringType,
    /// Default [`Unions::Dense`].
    pub unions: Unions,
    /// Lengths of the arrays that become `FixedSizeList`, by column path. The path of an array inside other
    /// arrays or maps has one `[]` for each of them (`matrix[]`). A row of another length is an error.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "fixed_lengths"))]
    pub fixed_lengths: BTreeMap<String, i32>,
    /// With [`ColumnEncoding::Tfx`], converts Avro doubles to Float32: those beyond the largest float become infinite.
    /// Default false.
    pub double_as_float: bool,
    /// Returns each record as its encoded bytes, in the `LargeBinary` column `record`. Default false. The bytes
    /// are checked like those of a field that is not read. All files must have the schema of the first one;
    /// only aliases, defaults, documentation and logical types may differ. Cannot be combined with a reader schema.
    pub raw: bool,
    /// See [`Limits`].
    #[cfg_attr(feature = "serde", serde(skip))]
    pub limits: Limits,
}

arrowfeed_source::words! {
    ColumnEncoding { "native" = Native, "feature" = Feature, "tfx" = Tfx }
    StringType { "utf8" = Utf8, "large_utf8" = LargeUtf8, "utf8_view" = Utf8View }
    Unions { "dense" = Dense, "struct" = Struct, "json" = Json }
}

/// Parses lengths by column path, each path once.
#[cfg(feature = "serde")]
fn fixed_lengths<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, i32>, D::Error> {
    use arrowfeed_source::options::Ordered;
    use serde::Deserialize;

    Ordered::deserialize(deserializer).map(|Ordered(lengths)| lengths.into_iter().collect())
}

impl AvroOptions {
    /// Returns the options, or an error if one of them is invalid.
    pub(crate) fn checked(self) -> Result<Self, FeedError> {
        let refuse = |message: &str| Err(FeedError::new(FeedErrorKind::Options, message));
        if self.max_batch_bytes == Some(0) {
            return refuse("expected max_batch_bytes of 1 or more, found 0");
        }
        check_selection(self.columns.as_deref(), self.exclude.as_deref())?;
        SchemaMerge::check_options(self.merge_schemas, self.reader_schema.is_some(), "reader_schema")?;
        if self.raw && (self.merge_schemas || self.reader_schema.is_some()) {
            return refuse("expected no reader_schema for raw records, which are not converted, found one");
        }
        Ok(self)
    }

    /// Whether the caller selects or excludes columns.
    pub(crate) fn selects(&self) -> bool {
        self.columns.is_some() || self.exclude.is_some()
    }

    /// Returns the size at which a batch ends.
    pub(crate) fn batch_bytes(&self) -> usize {
        let limit = self.limits.batch_bytes;
        self.max_batch_bytes.map_or(limit, |bytes| bytes.min(limit))
    }
}
