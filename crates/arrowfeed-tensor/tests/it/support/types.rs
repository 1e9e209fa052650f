//! Arrow types from their notation in cases: `list<struct<a: int32, b: utf8?>>`. See `tests/README.md`.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit, UnionFields, UnionMode};

/// Parses fields like `a: int32, b: utf8?`.
pub(crate) fn fields(text: &str) -> Fields {
    let mut parser = Parser { rest: text };
    let fields = parser.fields();
    assert!(parser.rest.trim().is_empty(), "{:?} is no type", parser.rest);
    fields.into()
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest.strip_prefix(token);
        self.rest = found.unwrap_or(rest);
        found.is_some()
    }

    fn expect(&mut self, token: &str) {
        assert!(self.take(token), "expected {token:?} before {:?}", self.rest);
    }

    fn word(&mut self) -> String {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && !"_.".contains(c)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn fields(&mut self) -> Vec<FieldRef> {
        let mut fields = Vec::new();
        loop {
            let name = if self.take("'") {
                let (name, rest) = self.rest.split_once('\'').expect("a quote");
                let name = name.to_owned();
                self.rest = rest;
                name
            } else {
                self.word()
            };
            self.expect(":");
            fields.push(self.field(&name));
            if !self.take(",") {
                return fields;
            }
        }
    }

    fn field(&mut self, name: &str) -> FieldRef {
        let data_type = self.data_type();
        Arc::new(Field::new(name, data_type, self.take("?")))
    }

    fn items(&mut self) -> FieldRef {
        self.expect("<");
        let items = self.field("item");
        self.expect(">");
        items
    }

    fn number(&mut self) -> i32 {
        self.expect("[");
        let number = self.word().parse().expect("a number");
        self.expect("]");
        number
    }

    fn data_type(&mut self) -> DataType {
        match self.word().as_str() {
            "null" => DataType::Null,
            "boolean" => DataType::Boolean,
            "int8" => DataType::Int8,
            "int32" => DataType::Int32,
            "int64" => DataType::Int64,
            "uint64" => DataType::UInt64,
            "float32" => DataType::Float32,
            "float64" => DataType::Float64,
            "utf8" => DataType::Utf8,
            "large_utf8" => DataType::LargeUtf8,
            "utf8_view" => DataType::Utf8View,
            "binary" => DataType::Binary,
            "timestamp" => {
                self.expect("[ms]");
                DataType::Timestamp(TimeUnit::Millisecond, None)
            }
            "date32" => DataType::Date32,
            "decimal128" => {
                self.expect("(4, 2)");
                DataType::Decimal128(4, 2)
            }
            "fixed_size_binary" => DataType::FixedSizeBinary(self.number()),
            "dictionary" => {
                self.expect("<");
                let (keys, _) = (self.data_type(), self.expect(","));
                let values = self.data_type();
                self.expect(">");
                DataType::Dictionary(Box::new(keys), Box::new(values))
            }
            "list" => DataType::List(self.items()),
            "large_list" => DataType::LargeList(self.items()),
            "list_view" => DataType::ListView(self.items()),
            "large_list_view" => DataType::LargeListView(self.items()),
            "fixed_size_list" => {
                let items = self.items();
                DataType::FixedSizeList(items, self.number())
            }
            "map" => {
                self.expect("<");
                let keys = self.field("key");
                self.expect(",");
                let entries = Fields::from(vec![keys, self.field("value")]);
                self.expect(">");
                DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries), false)), false)
            }
            "struct" => {
                self.expect("<");
                let fields = self.fields();
                self.expect(">");
                DataType::Struct(fields.into())
            }
            "union" => {
                self.expect("<");
                let fields = self.fields();
                self.expect(">");
                let fields = fields.into_iter().enumerate().map(|(id, field)| (id as i8, field));
                DataType::Union(fields.collect::<UnionFields>(), UnionMode::Dense)
            }
            other => panic!("{other:?} is no type"),
        }
    }
}
