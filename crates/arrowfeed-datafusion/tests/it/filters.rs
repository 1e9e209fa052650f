use std::path::Path;
use std::sync::Arc;

use arrowfeed::arrow::array::types::Int64Type;
use arrowfeed::arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array,
    Int32Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray, TimestampMicrosecondArray,
};
use arrowfeed::arrow::schema::{DataType, Field};
use arrowfeed::avro::{AvroOptions, ColumnEncoding};
use arrowfeed::source::run::ReadOptions;
use arrowfeed_datafusion::ArrowfeedTable;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::random_run::seeds;
use crate::support::{plan, query, session, write};

const ROWS: usize = 300;

/// Values that many rows share, so that comparisons find equal ones.
const FLOATS: [f64; 10] =
    [0.0, -0.0, 1.5, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN, 0.1, 16_777_217.0];
const TEXTS: [&str; 7] = ["", "a", "ab", "a_b", "a%b", "zß", "Ab"];

/// Random values, of which a part is null.
fn some<T>(random: &mut ChaCha8Rng, mut value: impl FnMut(&mut ChaCha8Rng) -> T) -> Vec<Option<T>> {
    (0..ROWS).map(|_| random.random_bool(0.8).then(|| value(random))).collect()
}

fn batch(random: &mut ChaCha8Rng) -> RecordBatch {
    let pick = |random: &mut ChaCha8Rng| *FLOATS.choose(random).unwrap();
    let int = |random: &mut ChaCha8Rng| random.random_range(-3..4);
    let column = |array: ArrayRef| array;
    let inner = Arc::new(Int32Array::from(some(random, int)));
    let fields = [(Arc::new(Field::new("x", DataType::Int32, true)), inner as ArrayRef)];
    let columns = [
        ("id", column(Arc::new(Int64Array::from_iter_values(0..ROWS as i64)))),
        ("i", Arc::new(Int32Array::from(some(random, int)))),
        ("f", Arc::new(Float64Array::from(some(random, pick)))),
        ("g", Arc::new(Float32Array::from(some(random, |random| pick(random) as f32)))),
        ("s", Arc::new(StringArray::from(some(random, |random| *TEXTS.choose(random).unwrap())))),
        ("b", Arc::new(BooleanArray::from(some(random, |random| random.random_bool(0.5))))),
        ("d", Arc::new(Date32Array::from(some(random, |random| 20_000 + int(random))))),
        ("n", {
            let numbers = Decimal128Array::from(some(random, |random| i128::from(int(random)) * 50));
            Arc::new(numbers.with_precision_and_scale(10, 2).unwrap())
        }),
        ("t", {
            let instants = some(random, |random| 1_767_225_600_000_000 + 500_000 * i64::from(int(random)));
            Arc::new(TimestampMicrosecondArray::from(instants).with_timezone("UTC"))
        }),
        ("y", {
            let bytes = some(random, |random| TEXTS.choose(random).unwrap().as_bytes());
            Arc::new(BinaryArray::from(bytes))
        }),
        ("st", Arc::new(StructArray::from(fields.to_vec()))),
    ];
    let columns = columns.map(|(name, array)| (name, array, !matches!(name, "id" | "st")));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// A column and a constant of its type, as SQL.
fn operand(random: &mut ChaCha8Rng) -> (&'static str, String) {
    let int: i32 = random.random_range(-3..4);
    match random.random_range(0..10) {
        0 => ("i", int.to_string()),
        1 => ("f", float(random, "DOUBLE")),
        2 => ("g", float(random, "FLOAT")),
        3 => ("s", format!("'{}'", TEXTS.choose(random).unwrap())),
        4 => ("d", format!("date '2024-10-{:02}'", 4 + int)),
        5 => ("n", format!("{:.1}", f64::from(int) / 2.0)),
        6 => ("t", format!("timestamp '2026-01-01T00:00:0{}.5Z'", int.abs())),
        7 => ("y", format!("X'{}'", ["", "61", "6162", "7a"].choose(random).unwrap())),
        8 => ("get_field(st, 'x')", int.to_string()),
        _ => ("id", (int * 40).to_string()),
    }
}

fn float(random: &mut ChaCha8Rng, sql_type: &str) -> String {
    let value = FLOATS.choose(random).unwrap();
    format!("CAST('{value}' AS {sql_type})")
}

fn expression(random: &mut ChaCha8Rng, depth: u32) -> String {
    if depth > 0 && random.random_bool(0.6) {
        let (left, right) = (expression(random, depth - 1), expression(random, depth - 1));
        return match random.random_range(0..5) {
            0 | 1 => format!("({left} AND {right})"),
            2 | 3 => format!("({left} OR {right})"),
            _ => format!("NOT ({left})"),
        };
    }
    let (column, constant) = operand(random);
    match random.random_range(0..12) {
        0 => format!("{column} IS NULL"),
        1 => format!("{column} IS NOT NULL"),
        2 => {
            let others: Vec<String> = (0..3)
                .map(|_| {
                    loop {
                        let (other, constant) = operand(random);
                        if other == column {
                            return constant;
                        }
                    }
                })
                .collect();
            let not = if random.random_bool(0.5) { "NOT " } else { "" };
            format!("{column} {not}IN ({constant}, {})", others.join(", "))
        }
        3 => format!(
            "s {}LIKE '{}'",
            ["", "NOT "].choose(random).unwrap(),
            ["a%", "a\\_%", "%b", "a_b", "%"].choose(random).unwrap()
        ),
        4 => ["b", "NOT b", "b = false", "b IS NOT NULL"].choose(random).unwrap().to_string(),
        // Functions stay in the plan.
        5 => "s || 'x' > 'ax'".to_owned(),
        6 => format!("{column} BETWEEN {constant} AND {constant}"),
        7 => format!("{constant} <= {column}"),
        _ => {
            let operator = ["=", "<>", "<", "<=", ">", ">="].choose(random).unwrap();
            format!("{column} {operator} {constant}")
        }
    }
}

/// The table `file` of an Avro file, and the table `memory` of its batches.
async fn tables(directory: &Path, batch: &RecordBatch, options: AvroOptions) -> Result<SessionContext> {
    let path = directory.join("a.avro");
    write(&path, batch, 2000);
    let table = ArrowfeedTable::open(vec![path.into()], options).await?;
    let batches = table.files().clone().read_files(ReadOptions::default()).unwrap();
    let schema = batches.schema();
    let batches: Vec<RecordBatch> = batches.collect::<Result<_, _>>().unwrap();
    let context = session();
    context.register_table("file", Arc::new(table))?;
    context.register_table("memory", Arc::new(MemTable::try_new(schema, vec![batches])?))?;
    Ok(context)
}

#[tokio::test]
async fn filters_pass_the_rows_that_datafusion_passes() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let (mut cases, mut pushed, mut alone, mut passed) = (0, 0, 0, 0);
    let mut context = None;
    for (case, seed) in seeds(50).enumerate() {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        if case % 10 == 0 {
            context = Some(tables(directory.path(), &batch(random), AvroOptions::default()).await?);
        }
        let context = context.as_ref().unwrap();
        let filter = expression(random, 3);
        cases += 1;
        let of = |table: &str| format!("SELECT id FROM {table} WHERE {filter} ORDER BY id");
        let (found, expected) = (query(context, &of("file")).await, query(context, &of("memory")).await?);
        assert_eq!(found?, expected, "{filter}");
        let plan = plan(context, &of("file")).await;
        let is_pushed = plan.contains(", filter=");
        pushed += usize::from(is_pushed);
        alone += usize::from(is_pushed && !plan.contains("FilterExec"));
        passed += usize::from(!expected.is_empty());
    }
    // Most filters are pushed down, some of them whole, and some rows pass.
    let most = pushed.min(passed) * 3;
    assert!(most > cases && alone > 0, "{pushed} pushed, {alone} alone, {passed} passed of {cases}");
    Ok(())
}

#[tokio::test]
async fn an_empty_list_is_not_null_where_lists_hold_one_value() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let rows = [Some(vec![Some(1)]), Some(vec![]), None, Some(vec![Some(1), Some(2)])];
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(rows);
    let columns = [
        ("id", Arc::new(Int64Array::from_iter_values(0..4)) as ArrayRef, false),
        ("list", Arc::new(lists), true),
        ("one", Arc::new(Int64Array::from(vec![Some(1), None, Some(2), None])), true),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    for encoding in [ColumnEncoding::Feature, ColumnEncoding::Tfx] {
        let options = AvroOptions { encoding, ..AvroOptions::default() };
        let context = tables(directory.path(), &batch, options).await?;
        for filter in ["list IS NULL", "list IS NOT NULL", "one IS NULL", "NOT (list IS NULL OR one IS NULL)"]
        {
            let of = |table: &str| format!("SELECT id FROM {table} WHERE {filter} ORDER BY id");
            assert_eq!(
                query(&context, &of("file")).await?,
                query(&context, &of("memory")).await?,
                "{filter}"
            );
            let plan = plan(&context, &of("file")).await;
            assert!(plan.contains(", filter=") && !plan.contains("FilterExec"), "{plan}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_predicates_compare_in_another_way_is_left_to_datafusion() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let random = &mut ChaCha8Rng::seed_from_u64(1);
    let context = tables(directory.path(), &batch(random), AvroOptions::default()).await?;
    let cases = [
        // (filter, predicate, whether DataFusion filters too)
        ("f > 1.5", Some("not (f <= 1.5)"), true),
        ("f < 0", Some("not (f > 0)"), true),
        ("f = 0", Some("f == 0"), true),
        ("f <> 0", None, true),
        ("f = 1.5", Some("f == 1.5"), false),
        ("f = 'NaN'", None, true),
        ("i IN (1, 2, 3, 5)", Some("i in [1, 2, 3, 5]"), false),
        ("i IN (1, 2, 3, NULL)", None, true),
        ("get_field(st, 'x') = 1", Some("st.x == 1"), false),
        ("s LIKE 'ab%'", Some("s starts with \"ab\""), false),
        ("s ILIKE 'ab%'", None, true),
        ("s > 'a' AND s || 'x' > 'ax'", Some("s > \"a\""), true),
        ("s > 'a' OR s || 'x' > 'ax'", None, true),
        ("n >= 1.5", Some("n >= 1.5"), false),
        ("t < '2026-01-01T00:00:01Z'", Some("t < \"2026-01-01T00:00:01Z\""), false),
        ("d = '2024-10-04'", Some("d == \"2024-10-04\""), false),
        ("NOT b", Some("not (b == true)"), false),
    ];
    for (filter, predicate, is_left) in cases {
        let plan = plan(&context, &format!("SELECT id FROM file WHERE {filter}")).await;
        let found = plan.lines().find_map(|line| Some(line.split_once(", filter=")?.1));
        assert_eq!(found, predicate, "{filter}\n{plan}");
        assert_eq!(plan.contains("FilterExec"), is_left, "{filter}\n{plan}");
    }
    Ok(())
}
