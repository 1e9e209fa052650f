//! `CREATE EXTERNAL TABLE ... STORED AS ARROWFEED_AVRO`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use arrowfeed::formats::FormatOptions;
use arrowfeed::source::run::{AddedColumns, FileColumn, FileSet};
use arrowfeed::source::{Check, Interrupt};
use arrowfeed::{FeedError, FeedErrorKind, Partitioning};
use arrowfeed_source::quoted;
use async_trait::async_trait;
use datafusion_common::Result;
use datafusion_expr::CreateExternalTable;
use datafusion_session::{Session, TableProvider, TableProviderFactory};

use crate::ArrowfeedTable;
use crate::blocking::blocking;
use crate::error::external;
use crate::format::{self, declaring, sql_name};
use crate::location::{Located, located};
use crate::options::TableOptions;

/// Makes tables of one format for `CREATE EXTERNAL TABLE`.
///
/// | part of the statement | meaning |
/// |---|---|
/// | `LOCATION` | a path, a glob or a directory with all below; or URLs, of stores of the session or else of those of arrowfeed |
/// | `PARTITIONED BY` | columns from the names of directories in the paths of the files. Without it, all of those below the location, unless the session has `listing_table_factory_infer_partitions` set to false. Below a glob are the directories from its first wildcard on |
/// | column definitions | the schema of Parquet, CSV and JSON files |
/// | `OPTIONS` | `merge_schemas`, `on_error`, `extension`, `file_column`, `row_column`, those of the format as in JSON, `limits.*`, and `store.*` |
#[derive(Debug, Clone)]
pub struct ArrowfeedTableFactory {
    format: FormatOptions,
}

impl ArrowfeedTableFactory {
    /// Makes tables of a format. A statement with options of the format has these in place of those of `format`, but for its columns and
    /// limits.
    pub fn new(format: impl Into<FormatOptions>) -> Self {
        Self { format: format.into() }
    }
}

/// The factories of all formats by their names in `STORED AS`, for the `table_factories` of a `SessionState`.
pub fn table_factories() -> HashMap<String, Arc<dyn TableProviderFactory>> {
    let factory = |format: FormatOptions| {
        let name = sql_name(format.format());
        (name, Arc::new(ArrowfeedTableFactory::new(format)) as Arc<dyn TableProviderFactory>)
    };
    format::all().into_iter().map(factory).collect()
}

#[async_trait]
impl TableProviderFactory for ArrowfeedTableFactory {
    async fn create(&self, state: &dyn Session, cmd: &CreateExternalTable) -> Result<Arc<dyn TableProvider>> {
        let options = TableOptions::parse(&self.format, &cmd.options).map_err(external)?;
        let mut found = Located::default();
        for location in &cmd.locations {
            found.add(located(state, location, &options).await?);
        }
        let wanted = Wanted::new(state, cmd);
        let definition = cmd.definition.clone();
        let table = blocking(move |interrupt| {
            let on_error = options.on_error;
            let files = wanted.open(found, options, interrupt)?;
            let table = ArrowfeedTable::made_of(files, &Check::of(Some(interrupt)))?;
            Ok(table.with_on_error(on_error).with_definition(definition))
        });
        Ok(Arc::new(table.await?))
    }
}

/// The columns that a statement asks for.
struct Wanted {
    /// The defined columns that files store. Empty: those of the files.
    stored: SchemaRef,
    /// The names of partition columns, with the types of those that are defined. `None`: all.
    partitions: Option<Vec<(String, Option<Field>)>>,
    infers: bool,
}

impl Wanted {
    fn new(state: &dyn Session, cmd: &CreateExternalTable) -> Self {
        let defined: &Schema = cmd.schema.inner();
        let names = &cmd.table_partition_cols;
        let stored = defined.fields().iter().filter(|field| !names.contains(field.name()));
        let stored = Arc::new(Schema::new(stored.cloned().collect::<Vec<_>>()));
        let named = |name: &String| (name.clone(), defined.field_with_name(name).ok().cloned());
        let partitions = (!names.is_empty()).then(|| names.iter().map(named).collect());
        let infers = state.config_options().execution.listing_table_factory_infer_partitions;
        Self { stored, partitions, infers }
    }

    /// Opens the files, and adds columns to those that they store.
    fn open(
        self,
        found: Located,
        options: TableOptions,
        interrupt: &Interrupt,
    ) -> Result<FileSet, FeedError> {
        let mut format = options.format;
        if !self.stored.fields().is_empty() {
            format = declaring(format, self.stored.clone())?;
        }
        let files = format.files(found.files, Some(interrupt))?;
        let of_files = self.partition_columns(&files, &found.partitions)?;
        let added =
            AddedColumns { of_files, file: options.file_column, row: options.row_column, order: None };
        files.with_added_columns(added)
    }

    /// The partition columns. `below`: the names of those from directories below the locations.
    fn partition_columns(
        &self,
        files: &FileSet,
        below: &BTreeSet<String>,
    ) -> Result<Vec<FileColumn>, FeedError> {
        let inferred = Partitioning::Hive.columns(files)?;
        let Some(partitions) = &self.partitions else {
            if !self.infers {
                return Ok(Vec::new());
            }
            return Ok(inferred.into_iter().filter(|column| below.contains(column.field.name())).collect());
        };
        let mut columns = Vec::with_capacity(partitions.len());
        for (name, defined) in partitions {
            let Some(found) = inferred.iter().find(|column| column.field.name() == name) else {
                let message = format!(
                    "expected directories {name}=... for the partition column {}, found none",
                    quoted(name)
                );
                return Err(FeedError::new(FeedErrorKind::Schema, message));
            };
            match defined {
                Some(field) => {
                    let schema = Arc::new(Schema::new(vec![field.clone()]));
                    columns.extend(Partitioning::Schema(schema).columns(files)?);
                }
                None => columns.push(found.clone()),
            }
        }
        Ok(columns)
    }
}
