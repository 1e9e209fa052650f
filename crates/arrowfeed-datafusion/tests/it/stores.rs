use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arrowfeed::FeedErrorKind;
use arrowfeed_datafusion::feed_error;
use arrowfeed_source::thousands;
use async_trait::async_trait;
use datafusion::datasource::listing::ListingOptions;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use url::Url;

use crate::support::{query, rows, scan, session, write};

/// A store in memory that counts the bytes of its responses, and may panic.
#[derive(Debug)]
struct Counted {
    store: InMemory,
    bytes: AtomicU64,
    panics: AtomicBool,
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counted")
    }
}

#[async_trait]
impl ObjectStore for Counted {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        self.store.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.store.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        assert!(!self.panics.load(Ordering::SeqCst), "the panic of a test");
        let result = self.store.get_opts(location, options).await?;
        let Range { start, end } = result.range;
        self.bytes.fetch_add(end - start, Ordering::SeqCst);
        Ok(result)
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.store.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> object_store::Result<()> {
        self.store.copy_opts(from, to, options).await
    }
}

/// A session whose bucket has two files of 5000 rows.
async fn bucket() -> Result<(SessionContext, Arc<Counted>)> {
    let store = Arc::new(Counted {
        store: InMemory::new(),
        bytes: AtomicU64::new(0),
        panics: AtomicBool::new(false),
    });
    for (number, name) in ["c=de/a.avro", "c=fr/b.avro"].into_iter().enumerate() {
        put(&store, name, 5000 * number as i64, 5000).await?;
    }
    let context = session();
    let url = Url::parse("mem://bucket").unwrap();
    context.register_object_store(&url, store.clone());
    Ok((context, store))
}

async fn put(store: &Arc<Counted>, name: &str, first: i64, count: i64) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("a.avro");
    write(&path, &rows(first, count), 4000);
    store.put(&Path::from(format!("clicks/{name}")), std::fs::read(path)?.into()).await?;
    Ok(())
}

async fn create(context: &SessionContext, location: &str) -> Result<()> {
    let sql = format!("CREATE EXTERNAL TABLE t STORED AS ARROWFEED_AVRO LOCATION '{location}'");
    context.sql(&sql).await.map(drop)
}

#[tokio::test]
async fn tables_of_the_stores_of_a_session_are_read_in_ranges() -> Result<()> {
    let (context, store) = bucket().await?;
    create(&context, "mem://bucket/clicks/").await?;
    let sums = query(&context, "SELECT c, count(text), sum(id) FROM t GROUP BY c ORDER BY c").await?;
    assert_eq!(sums, ["de 4285 12497500", "fr 4286 37497500"]);
    assert_eq!(
        scan(&context, "SELECT id FROM t WHERE c = 'fr'").await,
        "DataSourceExec: format=arrowfeed avro, 3 partitions of 0 files and 3 byte ranges, projection=[id], \
         filter=c == \"fr\""
    );
    store.bytes.store(0, Ordering::SeqCst);
    assert_eq!(query(&context, "SELECT id FROM t WHERE c = 'fr' AND id < 5003 LIMIT 1").await?.len(), 1);
    assert!(store.bytes.load(Ordering::SeqCst) > 0);
    Ok(())
}

#[tokio::test]
async fn an_object_that_changes_is_an_error() -> Result<()> {
    let (context, store) = bucket().await?;
    create(&context, "mem://bucket/clicks/c=de/a.avro").await?;
    assert_eq!(query(&context, "SELECT sum(id) FROM t").await?, ["12497500"]);
    put(&store, "c=de/a.avro", 7, 5000).await?;
    let error = query(&context, "SELECT sum(id) FROM t").await.unwrap_err();
    let found = feed_error(&error).expect("an error of arrowfeed");
    assert_eq!(found.kind(), FeedErrorKind::Changed, "{error}");
    assert_eq!(found.location().path.as_deref(), Some("mem://bucket/clicks/c=de/a.avro"));
    Ok(())
}

#[tokio::test]
async fn an_object_that_grows_before_its_first_query_is_an_error() -> Result<()> {
    let (context, store) = bucket().await?;
    create(&context, "mem://bucket/clicks/").await?;
    let len = async |name: &str| Ok::<_, DataFusionError>(store.head(&Path::from(name)).await?.size);
    let listed = len("clicks/c=fr/b.avro").await?;
    put(&store, "c=fr/b.avro", 5000, 6000).await?;
    let [listed, found] = [listed, len("clicks/c=fr/b.avro").await?].map(thousands);
    let error = query(&context, "SELECT sum(id) FROM t").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "External error: mem://bucket/clicks/c=fr/b.avro: expected the object to be unchanged since it was \
             listed ({listed} bytes), found {found} bytes"
        )
    );
    Ok(())
}

#[test]
fn a_request_without_a_response_is_an_error() -> Result<()> {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let made = |runtime: &tokio::runtime::Runtime| {
        runtime.block_on(async {
            let (context, store) = bucket().await?;
            create(&context, "mem://bucket/clicks/c=de/a.avro").await?;
            Ok::<_, DataFusionError>((context, store))
        })
    };
    let error = |runtime: &tokio::runtime::Runtime, context: &SessionContext| {
        let answer = async {
            tokio::time::timeout(Duration::from_secs(60), query(context, "SELECT sum(id) FROM t")).await
        };
        runtime.block_on(answer).expect("an answer").unwrap_err().to_string()
    };
    let expected = "External error: mem://bucket/clicks/c=de/a.avro: expected a response of the store, found";

    let first = runtime()?;
    let (context, _) = made(&first)?;
    drop(first);
    let second = runtime()?;
    let end = "the end of the tokio runtime that sends the requests, in which the table was created";
    assert_eq!(error(&second, &context), format!("{expected} {end}"));

    let (context, store) = made(&second)?;
    store.panics.store(true, Ordering::SeqCst);
    assert_eq!(error(&second, &context), format!("{expected} a panic of the store"));
    Ok(())
}

#[tokio::test]
async fn a_location_with_escapes_has_partition_columns() -> Result<()> {
    let (context, store) = bucket().await?;
    put(&store, "e=x/my dir/c=it/a.avro", 0, 10).await?;
    create(&context, "mem://bucket/clicks/e=x/my%20dir/").await?;
    assert_eq!(query(&context, "SELECT * FROM t WHERE id = 3").await?, ["3 text 3 it"]);
    Ok(())
}

#[tokio::test]
async fn a_directory_without_files_is_an_error() -> Result<()> {
    let (context, _) = bucket().await?;
    let error = create(&context, "mem://bucket/views/").await.unwrap_err();
    let message = "External error: mem://bucket/views/: expected objects named *.avro, found none";
    assert_eq!(error.to_string(), message);
    let error = create(&context, "mem://bucket/views/a.avro").await.unwrap_err();
    let message = "External error: mem://bucket/views/a.avro: expected objects named *.avro, found none";
    assert_eq!(error.to_string(), message);
    Ok(())
}

#[tokio::test]
async fn listing_tables_use_the_stores_of_a_session() -> Result<()> {
    use arrowfeed::avro::AvroOptions;
    use arrowfeed_datafusion::ArrowfeedFormat;

    let (context, _) = bucket().await?;
    let format = ArrowfeedFormat::new(AvroOptions::default());
    let options = ListingOptions::new(Arc::new(format)).with_file_extension(".avro");
    context.register_listing_table("t", "mem://bucket/clicks/", options, None, None).await?;
    assert_eq!(query(&context, "SELECT count(*), sum(id) FROM t WHERE id >= 4000").await?, ["6000 41997000"]);
    Ok(())
}

#[tokio::test]
async fn the_ranges_of_a_text_file_are_read_once() -> Result<()> {
    let (context, store) = bucket().await?;
    // A reader requests up to a mebibyte more than its range.
    let lines: String = (0..8000).map(|id| format!("{{\"id\": {id}, \"text\": \"{id:01000}\"}}\n")).collect();
    let len = lines.len() as u64;
    store.put(&Path::from("texts/a.jsonl"), lines.into()).await?;
    let format = context.state().get_file_format_factory("ARROWFEED_JSONL").expect("the format").default();
    let options = ListingOptions::new(format).with_file_extension(".jsonl");
    context.register_listing_table("t", "mem://bucket/texts/", options, None, None).await?;
    store.bytes.store(0, Ordering::SeqCst);
    assert_eq!(query(&context, "SELECT sum(id) FROM t").await?, ["31996000"]);
    let read = store.bytes.load(Ordering::SeqCst);
    assert!(read >= len && read < 2 * len, "{read} of {len} bytes");
    Ok(())
}
