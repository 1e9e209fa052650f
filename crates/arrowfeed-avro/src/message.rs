//! Framing of messages: the bytes before a record, which identify its writer's schema.
//!
//! | framing | bytes before a record | source |
//! |---|---|---|
//! | bare | none | |
//! | single object | `c3 01`, the CRC-64-AVRO fingerprint of the schema in 8 bytes, little-endian | Avro specification, "Single-object encoding" |
//! | Confluent | `00`, the number of the schema in its registry in 4 bytes, big-endian | Confluent Schema Registry, "Wire format" |

use arrowfeed_source::{FeedError, FeedErrorKind, counted, hex};

/// The way in which messages identify the schema of their record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Framing {
    /// The message has no identifier.
    #[default]
    Bare,
    /// The CRC-64-AVRO fingerprint of the schema, see
    /// [`AvroSchema::fingerprint`](crate::AvroSchema::fingerprint).
    SingleObject,
    /// The number of the schema in a schema registry.
    Confluent,
}

impl Framing {
    /// Returns the bytes with which a message begins.
    fn marker(self) -> &'static [u8] {
        match self {
            Self::Bare => &[],
            Self::SingleObject => &[0xc3, 0x01],
            Self::Confluent => &[0],
        }
    }

    /// Returns the number of bytes before a record.
    pub fn len(self) -> usize {
        match self {
            Self::Bare => 0,
            Self::SingleObject => 10,
            Self::Confluent => 5,
        }
    }

    /// Returns whether messages are bare records.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes before a record whose schema has this fingerprint or number. Without an identifier, `key` is ignored.
    ///
    /// ```
    /// use arrowfeed_avro::Framing;
    ///
    /// assert_eq!(Framing::Confluent.head(7)?, [0, 0, 0, 0, 7]);
    /// assert!(Framing::Bare.head(7)?.is_empty());
    /// # Ok::<(), arrowfeed_avro::FeedError>(())
    /// ```
    ///
    /// # Errors
    /// The number of a registry has more than 32 bits.
    pub fn head(self, key: u64) -> Result<Vec<u8>, FeedError> {
        let key = match self {
            Self::Bare => Vec::new(),
            Self::SingleObject => key.to_le_bytes().to_vec(),
            Self::Confluent => match u32::try_from(key) {
                Ok(number) => number.to_be_bytes().to_vec(),
                Err(error) => {
                    let message = format!("expected a schema number of at most {}, found {key}", u32::MAX);
                    return Err(FeedError::new(FeedErrorKind::Options, message).with_source(error));
                }
            },
        };
        Ok([self.marker(), &key].concat())
    }

    /// Splits a message into the fingerprint or number of its schema, and the record. The identifier is `None`
    /// if the framing has none.
    ///
    /// ```
    /// use arrowfeed_avro::Framing;
    ///
    /// assert_eq!(Framing::Confluent.split(&[0, 0, 0, 0, 7, 2])?, (Some(7), &[2][..]));
    /// assert_eq!(Framing::Bare.split(&[2])?, (None, &[2][..]));
    /// # Ok::<(), arrowfeed_avro::FeedError>(())
    /// ```
    ///
    /// # Errors
    /// The message is too short, or begins with other bytes.
    pub fn split(self, message: &[u8]) -> Result<(Option<u64>, &[u8]), FeedError> {
        let wrong = |message: String| FeedError::new(FeedErrorKind::CorruptBlock, message);
        let Some((head, record)) = message.split_at_checked(self.len()) else {
            let (expected, found) = (self.len(), counted(message.len() as u64, "byte"));
            return Err(wrong(format!(
                "expected a message header of {expected} bytes, found a message of {found}"
            )));
        };
        let (marker, key) = head.split_at(self.marker().len());
        if marker != self.marker() {
            let (expected, found) = (hex(self.marker()), hex(marker));
            return Err(wrong(format!("expected a message that begins with {expected}, found {found}")));
        }
        let add = |sum, byte: &u8| sum << 8 | u64::from(*byte);
        let key = match self {
            Self::Bare => None,
            Self::SingleObject => Some(key.iter().rev().fold(0, add)),
            Self::Confluent => Some(key.iter().fold(0, add)),
        };
        Ok((key, record))
    }

    /// Creates the error for a message with an unknown schema.
    #[cold]
    pub(crate) fn unknown(self, key: u64) -> FeedError {
        let found = match self {
            Self::Confluent => format!("the number {key}"),
            Self::Bare | Self::SingleObject => format!("the fingerprint {key:#018x}"),
        };
        let message = format!("expected a message of one of the schemas of the decoder, found {found}");
        FeedError::new(FeedErrorKind::Schema, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_that_are_written_are_read() {
        let record = [2, 4];
        for (framing, key) in [
            (Framing::Bare, None),
            (Framing::SingleObject, Some(0x0123_4567_89ab_cdef)),
            (Framing::Confluent, Some(u64::from(u32::MAX))),
        ] {
            let head = framing.head(key.unwrap_or(9)).unwrap();
            assert_eq!(head.len(), framing.len());
            assert_eq!(framing.split(&[&head[..], &record].concat()).unwrap(), (key, &record[..]));
        }
        let error = Framing::Confluent.head(1 << 32).unwrap_err().to_string();
        assert_eq!(error, "expected a schema number of at most 4294967295, found 4294967296");
    }

    #[test]
    fn heads_are_read_as_specified() {
        let single = [0xc3, 0x01, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(Framing::SingleObject.split(&single).unwrap(), (Some(0x0807_0605_0403_0201), &[9][..]));
        assert_eq!(Framing::Confluent.split(&[0, 1, 2, 3, 4]).unwrap(), (Some(0x0102_0304), &[][..]));
        let error = |framing: Framing, message: &[u8]| framing.split(message).unwrap_err().to_string();
        assert_eq!(
            error(Framing::SingleObject, &single[..9]),
            "expected a message header of 10 bytes, found a message of 9 bytes"
        );
        assert_eq!(
            error(Framing::SingleObject, &[0xc3, 0x02, 0, 0, 0, 0, 0, 0, 0, 0]),
            "expected a message that begins with c3 01, found c3 02"
        );
        assert_eq!(
            error(Framing::Confluent, &[1, 0, 0, 0, 0]),
            "expected a message that begins with 00, found 01"
        );
    }
}
