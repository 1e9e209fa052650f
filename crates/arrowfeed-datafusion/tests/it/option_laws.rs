//! The options of formats in SQL, by the cases that all languages have.

use datafusion::error::Result;
use serde_json::Value;

use crate::option_cases::{Case, cases};
use crate::support::session;

fn statement(case: &Case, path: &std::path::Path, value: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let options = case.options(value);
    let options = options.iter().map(|(name, value)| format!("{name} '{}'", text(value).replace('\'', "''")));
    // A file that lacks a column is no case of these.
    let others =
        if case.name == "merge_schemas" { String::new() } else { ", merge_schemas 'false'".to_owned() };
    format!(
        "CREATE EXTERNAL TABLE t STORED AS ARROWFEED_{} LOCATION '{}' OPTIONS ({}{others})",
        case.format.to_uppercase(),
        path.display(),
        options.collect::<Vec<_>>().join(", ")
    )
}

#[tokio::test]
async fn each_option_gives_the_same_batches_as_in_other_languages() -> Result<()> {
    let directory = tempfile::tempdir()?;
    for case in cases("sql") {
        let path = directory.path().join(format!("{}.{}", case.name, case.format));
        std::fs::write(&path, &case.bytes)?;
        let context = session();
        context.sql(&statement(&case, &path, &case.value)).await?;
        let columns = case.select.as_ref().map_or("*".to_owned(), |columns| columns.join(", "));
        case.check(&context.sql(&format!("SELECT {columns} FROM t")).await?.collect().await?);
        if let Some(wrong) = &case.wrong {
            let error = session().sql(&statement(&case, &path, wrong)).await.unwrap_err();
            case.check_message(&error.to_string());
        }
    }
    Ok(())
}
