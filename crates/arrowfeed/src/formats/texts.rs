//! A deserializer over texts, as SQL has them: the type of the option says what a text means.

use std::fmt;

use arrowfeed_source::quoted;
use serde::de::value::SeqDeserializer;
use serde::de::{self, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The text of an option.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'de>(pub(super) &'de str);

/// A wrong text.
#[derive(Debug)]
pub(super) struct TextError(String);

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TextError {}

impl de::Error for TextError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl<'de> Text<'de> {
    fn wrong(self, expected: &str) -> TextError {
        TextError(format!("expected {expected}, found {}", quoted(self.0)))
    }

    fn is_json(self) -> bool {
        self.0.trim_start().starts_with(['[', '{'])
    }

    /// Parses a list or an object in JSON.
    fn json<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        let mut json = serde_json::Deserializer::from_str(self.0);
        let value = json.deserialize_any(visitor).and_then(|value| json.end().map(|()| value));
        value.map_err(|error| TextError(error.to_string()))
    }
}

impl<'de> IntoDeserializer<'de, TextError> for Text<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Numbers, by their types.
macro_rules! numbers {
    ($($method:ident $visit:ident $kind:ty: $expected:literal;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
            visitor.$visit(self.0.parse::<$kind>().map_err(|_| self.wrong($expected))?)
        })*
    };
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = TextError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        if self.is_json() { self.json(visitor) } else { visitor.visit_borrowed_str(self.0) }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match self.0.to_ascii_lowercase().as_str() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(self.wrong("true or false")),
        }
    }

    numbers! {
        deserialize_i8 visit_i8 i8: "an integer of 8 bits";
        deserialize_i16 visit_i16 i16: "an integer of 16 bits";
        deserialize_i32 visit_i32 i32: "an integer of 32 bits";
        deserialize_i64 visit_i64 i64: "an integer of 64 bits";
        deserialize_u8 visit_u8 u8: "an integer of 0 to 255";
        deserialize_u16 visit_u16 u16: "an integer of 0 to 65,535";
        deserialize_u32 visit_u32 u32: "an integer of 0 or more";
        deserialize_u64 visit_u64 u64: "an integer of 0 or more";
        deserialize_f32 visit_f32 f32: "a number";
        deserialize_f64 visit_f64 f64: "a number";
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        if self.0.trim_start().starts_with('[') {
            return self.json(visitor);
        }
        visitor.visit_seq(SeqDeserializer::new([self].into_iter()))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        if self.is_json() { self.json(visitor) } else { Err(self.wrong("an object in JSON")) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct struct enum identifier ignored_any
    }
}
