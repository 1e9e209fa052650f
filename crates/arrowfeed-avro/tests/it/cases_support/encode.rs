//! Conversion of Avro's JSON encoding to its binary encoding, in plain code that shares nothing with the reader.
//!
//! Arrays and maps become one block of items, without its size. Names are looked up as the cases write them: full, or
//! without any namespace.

use std::collections::HashMap;

use serde_json::Value;

/// The named types of one schema.
pub(crate) struct Encoder<'a> {
    named: HashMap<&'a str, &'a Value>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(schema: &'a Value) -> Self {
        let mut named = HashMap::new();
        collect(schema, &mut named);
        Self { named }
    }

    /// Appends `json` as a value of type `schema`.
    pub(crate) fn value(&self, schema: &Value, json: &Value, out: &mut Vec<u8>) {
        match schema {
            Value::Array(branches) => self.union(branches, json, out),
            Value::String(name) => match self.named.get(name.as_str()) {
                Some(named) => self.value(named, json, out),
                None => primitive(name, json, out),
            },
            _ => self.complex(schema, json, out),
        }
    }

    fn complex(&self, schema: &Value, json: &Value, out: &mut Vec<u8>) {
        match schema["type"].as_str() {
            Some("record" | "error") => {
                for field in array(&schema["fields"]) {
                    let value = &json[field["name"].as_str().unwrap()];
                    self.value(&field["type"], value, out);
                }
            }
            Some("enum") => {
                let symbol = array(&schema["symbols"]).iter().position(|symbol| symbol == json);
                long(symbol.unwrap_or_else(|| panic!("no symbol {json}")) as i64, out);
            }
            Some("fixed") => {
                let value = code_points(json);
                assert_eq!(schema["size"], value.len(), "the size of {json}");
                out.extend(value);
            }
            Some("array") => {
                self.items(array(json).iter(), out, |item, out| self.value(&schema["items"], item, out))
            }
            Some("map") => {
                let entries = json.as_object().unwrap_or_else(|| panic!("no map: {json}"));
                self.items(entries.iter(), out, |(key, value), out| {
                    bytes(key.as_bytes(), out);
                    self.value(&schema["values"], value, out);
                });
            }
            _ => self.value(&schema["type"], json, out),
        }
    }

    fn items<T>(
        &self,
        items: impl ExactSizeIterator<Item = T>,
        out: &mut Vec<u8>,
        write: impl Fn(T, &mut Vec<u8>),
    ) {
        if items.len() > 0 {
            long(items.len() as i64, out);
            items.for_each(|item| write(item, out));
        }
        long(0, out);
    }

    /// `null`, or `{"name of the branch": value}`.
    fn union(&self, branches: &[Value], json: &Value, out: &mut Vec<u8>) {
        let (name, value) = match json {
            Value::Null => ("null", json),
            Value::Object(tagged) if tagged.len() == 1 => {
                tagged.iter().next().map(|(k, v)| (&**k, v)).unwrap()
            }
            _ => panic!("expected null or an object of one branch, found {json}"),
        };
        let index = branches.iter().position(|branch| branch_name(branch) == name);
        let index = index.unwrap_or_else(|| panic!("no branch {name}"));
        long(index as i64, out);
        self.value(&branches[index], value, out);
    }
}

fn collect<'a>(schema: &'a Value, named: &mut HashMap<&'a str, &'a Value>) {
    match schema {
        Value::Array(branches) => branches.iter().for_each(|branch| collect(branch, named)),
        Value::Object(object) => {
            if let Some(name) = object.get("name").and_then(Value::as_str) {
                named.insert(name, schema);
            }
            for key in ["type", "items", "values"] {
                object.get(key).into_iter().for_each(|inner| collect(inner, named));
            }
            for field in object.get("fields").into_iter().flat_map(array) {
                collect(&field["type"], named);
            }
        }
        _ => {}
    }
}

fn branch_name(branch: &Value) -> &str {
    let name = branch.get("name").or(branch.get("type")).unwrap_or(branch);
    name.as_str().unwrap_or_else(|| panic!("no name of {branch}"))
}

fn primitive(name: &str, json: &Value, out: &mut Vec<u8>) {
    match name {
        "null" => assert_eq!(json, &Value::Null),
        "boolean" => out.push(json.as_bool().unwrap_or_else(|| panic!("no boolean: {json}")).into()),
        "int" | "long" => long(json.as_i64().unwrap_or_else(|| panic!("no {name}: {json}")), out),
        "float" => out.extend((float(json) as f32).to_le_bytes()),
        "double" => out.extend(float(json).to_le_bytes()),
        "string" => bytes(json.as_str().unwrap_or_else(|| panic!("no string: {json}")).as_bytes(), out),
        "bytes" => bytes(&code_points(json), out),
        _ => panic!("no type {name}"),
    }
}

/// A number, or a string with the name of a number that JSON cannot represent.
fn float(json: &Value) -> f64 {
    let named = json.as_str().map(|text| text.parse());
    let value = named.map_or(json.as_f64(), Result::ok);
    value.unwrap_or_else(|| panic!("no number: {json}"))
}

/// Bytes from the code points 0 to 255 of a string.
fn code_points(json: &Value) -> Vec<u8> {
    let text = json.as_str().unwrap_or_else(|| panic!("no bytes: {json}"));
    text.chars().map(|c| u8::try_from(c).unwrap_or_else(|_| panic!("no byte {c:?}"))).collect()
}

fn array(json: &Value) -> &[Value] {
    json.as_array().unwrap_or_else(|| panic!("no array: {json}"))
}

/// Length and bytes.
pub(crate) fn bytes(value: &[u8], out: &mut Vec<u8>) {
    long(value.len() as i64, out);
    out.extend(value);
}

/// Zigzag, then seven bits in each byte.
pub(crate) fn long(value: i64, out: &mut Vec<u8>) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest > 0x7f {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}
