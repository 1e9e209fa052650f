//! The options of formats in C, by the cases that all languages have.

use serde_json::{Map, Value, json};

use crate::option_cases::{Case, cases};
use crate::support::*;

fn options(case: &Case, path: &std::path::Path, value: &Value) -> String {
    let mut options = Map::new();
    options.insert("paths".to_owned(), json!(path));
    options.insert("format".to_owned(), json!(case.format));
    options.insert("format_options".to_owned(), Value::Object(case.options(value)));
    if let Some(select) = &case.select {
        options.insert("columns".to_owned(), json!(select));
    }
    Value::Object(options).to_string()
}

#[test]
fn each_option_gives_the_same_batches_as_in_other_languages() {
    let directory = std::env::temp_dir().join(format!("arrowfeed-c-options-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for case in cases("c") {
        let path = directory.join(format!("{}.{}", case.name, case.format));
        std::fs::write(&path, &case.bytes).unwrap();
        case.check(&open(&options(&case, &path, &case.value)).unwrap().batches("{}"));
        if let Some(wrong) = &case.wrong {
            let failure = open(&options(&case, &path, wrong)).err().unwrap();
            case.check_message(&failure.message);
        }
        let unknown = json!({"paths": path, "format": case.format, "format_options": {"colums": 1}});
        let message = open(&unknown.to_string()).err().unwrap().message;
        assert!(message.starts_with(&format!("format_options of {}: unknown field `colums`, ", case.format)));
    }
    std::fs::remove_dir_all(directory).unwrap();
}
