//! Types whose values have words: `string_type="large_utf8"` in Python, and `'string_type' 'large_utf8'` in SQL.

#[cfg(feature = "serde")]
use std::{fmt, marker::PhantomData};

#[cfg(feature = "serde")]
use serde::de::{Deserializer, Error, Visitor};

#[cfg(feature = "serde")]
use crate::quoted;

/// A type whose values have words, which are the same in all languages. The macro [`words`](crate::words) implements it.
///
/// ```
/// use arrowfeed_source::OnError;
/// use arrowfeed_source::options::Words;
///
/// assert_eq!(OnError::NAMES, ["raise", "skip_block", "skip_file"]);
/// assert_eq!(OnError::of_word("skip_file"), Some(OnError::SkipFile));
/// assert_eq!(OnError::SkipBlock.word(), "skip_block");
/// ```
pub trait Words: Copy + PartialEq + 'static {
    /// The words, in the order in which messages list them.
    const NAMES: &'static [&'static str];
    /// The values of the words, in the same order.
    const VALUES: &'static [Self];

    /// The value of a word; `None` if there is no such word.
    fn of_word(word: &str) -> Option<Self> {
        Self::NAMES.iter().position(|name| *name == word).map(|place| Self::VALUES[place])
    }

    /// The word of a value.
    fn word(self) -> &'static str {
        Self::VALUES.iter().position(|value| *value == self).map_or("", |place| Self::NAMES[place])
    }
}

/// Defines the words of types. With the feature `serde` of the calling crate, the types are parsed from their words.
///
/// ```
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// enum Speed {
///     Slow,
///     Fast,
/// }
///
/// arrowfeed_source::words! { Speed { "slow" = Slow, "fast" = Fast } }
/// ```
#[macro_export]
macro_rules! words {
    ($($type:ty { $($word:literal = $value:ident),* $(,)? })*) => {
        $(
            impl $crate::options::Words for $type {
                const NAMES: &'static [&'static str] = &[$($word),*];
                const VALUES: &'static [Self] = &[$(Self::$value),*];
            }

            #[cfg(feature = "serde")]
            impl<'de> $crate::options::serde::Deserialize<'de> for $type {
                fn deserialize<D>(deserializer: D) -> Result<Self, D::Error>
                where
                    D: $crate::options::serde::Deserializer<'de>,
                {
                    $crate::options::deserialize_word(deserializer)
                }
            }
        )*
    };
}

/// Parses a word.
#[cfg(feature = "serde")]
pub fn deserialize_word<'de, T: Words, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Word<T>(PhantomData<T>);

    impl<T: Words> Visitor<'_> for Word<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "one of {}", T::NAMES.join(", "))
        }

        fn visit_str<E: Error>(self, word: &str) -> Result<T, E> {
            T::of_word(word).ok_or_else(|| {
                E::custom(format_args!("expected one of {}, found {}", T::NAMES.join(", "), quoted(word)))
            })
        }
    }

    deserializer.deserialize_str(Word(PhantomData))
}
