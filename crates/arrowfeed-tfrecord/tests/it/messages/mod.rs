//! Comparison of the message decoders with plain parsers.

mod encoding;
mod example;
mod oracle;
mod random;
mod sequence_example;
