//! The decoders of messages against plain parsers.

mod encoding;
mod example;
mod oracle;
mod random;
mod sequence_example;
