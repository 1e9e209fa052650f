//! The data files of a scan of an Apache Iceberg table, as planned by a library of Iceberg such as pyiceberg.
//!
//! Source of the rules: the Iceberg specification, versions 1 to 3.

// | file | contents |
// |---|---|
// | `schema` | the Arrow schema of an Iceberg schema |
// | `values` | partition values in JSON |
// | `format` | data files of Parquet and Avro in one table |
// | `deletes` | rows that are deleted by their position |

mod deletes;
mod format;
mod schema;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_buffer::BooleanBuffer;
use arrow_schema::{Field, FieldRef, Schema};
use arrowfeed_avro::{AvroFormat, AvroOptions, AvroSchema};
use arrowfeed_parquet::{ParquetFormat, ParquetOptions};
use arrowfeed_source::field_ids::{FieldIds, MappedField, field_id};
use arrowfeed_source::format::FileFormat;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{AddedColumns, FileColumn, FileSet, Files};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, Limits, counted};
use serde::Deserialize;
use serde_json::Value;

use deletes::NotDeleted;
use format::MixedFormat;

/// The files of a scan of a table. [`IcebergScan::from_json`] parses it.
///
/// ```
/// use arrowfeed::iceberg::IcebergScan;
///
/// let scan = r#"{"snapshot-id": 7, "name-mapping": null, "columns": ["id"],
///     "schema": {"type": "struct", "fields": [{"id": 1, "name": "id", "required": true, "type": "long"}]},
///     "files": [{"format": "parquet", "partition": {}}]}"#;
/// assert!(IcebergScan::from_json(scan).is_ok());
/// assert!(IcebergScan::from_json("{}").is_err());
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct IcebergScan {
    /// The identifier of the snapshot. States of other snapshots and schemas are refused.
    snapshot_id: Option<i64>,
    /// The JSON form of the schema.
    schema: Value,
    /// The JSON form of the name mapping, for files whose fields have no identifiers.
    name_mapping: Option<Vec<NameMapping>>,
    /// Field paths to read. `None`: all columns.
    columns: Option<Vec<String>>,
    files: Vec<ScannedFile>,
}

/// A data file of a scan.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ScannedFile {
    format: DataFormat,
    /// The values of identity partitions by the identifiers of their columns.
    #[serde(default)]
    partition: HashMap<i32, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DataFormat {
    Avro,
    Parquet,
}

/// An entry of a name mapping.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct NameMapping {
    field_id: Option<i32>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    fields: Vec<NameMapping>,
}

impl From<NameMapping> for MappedField {
    fn from(mapping: NameMapping) -> Self {
        let NameMapping { field_id, names, fields } = mapping;
        Self { names, id: field_id, fields: fields.into_iter().map(Into::into).collect() }
    }
}

impl IcebergScan {
    /// Parses a scan:
    ///
    /// ```json
    /// {"snapshot-id": 7, "schema": {"type": "struct", "fields": []}, "name-mapping": null,
    ///  "columns": ["id"], "files": [{"format": "parquet", "partition": {"3": "de"}}]}
    /// ```
    /// `schema` and `name-mapping` are the JSON forms of the Iceberg specification. `partition` has the values of the columns
    /// whose partition transform is `identity`: dates and times as numbers, decimals as texts of their unscaled integer, binary
    /// values as hexadecimal texts.
    ///
    /// # Errors
    /// The text has another form.
    pub fn from_json(text: &str) -> Result<Self, FeedError> {
        serde_json::from_str(text).map_err(|error| {
            let message = format!("expected the files of a scan in JSON: {error}");
            FeedError::new(FeedErrorKind::Options, message)
        })
    }

    /// Opens the files of the scan. `sources` has them in the order of the scan, and `deleted` the positions of the deleted rows
    /// of each of them.
    ///
    /// The columns have the names and the order of the schema, whatever the files have: fields are matched by their
    /// identifiers, and columns that a file lacks are null, or have the value of its partition.
    ///
    /// # Errors
    /// There is no file; a file cannot be opened; a type of the schema or of a file cannot be read; `interrupt` returned true.
    pub fn files(
        self,
        sources: Vec<FileSource>,
        deleted: Vec<Vec<u64>>,
        limits: &Limits,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        for found in [sources.len(), deleted.len()] {
            if found != self.files.len() {
                let files = counted(self.files.len() as u64, "file");
                let message = format!("expected {files} of the scan, found {found}");
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
        }
        let whole = schema::arrow_schema(&self.schema)?;
        let of_files = self.partition_columns(&whole)?;
        let stored = stored_fields(&whole, &of_files);
        let files = Files::new(sources);
        let format = self.format(&files, &stored, limits, interrupt)?;
        let mut files = FileSet::new(files, format);
        if let Some(snapshot) = self.snapshot_id {
            let schema = self.schema.get("schema-id").and_then(Value::as_u64).unwrap_or(0);
            files = files.of_version(&format!("snapshot {snapshot} with schema {schema}"));
        }
        let order: Vec<String> = whole.fields().iter().map(|field| field.name().clone()).collect();
        let added = AddedColumns { of_files, order: Some(order), ..Default::default() };
        let files = files.with_added_columns(added)?;
        let files = match &self.columns {
            Some(columns) => files.with_columns(columns)?,
            None => files,
        };
        match deleted.iter().all(Vec::is_empty) {
            true => Ok(files),
            false => files.choosing(Arc::new(NotDeleted::new(files.clone(), deleted))),
        }
    }

    /// The columns that have the value of the partition in some files.
    fn partition_columns(&self, whole: &Schema) -> Result<Vec<FileColumn>, FeedError> {
        let mut columns = Vec::new();
        for field in whole.fields() {
            let Some(id) = field_id(field) else { continue };
            let values: Vec<Option<&Value>> = self.files.iter().map(|file| file.partition.get(&id)).collect();
            if values.iter().all(Option::is_none) {
                continue;
            }
            let array = values::array(&values, field.data_type());
            let array = array.map_err(|error| error.in_field(field.name()))?;
            let stored = values.iter().any(Option::is_none);
            let stored =
                stored.then(|| BooleanBuffer::collect_bool(values.len(), |file| values[file].is_none()));
            let data_type = field.data_type().clone();
            let field = Arc::new(Field::new(field.name(), data_type, field.is_nullable()));
            columns.push(FileColumn { field, values: array, stored });
        }
        Ok(columns)
    }

    /// The format that reads the columns `stored`, whose metadata has the identifiers.
    fn format(
        &self,
        files: &Files,
        stored: &Schema,
        limits: &Limits,
        interrupt: Option<&Interrupt>,
    ) -> Result<Arc<dyn FileFormat>, FeedError> {
        let mapping = self.name_mapping.clone();
        let mapping = mapping.map(|fields| fields.into_iter().map(Into::into).collect());
        let ids = Arc::new(FieldIds::new(stored, mapping));
        let schema = Arc::new(schema::without_ids(stored));
        let of = |format: DataFormat| {
            let scanned = self.files.iter().enumerate().filter(move |(_, file)| file.format == format);
            scanned.filter_map(|(number, _)| files.source(number)).collect::<Vec<_>>()
        };
        let (parquet, avro) = (of(DataFormat::Parquet), of(DataFormat::Avro));
        let mut formats: Vec<Arc<dyn FileFormat>> = Vec::new();
        let mut of_files: HashMap<Arc<str>, usize> = HashMap::new();
        if !parquet.is_empty() {
            of_files.extend(parquet.iter().map(|source| (source.name().into(), formats.len())));
            let options = ParquetOptions {
                schema: Some(schema.clone()),
                field_ids: Some(ids.clone()),
                limits: limits.clone(),
                ..Default::default()
            };
            formats.push(ParquetFormat::files(parquet, options, interrupt)?.format().clone());
        }
        if !avro.is_empty() {
            of_files.extend(avro.iter().map(|source| (source.name().into(), formats.len())));
            let options = AvroOptions {
                reader_schema: Some(AvroSchema::of_table(stored)?),
                field_ids: Some(ids),
                limits: limits.clone(),
                ..Default::default()
            };
            let format = AvroFormat::files(avro, options, interrupt)?.format().clone();
            if format.schema().fields() != schema.fields() {
                let (expected, found) = (&schema, format.schema());
                let message = format!("expected Avro files with the columns {expected}, found {found}");
                return Err(FeedError::new(FeedErrorKind::Internal, message));
            }
            formats.push(format);
        }
        match formats.len() {
            0 => Err(FeedError::new(
                FeedErrorKind::Options,
                "expected at least one file of the scan, found none",
            )),
            1 => Ok(formats.remove(0)),
            _ => Ok(Arc::new(MixedFormat::new(formats, of_files))),
        }
    }
}

/// The fields that files may have. A file may lack a column whose value is that of its partition.
fn stored_fields(whole: &Schema, of_files: &[FileColumn]) -> Schema {
    let kept = whole.fields().iter().filter_map(|field| {
        match of_files.iter().find(|column| column.field.name() == field.name()) {
            None => Some(field.clone()),
            Some(FileColumn { stored: None, .. }) => None,
            Some(_) => Some(Arc::new(field.as_ref().clone().with_nullable(true))),
        }
    });
    Schema::new(kept.collect::<Vec<FieldRef>>())
}
