//! Objects of JSON: structs, whose order does not count, and maps, whose order counts.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A struct that is an object in JSON.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use arrowfeed_source::Limits;
/// use arrowfeed_source::options::Object;
/// use serde::Deserialize;
/// use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
///
/// let map = MapDeserializer::<_, Error>::new([("schema_depth", 8_usize)].into_iter());
/// assert_eq!(Object::<Limits>::deserialize(map)?.0.schema_depth, 8);
/// let list = SeqDeserializer::<_, Error>::new([8_usize].into_iter());
/// let error = Object::<Limits>::deserialize(list).unwrap_err();
/// assert_eq!(error.to_string(), "invalid type: sequence, expected a JSON object");
/// # }
/// # Ok::<(), serde::de::value::Error>(())
/// ```
///
/// The derived parsers accept an array as well, whose items are the values of the fields in
/// the order in which Rust declares them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

struct Fields<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

/// Parses a struct that is an object in JSON, with null for none.
///
/// # Errors
/// The value is not an object, or one of its fields is wrong.
pub fn optional_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(deserializer)?.map(|Object(value)| value))
}

/// The entries of an object, in their order. No name appears twice.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use arrowfeed_source::options::Ordered;
/// use serde::Deserialize;
/// use serde::de::value::{Error, MapDeserializer};
///
/// let twice = MapDeserializer::<_, Error>::new([("a", 1), ("a", 2)].into_iter());
/// let error = Ordered::<i32>::deserialize(twice).unwrap_err();
/// assert_eq!(error.to_string(), "duplicate name \"a\"");
/// # }
/// # Ok::<(), serde::de::value::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = Ordered<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Ordered<T>, A::Error> {
        entries(map).map(Ordered)
    }
}

/// The entries of a map.
///
/// # Errors
/// A name appears twice.
fn entries<'de, T: Deserialize<'de>, A: MapAccess<'de>>(mut map: A) -> Result<Vec<(String, T)>, A::Error> {
    let (mut entries, mut names) = (Vec::new(), HashSet::new());
    while let Some((name, value)) = map.next_entry::<String, T>()? {
        if !names.insert(name.clone()) {
            return Err(A::Error::custom(format_args!("duplicate name {name:?}")));
        }
        entries.push((name, value));
    }
    Ok(entries)
}

/// Parses a list of objects, or an object whose entries are short forms of them: `[{"name": "id", "type": "Int64"}]`, or
/// `{"id": "Int64"}`. `expecting`: what both are, for messages.
///
/// # Errors
/// A name of the short form appears twice.
pub fn list_or_object<'de, T, V, D>(
    deserializer: D,
    of_entry: fn(String, V) -> T,
    expecting: &'static str,
) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(Items { of_entry, expecting })
}

struct Items<T, V> {
    of_entry: fn(String, V) -> T,
    expecting: &'static str,
}

impl<'de, T: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Items<T, V> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let mut found = Vec::new();
        while let Some(Object(item)) = items.next_element()? {
            found.push(item);
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
        Ok(entries(map)?.into_iter().map(|(name, value)| (self.of_entry)(name, value)).collect())
    }
}
