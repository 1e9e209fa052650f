//! Parsing Canonical Form, as the specification derives it.

use super::graph::{Graph, Type, TypeId};

/// Writes names without escapes, as Java does: a name with a quote or a control character makes the form invalid JSON.
pub(super) fn canonical(graph: &Graph) -> String {
    let mut writer = Writer { graph, written: vec![false; graph.types.len()], out: String::new() };
    writer.ty(graph.root);
    writer.out
}

struct Writer<'a> {
    graph: &'a Graph,
    /// Named types whose definition is already written or is being written.
    written: Vec<bool>,
    out: String,
}

impl Writer<'_> {
    /// Recurses no deeper than the schema's text: the walk follows its order, so a named type is first met where the text
    /// defines it.
    fn ty(&mut self, id: TypeId) {
        let graph = self.graph;
        match &graph.types[id] {
            Type::Null => self.quoted("null"),
            Type::Boolean => self.quoted("boolean"),
            Type::Int(_) => self.quoted("int"),
            Type::Long(_) => self.quoted("long"),
            Type::Float => self.quoted("float"),
            Type::Double => self.quoted("double"),
            Type::Bytes(_) => self.quoted("bytes"),
            Type::String { .. } => self.quoted("string"),
            Type::Array(items) => self.container(r#"{"type":"array","items":"#, *items),
            Type::Map(values) => self.container(r#"{"type":"map","values":"#, *values),
            Type::Union(branches) => self.list(branches, |writer, branch| writer.ty(*branch)),
            Type::Record(record) => self.named(id, &record.name, |writer| {
                writer.out.push_str(r#","type":"record","fields":"#);
                writer.list(&record.fields, |writer, field| {
                    writer.out.push_str(r#"{"name":"#);
                    writer.quoted(&field.name);
                    writer.out.push_str(r#","type":"#);
                    writer.ty(field.ty);
                    writer.out.push('}');
                });
            }),
            Type::Enum(symbols) => self.named(id, &symbols.name, |writer| {
                writer.out.push_str(r#","type":"enum","symbols":"#);
                writer.list(&symbols.symbols, |writer, symbol| writer.quoted(symbol));
            }),
            Type::Fixed(fixed) => self.named(id, &fixed.name, |writer| {
                writer.out.push_str(&format!(r#","type":"fixed","size":{}"#, fixed.size));
            }),
        }
    }

    fn container(&mut self, start: &str, inner: TypeId) {
        self.out.push_str(start);
        self.ty(inner);
        self.out.push('}');
    }

    /// Writes the definition the first time and the name afterwards.
    fn named(&mut self, id: TypeId, name: &str, rest: impl FnOnce(&mut Self)) {
        if std::mem::replace(&mut self.written[id], true) {
            return self.quoted(name);
        }
        self.out.push_str(r#"{"name":"#);
        self.quoted(name);
        rest(self);
        self.out.push('}');
    }

    fn list<T>(&mut self, items: &[T], item: impl Fn(&mut Self, &T)) {
        self.out.push('[');
        for (i, value) in items.iter().enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            item(self, value);
        }
        self.out.push(']');
    }

    fn quoted(&mut self, name: &str) {
        self.out.push('"');
        self.out.push_str(name);
        self.out.push('"');
    }
}

#[cfg(test)]
mod tests;
