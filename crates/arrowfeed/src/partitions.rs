//! Partition columns: the values in the names of directories, such as `dt=2026-01-01/country=de`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, StringArray};
use arrow_schema::{Field, FieldRef, SchemaRef};
use arrowfeed_predicate::Predicate;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileColumn, FileSet, refused_files};
use arrowfeed_source::{FeedError, FeedErrorKind, printable, quoted};
use arrowfeed_values::{holds_texts, of_texts};

use crate::sources::percent_decoded;

/// The text of a null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The partition columns of files whose directories have names such as `dt=2026-01-01`.
///
/// All directories of a path count. Names and values are URL-decoded. A directory that is missing in a path, and the value
/// `__HIVE_DEFAULT_PARTITION__`, are null. If a path has a name twice, the last one counts.
#[derive(Debug, Clone)]
pub enum Partitioning {
    /// All columns, in the order in which the paths name them. A column is `int64` if all its values are integers, and a
    /// string otherwise.
    Hive,
    /// The columns of this schema.
    Schema(SchemaRef),
}

/// Parses `"hive"`, or the columns: `{"dt": "date32"}`.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Partitioning {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(described::Partitions)
    }
}

#[cfg(feature = "serde")]
mod described {
    use std::fmt;

    use arrowfeed_source::options::Columns;
    use serde::Deserialize;
    use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
    use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};

    use super::Partitioning;

    pub(super) struct Partitions;

    impl<'de> Visitor<'de> for Partitions {
        type Value = Partitioning;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("\"hive\" or the columns")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Partitioning, E> {
            match text {
                "hive" => Ok(Partitioning::Hive),
                _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
            }
        }

        fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Partitioning, A::Error> {
            let Columns(schema) = Columns::deserialize(SeqAccessDeserializer::new(items))?;
            Ok(Partitioning::Schema(schema))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Partitioning, A::Error> {
            let Columns(schema) = Columns::deserialize(MapAccessDeserializer::new(map))?;
            Ok(Partitioning::Schema(schema))
        }
    }
}

impl Partitioning {
    /// The partition columns of the files, with one value for each file, for
    /// [`AddedColumns::of_files`](arrowfeed_source::run::AddedColumns::of_files).
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), arrowfeed::FeedError> {
    /// # let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// # let root = std::env::temp_dir().join(format!("arrowfeed-doc-partitions-{}", std::process::id()));
    /// # let directory = root.join("country=de");
    /// # std::fs::create_dir_all(&directory).unwrap();
    /// # std::fs::copy(example, directory.join("part-0.avro")).unwrap();
    /// use arrowfeed::source::run::AddedColumns;
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Partitioning, sources::resolve_below};
    ///
    /// let files = AvroFormat::files(resolve_below([&root], "avro", None)?, AvroOptions::default(), None)?;
    /// let of_files = Partitioning::Hive.columns(&files)?;
    /// let added = AddedColumns { of_files, row: Some("row".to_owned()), ..Default::default() };
    /// let files = files.with_added_columns(added)?.with_columns(&["id".into(), "country".into()])?;
    /// assert_eq!(files.schema().field(1).name(), "country");
    /// # std::fs::remove_dir_all(root).unwrap();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A value does not have the type of its column; texts cannot be converted to that type.
    pub fn columns(&self, files: &FileSet) -> Result<Vec<FileColumn>, FeedError> {
        self.of_names(&(0..files.len()).map(|file| files.name(file)).collect::<Vec<_>>())
    }

    /// Marks the files of which a filter refuses all rows because of their directories, see [`FileSource::ruled_out`]. So none of
    /// them gives the schema. Values and comparisons that are errors rule out no file here;
    /// [`columns`](Self::columns) and the filter of the files return these errors.
    ///
    /// ```
    /// use arrowfeed::Partitioning;
    /// use arrowfeed::source::io::FileSource;
    ///
    /// let sources = vec![FileSource::from("t/dt=1/a.avro"), FileSource::from("t/dt=2/a.avro")];
    /// let sources = Partitioning::Hive.rule_out(sources, &"dt = 2 and id > 5".parse()?);
    /// assert_eq!(sources.iter().map(FileSource::is_ruled_out).collect::<Vec<_>>(), [true, false]);
    /// # Ok::<(), arrowfeed::predicate::PredicateError>(())
    /// ```
    pub fn rule_out(&self, sources: Vec<FileSource>, filter: &Predicate) -> Vec<FileSource> {
        let columns = self.of_names(&sources.iter().map(FileSource::name).collect::<Vec<_>>());
        let refused = columns.and_then(|columns| refused_files(&columns, std::iter::once(filter)));
        let Ok(Some(refused)) = refused else { return sources };
        let marked = |(source, is_refused): (FileSource, bool)| match is_refused {
            true => source.ruled_out(),
            false => source,
        };
        sources.into_iter().zip(refused).map(marked).collect()
    }

    fn of_names(&self, files: &[&str]) -> Result<Vec<FileColumn>, FeedError> {
        let mut texts: Vec<(String, Vec<Option<String>>)> = Vec::new();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for (file, path) in files.iter().enumerate() {
            for (name, value) in directories(path) {
                let number = *numbers.entry(name.clone().into_owned()).or_insert_with(|| {
                    texts.push((name.into_owned(), vec![None; files.len()]));
                    texts.len() - 1
                });
                texts[number].1[file] = (value != NULL).then(|| value.into_owned());
            }
        }
        match self {
            Self::Hive => Ok(texts.into_iter().map(|(name, values)| inferred(name, values)).collect()),
            Self::Schema(schema) => {
                let column = |field: &FieldRef| {
                    let number = numbers.get(field.name());
                    let values = match number {
                        Some(number) => StringArray::from_iter(&texts[*number].1),
                        None => StringArray::new_null(files.len()),
                    };
                    let field = field.as_ref().clone().with_nullable(true);
                    let values = converted(&values, &field, files)?;
                    Ok(FileColumn { field: Arc::new(field), values, stored: None })
                };
                schema.fields().iter().map(column).collect()
            }
        }
    }
}

/// The names and values of the directories of a path.
fn directories(path: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let separators = if cfg!(windows) { &['/', '\\'][..] } else { &['/'] };
    let (directories, _) = path.rsplit_once(separators).unwrap_or_default();
    let parts = directories.split(separators).filter_map(|name| name.split_once('='));
    parts.filter(|(name, _)| !name.is_empty()).map(|(name, value)| (decoded(name), decoded(value)))
}

/// Replaces the `%XX` escapes of a text. A text with invalid ones is left as it is.
fn decoded(text: &str) -> Cow<'_, str> {
    match text.contains('%').then(|| percent_decoded(text)).flatten() {
        Some(decoded) => Cow::Owned(decoded),
        None => Cow::Borrowed(text),
    }
}

fn inferred(name: String, texts: Vec<Option<String>>) -> FileColumn {
    let integer = |text: &String| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    };
    let integers: Option<Vec<Option<i64>>> =
        texts.iter().map(|text| text.as_ref().map_or(Some(None), |text| integer(text).map(Some))).collect();
    let values: ArrayRef = match integers {
        Some(integers) if texts.iter().any(Option::is_some) => Arc::new(Int64Array::from(integers)),
        _ => Arc::new(StringArray::from(texts)),
    };
    let field = Arc::new(Field::new(name, values.data_type().clone(), true));
    FileColumn { field, values, stored: None }
}

fn converted(texts: &StringArray, field: &Field, files: &[&str]) -> Result<ArrayRef, FeedError> {
    let data_type = field.data_type();
    let refused = |message| FeedError::new(FeedErrorKind::Schema, message).in_field(printable(field.name()));
    if !holds_texts(data_type) {
        return Err(refused(format!("expected a type to which texts can be converted, found {data_type}")));
    }
    of_texts(data_type, texts).map_err(|error| {
        match (0..texts.len()).find(|file| of_texts(data_type, &texts.slice(*file, 1)).is_err()) {
            Some(file) => {
                let found = quoted(texts.value(file));
                refused(format!("expected a value of the type {data_type} in the path, found {found}"))
                    .in_file(files[file])
            }
            None => refused(format!("expected values of the type {data_type}: {error}")),
        }
    })
}

#[cfg(test)]
mod tests {
    use arrow_schema::DataType;

    use super::*;

    fn found(path: &str) -> Vec<(String, String)> {
        directories(path).map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn directories_have_names_and_values() {
        assert_eq!(found("t/dt=2026-01-01/c=de/x=1.avro"), pairs(&[("dt", "2026-01-01"), ("c", "de")]));
        assert_eq!(found("s3://b/a=1=2/b=/=3/c/part"), pairs(&[("a", "1=2"), ("b", "")]));
        assert_eq!(found("a%20b=c%2Fd/e=50%/part"), pairs(&[("a b", "c/d"), ("e", "50%")]));
        assert_eq!(found("a=1"), pairs(&[]));
    }

    #[test]
    fn only_integers_are_numbers() {
        let data_type = |values: &[Option<&str>]| {
            let values = values.iter().map(|value| value.map(str::to_owned)).collect();
            inferred("a".to_owned(), values).values.data_type().clone()
        };
        assert_eq!(data_type(&[Some("1"), None, Some("-07")]), DataType::Int64);
        let texts: [&[_]; 8] = [
            &[Some("1"), Some("x")],
            &[None],
            &[Some("")],
            &[Some("-")],
            &[Some("+1")],
            &[Some("1.0")],
            &[Some("2026-01-01")],
            &[Some("9223372036854775808")],
        ];
        for values in texts {
            assert_eq!(data_type(values), DataType::Utf8, "{values:?}");
        }
    }
}
