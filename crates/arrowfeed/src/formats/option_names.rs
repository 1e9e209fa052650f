//! The names of the options of a format, from its parser.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::FormatOptions;

impl FormatOptions {
    /// The names of the options that [`from_json`](Self::from_json) and [`from_texts`](Self::from_texts) know for this format.
    ///
    /// ```
    /// # #[cfg(feature = "parquet")] {
    /// use arrowfeed::formats::{Format, FormatOptions};
    ///
    /// let options = FormatOptions::new(Format::Parquet)?;
    /// assert_eq!(options.names(), ["schema", "merge_schemas", "double_as_float"]);
    /// # }
    /// # Ok::<(), arrowfeed::FeedError>(())
    /// ```
    pub fn names(&self) -> &'static [&'static str] {
        each!(self, options => names_of(options))
    }
}

fn names_of<'de, T: Deserialize<'de>>(_: &T) -> &'static [&'static str] {
    T::deserialize(Names).err().map_or(&[], |names| names.0)
}

/// A deserializer whose error is the names of the fields of a struct.
struct Names;

#[derive(Debug)]
struct Found(&'static [&'static str]);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl std::error::Error for Found {}

impl de::Error for Found {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl<'de> Deserializer<'de> for Names {
    type Error = Found;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Found> {
        Err(Found(fields))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Found> {
        Err(Found(&[]))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
