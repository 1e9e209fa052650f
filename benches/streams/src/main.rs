//! Compares streams of batches with the blocking reader, and counts the threads that they take.
//!
//! - `bench-streams overhead FILE [ROUNDS]` reads a file by both, alternately, and prints the median times and the longest poll.
//! - `bench-streams threads URL...` reads objects as one stream, and prints the time and the largest number of threads.

use std::error::Error;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use arrowfeed::asynchronous::BatchStream;
use arrowfeed::avro::{AvroFormat, AvroOptions};
use arrowfeed::store::{StoreOptions, resolve};
use arrowfeed::{FeedError, FileReader, FileSource, ReadOptions};
use futures_executor::block_on;

type AnyError = Box<dyn Error>;

fn main() -> Result<(), AnyError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, [file, rest @ ..])) if command == "overhead" => {
            overhead(file, rest.first().map_or(Ok(9), |rounds| rounds.parse())?)
        }
        Some((command, urls)) if command == "threads" && !urls.is_empty() => threads(urls),
        _ => Err("usage: bench-streams overhead FILE [ROUNDS] | bench-streams threads URL...".into()),
    }
}

fn overhead(file: &str, rounds: usize) -> Result<(), AnyError> {
    let (mut blocking, mut streamed, mut longest) = (Vec::new(), Vec::new(), Vec::new());
    let mut ticks = [0; 2];
    for _ in 0..rounds {
        let (start, used) = (Instant::now(), used_ticks()?);
        let mut rows = 0;
        for batch in open([file])? {
            rows += batch?.num_rows();
        }
        blocking.push(start.elapsed());
        ticks[0] += used_ticks()? - used;

        let (start, used) = (Instant::now(), used_ticks()?);
        let stream = open([file])?.into_stream()?;
        let (found, poll) = block_on(drain(stream))?;
        streamed.push(start.elapsed());
        ticks[1] += used_ticks()? - used;
        longest.push(poll);
        if found != rows {
            return Err(format!("expected {rows} rows, found {found}").into());
        }
    }
    let [blocking, streamed] = [&mut blocking[..], &mut streamed[..]].map(median);
    let longest = longest.into_iter().max().unwrap_or_default();
    let more = 100.0 * (streamed.as_secs_f64() / blocking.as_secs_f64() - 1.0);
    let more_used = 100.0 * (ticks[1] as f64 / ticks[0].max(1) as f64 - 1.0);
    println!(
        "blocking {blocking:.1?}, stream {streamed:.1?} ({more:+.1} %), CPU time {more_used:+.1} %, longest poll {longest:.1?}"
    );
    Ok(())
}

fn open(sources: impl IntoIterator<Item: Into<FileSource>>) -> Result<FileReader, FeedError> {
    AvroFormat::read(sources, AvroOptions::default(), ReadOptions::default())
}

/// The CPU time of this process, in ticks of the system.
fn used_ticks() -> Result<u64, AnyError> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in brackets, may have spaces.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let found: Vec<u64> = fields.skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    Ok(found.iter().sum())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Reads to the end. Returns the number of rows, and the time of the longest poll.
async fn drain(mut stream: BatchStream) -> Result<(usize, Duration), FeedError> {
    let (mut rows, mut longest) = (0, Duration::ZERO);
    loop {
        let mut next = pin!(stream.next());
        let measured = |context: &mut Context<'_>| -> Poll<Option<Result<_, FeedError>>> {
            let start = Instant::now();
            let polled = Pin::as_mut(&mut next).poll(context);
            longest = longest.max(start.elapsed());
            polled
        };
        match std::future::poll_fn(measured).await {
            Some(batch) => rows += batch?.num_rows(),
            None => return Ok((rows, longest)),
        }
    }
}

fn threads(urls: &[String]) -> Result<(), AnyError> {
    let (ends, most) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
    let (has_ended, largest) = (ends.clone(), most.clone());
    let counter = std::thread::spawn(move || {
        while !has_ended.load(Ordering::Relaxed) {
            let count = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
            // Without this thread.
            largest.fetch_max(count.saturating_sub(1), Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let start = Instant::now();
    let mut sources = Vec::new();
    for url in urls {
        let objects = resolve(url, "avro", &StoreOptions::default(), None, None)?;
        sources.extend(objects.into_iter().map(|object| FileSource::remote(object.name, object.object)));
    }
    let stream = open(sources)?.into_stream()?;
    let (rows, longest) = block_on(drain(stream))?;
    let took = start.elapsed();
    ends.store(true, Ordering::Relaxed);
    counter.join().map_err(|_| "the thread that counts has panicked")?;
    println!(
        "{rows} rows in {took:.1?}, at most {} threads, longest poll {longest:.1?}",
        most.load(Ordering::Relaxed)
    );
    Ok(())
}
