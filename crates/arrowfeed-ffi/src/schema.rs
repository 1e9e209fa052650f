//! Import of schema structs: a walk over the raw structs checks everything that arrow-rs asserts or dereferences; then
//! arrow-rs converts them.
//!
//! Unsafe: pointers of a producer are followed. Each is checked for null first. Children are read only up to the count
//! of the producer, and no deeper than [`MAX_DEPTH`], so that a recursive schema is an error as well.
#![expect(unsafe_code, reason = "follows the raw pointers in schema structs of other libraries")]

use std::ffi::{CStr, c_char};
use std::slice;
use std::sync::Arc;

use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};

use crate::invalid::{Checked, Invalid};
use crate::types;

/// Maximum nesting of types in an import: that of the schema of an Avro file. The limit of pyarrow is 64.
pub const MAX_DEPTH: usize = 128;

/// Maximum size of a schema in an import: the bytes of its names, formats and metadata, and 256 bytes for each field.
pub const MAX_SCHEMA_BYTES: usize = 256 << 20;

/// Approximate memory of a field without its strings.
const FIELD_BYTES: usize = 256;

/// Imports the field of a schema struct.
///
/// # Safety
///
/// Non-null pointers in the struct point to memory as described by the C data interface, of the size that the struct
/// states.
pub unsafe fn import_field(schema: &FFI_ArrowSchema) -> Result<Field, Invalid> {
    // SAFETY: guaranteed by the caller.
    unsafe { describe(schema, &mut Vec::new())? };
    let field = Field::try_from(schema)?;
    types::check(field.data_type())?;
    Ok(field)
}

/// The schema of the record batches that are imported from struct arrays of a field. `None` if the type is not a
/// struct.
pub fn columns(field: &Field) -> Option<SchemaRef> {
    let DataType::Struct(fields) = field.data_type() else { return None };
    Some(Arc::new(Schema::new_with_metadata(fields.clone(), field.metadata().clone())))
}

/// Replaces each column that is not imported, selected by index, by a column of the null type.
pub fn projected(schema: &Schema, is_read: impl Fn(usize) -> bool) -> SchemaRef {
    let fields = schema.fields().iter().enumerate().map(|(index, field)| match is_read(index) {
        true => field.clone(),
        false => Arc::new(Field::new(field.name(), DataType::Null, true)),
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Fields>(), schema.metadata().clone()))
}

/// Checks a schema struct and appends an injective encoding of the schema without its metadata: strings are
/// NUL-terminated, and children follow their field, prefixed by their count.
///
/// # Safety
///
/// As for [`import_field`].
pub unsafe fn describe(schema: &FFI_ArrowSchema, text: &mut Vec<u8>) -> Result<(), Invalid> {
    // SAFETY: guaranteed by the caller.
    unsafe { SchemaWalk { bytes: 0, text }.schema(schema, 1) }
}

/// Walk over all structs of a schema.
struct SchemaWalk<'t> {
    text: &'t mut Vec<u8>,
    /// Size of the schema so far. A struct may be reached several times, so a few structs can represent any number of
    /// fields.
    bytes: usize,
}

impl SchemaWalk<'_> {
    /// # Safety
    ///
    /// As for `import_field`.
    unsafe fn schema(&mut self, schema: &FFI_ArrowSchema, depth: usize) -> Checked<()> {
        if depth > MAX_DEPTH {
            return Err(Invalid::new(format!("a schema that is nested more than {MAX_DEPTH} levels deep")));
        }
        if schema.release.is_none() {
            return Err(Invalid::new("a schema that was released"));
        }
        self.count(FIELD_BYTES)?;
        // SAFETY: guaranteed by the caller, for this and all calls below.
        let format = unsafe { self.text(schema.format, "format")? };
        let format = format.ok_or_else(|| Invalid::new("a schema without a format"))?;
        // SAFETY: as above.
        let name = unsafe { self.text(schema.name, "name")?.unwrap_or_default() };
        // SAFETY: as above.
        unsafe { self.metadata(schema.metadata.cast())? };
        let children = number_of_children(schema, format)?;
        for part in [format, name] {
            self.text.extend_from_slice(part.as_bytes());
            self.text.push(0);
        }
        self.text.extend_from_slice(&schema.flags.to_ne_bytes());
        self.text.extend_from_slice(&children.to_ne_bytes());
        self.text.push((!schema.dictionary.is_null()).into());
        if children > 0 && schema.children.is_null() {
            return Err(Invalid::new(format!("a null pointer to {children} children of a schema")));
        }
        for index in 0..children {
            // SAFETY: there are as many pointers, each null or to a struct.
            let child = unsafe { schema.children.add(index).read_unaligned().as_ref() };
            let child =
                child.ok_or_else(|| Invalid::new(format!("a null pointer to child {index} of a schema")))?;
            // SAFETY: guaranteed by the caller.
            unsafe { self.schema(child, depth + 1)? };
        }
        // SAFETY: null, or a struct.
        match unsafe { schema.dictionary.as_ref() } {
            // SAFETY: guaranteed by the caller.
            Some(dictionary) => unsafe { self.schema(dictionary, depth + 1) },
            None => Ok(()),
        }
    }

    /// # Safety
    ///
    /// Null, or a NUL-terminated string.
    unsafe fn text<'a>(&mut self, text: *const c_char, what: &str) -> Checked<Option<&'a str>> {
        if text.is_null() {
            return Ok(None);
        }
        // SAFETY: guaranteed by the caller.
        let text = unsafe { CStr::from_ptr(text) };
        self.count(text.count_bytes())?;
        let text =
            text.to_str().map_err(|_| Invalid::new(format!("a {what} of a schema that is not UTF-8")))?;
        Ok(Some(text))
    }

    /// # Safety
    ///
    /// Null, or a number of pairs of strings, each with its length, as described by the interface.
    unsafe fn metadata(&mut self, metadata: *const u8) -> Checked<()> {
        if metadata.is_null() {
            return Ok(());
        }
        // SAFETY: guaranteed by the caller: there is a number, and after each number as many items as it states.
        unsafe {
            let pairs = length(metadata, "entries")?;
            // A pair has two lengths, even if both strings are empty.
            self.count(pairs.saturating_mul(8))?;
            let mut at = metadata.add(4);
            for _ in 0..2 * pairs {
                let bytes = length(at, "bytes")?;
                self.count(bytes)?;
                let text = slice::from_raw_parts(at.add(4), bytes);
                str::from_utf8(text).map_err(|_| Invalid::new("metadata of a schema that is not UTF-8"))?;
                at = at.add(4 + bytes);
            }
        }
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Checked<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= MAX_SCHEMA_BYTES {
            return Ok(());
        }
        Err(Invalid::new(format!("a schema of more than {} MiB", MAX_SCHEMA_BYTES >> 20)))
    }
}

/// # Safety
///
/// There are four bytes.
unsafe fn length(at: *const u8, what: &str) -> Checked<usize> {
    // SAFETY: guaranteed by the caller.
    let number = unsafe { at.cast::<i32>().read_unaligned() };
    usize::try_from(number).map_err(|_| Invalid::new(format!("metadata of {number} {what}")))
}

/// The number of children. The format determines it for all types except structs and unions.
fn number_of_children(schema: &FFI_ArrowSchema, format: &str) -> Checked<usize> {
    let found = schema.n_children;
    let fixed = match format {
        "+s" => None,
        "+r" => Some(2),
        union if union.starts_with("+u") => None,
        list if list.starts_with('+') => Some(1),
        _ => Some(0),
    };
    match usize::try_from(found) {
        Ok(children) if fixed.is_none_or(|fixed| fixed == children) => Ok(children),
        _ => Err(Invalid::new(format!("a schema of the format {format:.50?} with {found} children"))),
    }
}
