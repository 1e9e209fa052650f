//! `Limits` in JSON.

use arrowfeed::Limits;
use serde::Deserialize;

/// Defines the fields of [`Limits`], with its defaults.
macro_rules! limits {
    ($($name:ident: $kind:ty),* $(,)?) => {
        /// The fields of [`Limits`].
        #[derive(Debug, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(crate) struct LimitOptions { $($name: $kind),* }

        impl Default for LimitOptions {
            fn default() -> Self {
                let Limits { $($name),* } = Limits::default();
                Self { $($name),* }
            }
        }

        impl From<LimitOptions> for Limits {
            fn from(options: LimitOptions) -> Self {
                let LimitOptions { $($name),* } = options;
                Self { $($name),* }
            }
        }
    };
}

limits! {
    header_bytes: usize,
    schema_bytes: usize,
    schema_depth: usize,
    expanded_fields: usize,
    decoded_block_bytes: usize,
    skipped_depth: usize,
    zero_byte_elements: u64,
    zero_byte_rows: u64,
    batch_bytes: usize,
    zstd_window_bytes: usize,
    xz_memory_bytes: usize,
}
