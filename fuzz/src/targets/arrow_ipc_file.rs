//! Reads any bytes as an Arrow IPC file or stream. Expects rows or an error, the same rows chunk by chunk and range by range as
//! from the whole file, and valid arrays.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arbitrary::Unstructured;
use arrowfeed_ipc::{IpcFormat, IpcOptions};
use arrowfeed_source::Limits;

use crate::hostile::random::Random;
use crate::{files, ipc, structs};

pub(crate) fn run(file: &[u8]) {
    let limits = Limits { header_bytes: 1 << 20, zero_byte_rows: 1 << 16, ..files::limits() };
    let cuts = [file.len(), file.len() / 256].map(|n| (n % 256) as u8);
    let options = IpcOptions { limits, ..IpcOptions::default() };
    files::check(|file| IpcFormat::files([file], options.clone(), None), file, &cuts);
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    ipc::seeds().into_iter().chain(random_ipc_files()).collect()
}

/// Arrow IPC files and streams with columns of random types.
fn random_ipc_files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..4096).map(|_| random.below(256) as u8).collect();
        // Too few bytes do not make a case.
        let _ = structs::case(&mut Unstructured::new(&bytes), |batch| {
            let (kind, codec) = (*random.pick(&ipc::KINDS), *random.pick(&ipc::CODECS));
            // The crate arrow-ipc panics for some batches.
            let written = catch_unwind(AssertUnwindSafe(|| {
                ipc::write(kind, &ipc::cut(&batch, batch.num_rows().max(2) / 2), ipc::packed(codec))
            }));
            files.extend(written);
        });
    }
    files
}
