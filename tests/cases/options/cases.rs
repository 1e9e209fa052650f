//! The cases of `options.toml`, which a test of each language reads.

use std::path::Path;

use arrow_array::RecordBatch;
use serde::Deserialize;
use serde_json::{Map, Value};

/// An option of a format, with a value.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) format: String,
    pub(crate) name: String,
    pub(crate) value: Value,
    /// Further options.
    pub(crate) others: Map<String, Value>,
    /// The columns that are read. `None`: all.
    pub(crate) select: Option<Vec<String>>,
    /// The content of the file.
    pub(crate) bytes: Vec<u8>,
    /// The expected columns, with their types.
    columns: Vec<String>,
    /// The expected rows.
    rows: Value,
    /// A wrong value of the option, if there is one.
    pub(crate) wrong: Option<Value>,
}

impl Case {
    /// The options of the format, with this value of the option.
    pub(crate) fn options(&self, value: &Value) -> Map<String, Value> {
        let mut options = self.others.clone();
        options.insert(self.name.clone(), value.clone());
        options
    }

    /// Compares the columns and the rows.
    pub(crate) fn check(&self, batches: &[RecordBatch]) {
        let fields = batches[0].schema();
        let shown = |field: &arrow_schema::FieldRef| {
            let null = if field.is_nullable() { "" } else { " not null" };
            format!("{} {}{null}", field.name(), field.data_type())
        };
        let columns: Vec<String> = fields.fields().iter().map(shown).collect();
        assert_eq!(columns, self.columns, "{self:?}");
        let mut text = Vec::new();
        let builder = arrow_json::WriterBuilder::new().with_explicit_nulls(true);
        let mut writer = builder.build::<_, arrow_json::writer::JsonArray>(&mut text);
        writer.write_batches(&batches.iter().collect::<Vec<_>>()).unwrap();
        writer.finish().unwrap();
        drop(writer);
        assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), self.rows, "{self:?}");
    }

    /// Checks the message of a wrong value.
    pub(crate) fn check_message(&self, message: &str) {
        assert!(message.contains(&self.name) && message.contains("expected"), "{self:?}: {message}");
    }
}

/// All cases of a language, `c` or another key of `lacks`.
pub(crate) fn cases(language: &str) -> Vec<Case> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        format: String,
        name: String,
        value: String,
        others: Option<String>,
        select: Option<Vec<String>>,
        file: Option<String>,
        text: Option<String>,
        columns: Vec<String>,
        rows: String,
        wrong: Option<String>,
        #[serde(rename = "python")]
        _python: Option<String>,
        #[serde(default)]
        lacks: std::collections::BTreeMap<String, String>,
    }

    #[derive(Deserialize)]
    struct All {
        files: std::collections::BTreeMap<String, String>,
        option: Vec<Given>,
    }

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/options/options.toml");
    let all: All = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let of_hex = |digits: &String| {
        let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
    };
    let json = |text: &String| serde_json::from_str::<Value>(text).unwrap();
    let case = |given: Given| Case {
        value: json(&given.value),
        others: given.others.map(|others| serde_json::from_str(&others).unwrap()).unwrap_or_default(),
        select: given.select,
        bytes: match (&given.text, &given.file) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(file)) => of_hex(&all.files[file]),
            _ => panic!("{}: expected a text or a file", given.name),
        },
        columns: given.columns,
        rows: json(&given.rows),
        wrong: given.wrong.as_ref().map(json),
        format: given.format,
        name: given.name,
    };
    all.option.into_iter().filter(|given| !given.lacks.contains_key(language)).map(case).collect()
}
