//! `CREATE EXTERNAL TABLE ... STORED AS ARROWFEED_AVRO`.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::{AddedColumns, FileColumn, FileSet};
use arrowfeed::{FeedError, FeedErrorKind, Partitioning, sources};
use arrowfeed_source::quoted;
use async_trait::async_trait;
use datafusion_common::Result;
use datafusion_datasource::ListingTableUrl;
use datafusion_expr::CreateExternalTable;
use datafusion_session::{Session, TableProvider, TableProviderFactory};
use futures_util::TryStreamExt;

use crate::options::TableOptions;
use crate::store::session_file;
use crate::stream::external;
use crate::table::blocking;
use crate::{ArrowfeedTable, TableFormat};

/// Makes tables of one format for `CREATE EXTERNAL TABLE`.
///
/// | part of the statement | meaning |
/// |---|---|
/// | `LOCATION` | a path, a glob or a directory with all below; or URLs, of stores of the session or else of those of arrowfeed |
/// | `PARTITIONED BY` | columns from the names of directories below the location. Without it, all of them, unless the session has `listing_table_factory_infer_partitions` set to false |
/// | column definitions | the schema of Parquet, CSV and JSON files |
/// | `OPTIONS` | `merge_schemas`, `on_error`, `extension`, `file_column`, `row_column`, those of the format, and `store.*` |
#[derive(Debug, Clone)]
pub struct ArrowfeedTableFactory {
    format: TableFormat,
}

impl ArrowfeedTableFactory {
    /// Makes tables of a format. The options of a statement replace those of `format`.
    pub fn new(format: TableFormat) -> Self {
        Self { format }
    }
}

/// The factories of all formats by their names in `STORED AS`, for the `table_factories` of a `SessionState`.
pub fn table_factories() -> HashMap<String, Arc<dyn TableProviderFactory>> {
    let factory = |format: TableFormat| {
        let name = format.sql_name().to_owned();
        (name, Arc::new(ArrowfeedTableFactory::new(format)) as Arc<dyn TableProviderFactory>)
    };
    TableFormat::all().into_iter().map(factory).collect()
}

#[async_trait]
impl TableProviderFactory for ArrowfeedTableFactory {
    async fn create(&self, state: &dyn Session, cmd: &CreateExternalTable) -> Result<Arc<dyn TableProvider>> {
        let options = TableOptions::parse(&self.format, &cmd.options).map_err(external)?;
        let mut files = Vec::new();
        for location in &cmd.locations {
            files.extend(located(state, location, &options).await?);
        }
        let wanted = Wanted::new(state, cmd);
        let definition = cmd.definition.clone();
        let table = blocking(move || {
            let on_error = options.on_error;
            let table = ArrowfeedTable::new(wanted.open(files, options)?)?;
            Ok(table.with_on_error(on_error).with_definition(definition))
        });
        Ok(Arc::new(table.await?))
    }
}

/// The files of a location.
async fn located(state: &dyn Session, location: &str, options: &TableOptions) -> Result<Vec<FileSource>> {
    let is_remote = sources::scheme(location).is_some_and(|scheme| scheme != "file");
    let (location, options) = (location.to_owned(), options.clone());
    if !is_remote {
        return blocking(move || {
            let files = sources::resolve_below([PathBuf::from(location)], &options.extension, None)?;
            Ok(files.into_iter().map(FileSource::from).collect())
        })
        .await;
    }
    let url = ListingTableUrl::parse(&location)?;
    let Ok(store) = state.runtime_env().object_store(&url) else {
        return blocking(move || of_own_store(&location, &options)).await;
    };
    // A single object may have any extension.
    let extension = if url.is_collection() { format!(".{}", options.extension) } else { String::new() };
    let listed = url.list_all_files(state, &store, &extension).await?;
    let mut objects: Vec<_> = listed.try_collect().await?;
    objects.sort_by(|a, b| a.location.cmp(&b.location));
    if objects.is_empty() {
        let message = format!("expected objects named *.{}, found none", options.extension);
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, message);
        return Err(external(FeedError::io(error).in_file(&sources::redacted(&location))));
    }
    let root = url.object_store();
    let mut files = Vec::with_capacity(objects.len());
    for object in objects {
        files.push(session_file(&store, root.as_str(), object).await.map_err(external)?);
    }
    Ok(files)
}

#[cfg(feature = "stores")]
fn of_own_store(location: &str, options: &TableOptions) -> Result<Vec<FileSource>, FeedError> {
    use arrowfeed::store;

    let of_store = store::StoreOptions::parse(&options.store)?;
    let files = store::resolve_below(location, &options.extension, &of_store, None, None)?;
    Ok(files.into_iter().map(|file| FileSource::remote(file.name, file.object)).collect())
}

#[cfg(not(feature = "stores"))]
fn of_own_store(location: &str, _options: &TableOptions) -> Result<Vec<FileSource>, FeedError> {
    let message = "expected a URL of a store that is registered in the session, or the feature \"stores\" of \
                   arrowfeed-datafusion";
    Err(FeedError::new(FeedErrorKind::Options, message).in_file(&sources::redacted(location)))
}

/// The columns that a statement asks for.
struct Wanted {
    /// The defined columns that files store. Empty: those of the files.
    stored: SchemaRef,
    /// The names of partition columns, with the types of those that are defined. `None`: all.
    partitions: Option<Vec<(String, Option<Field>)>>,
    infers: bool,
    locations: Vec<String>,
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
        Self { stored, partitions, infers, locations: cmd.locations.clone() }
    }

    /// Opens the files, and adds columns to those that they store.
    fn open(self, sources: Vec<FileSource>, options: TableOptions) -> Result<FileSet, FeedError> {
        let mut format = options.format;
        if !self.stored.fields().is_empty() {
            format = format.declaring(self.stored.clone())?;
        }
        let files = format.files(sources, None)?;
        let of_files = self.partition_columns(&files)?;
        let added =
            AddedColumns { of_files, file: options.file_column, row: options.row_column, order: None };
        files.with_added_columns(added)
    }

    fn partition_columns(&self, files: &FileSet) -> Result<Vec<FileColumn>, FeedError> {
        let inferred = Partitioning::Hive.columns(files)?;
        let Some(partitions) = &self.partitions else {
            if !self.infers {
                return Ok(Vec::new());
            }
            let below = self.names_below(files);
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

    /// The names before `=` in the directories below the locations.
    fn names_below(&self, files: &FileSet) -> BTreeSet<String> {
        let locations: Vec<&str> = self
            .locations
            .iter()
            .map(|location| location.strip_prefix("file://").unwrap_or(location))
            .collect();
        let mut names = BTreeSet::new();
        for file in 0..files.len() {
            let name = files.name(file);
            let below = locations.iter().filter_map(|location| name.strip_prefix(location));
            let below = below.min_by_key(|rest| rest.len()).unwrap_or_default();
            let directories = below.rsplit_once('/').map_or("", |(directories, _)| directories);
            let of_file = directories.split('/').filter_map(|directory| directory.split_once('='));
            names.extend(of_file.map(|(name, _)| name.to_owned()));
        }
        names
    }
}
