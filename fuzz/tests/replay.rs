//! Replays the committed corpus and the seeds of each target, without a fuzzer.

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::thread::{self, Builder};

use arrowfeed_fuzz::{TARGETS, Target, hide_panics_of_dependencies};

/// The folder of the corpora, relative to the package.
const CORPUS: &str = "corpus";

#[test]
fn no_target_fails_for_its_corpus_and_its_seeds() {
    hide_panics_of_dependencies();
    // The names of the threads are in the messages of panics, and in that of a stack overflow.
    let failures: Vec<String> = thread::scope(|scope| {
        let start = |target: &'static Target| {
            let thread = Builder::new().name(target.name.to_owned());
            thread.spawn_scoped(scope, || failures(target)).expect("a thread")
        };
        let threads: Vec<_> = TARGETS.iter().map(start).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("failures")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The inputs for which a target fails, each with its message.
fn failures(target: &Target) -> Vec<String> {
    let seeds = (target.seeds)().into_iter().enumerate();
    let seeds = seeds.map(|(i, seed)| (format!("seed {i} of {}", target.name), seed));
    inputs(target.name)
        .chain(seeds)
        .filter_map(|(name, input)| {
            let panic = catch_unwind(|| (target.run)(&input)).err()?;
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            Some(format!("{}: {name}: {text}", target.name))
        })
        .collect()
}

/// The files of the corpus of a target, with their paths.
fn inputs(target: &str) -> impl Iterator<Item = (String, Vec<u8>)> {
    let files = fs::read_dir(Path::new(CORPUS).join(target)).into_iter().flatten();
    files.map(|file| {
        let path = file.expect("an entry of a directory").path();
        (format!("fuzz/{}", path.display()), fs::read(&path).expect("a file"))
    })
}

#[test]
fn each_target_has_a_corpus_and_a_row_of_the_readme() {
    let names: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    let folders =
        fs::read_dir(CORPUS).expect("the corpora").map(|folder| folder.expect("a folder").file_name());
    let folders: BTreeSet<String> = folders.map(|name| name.into_string().expect("a name")).collect();
    assert_eq!(folders, names, "the folders of fuzz/{CORPUS} are those of the targets");
    for name in names {
        assert!(inputs(&name).next().is_some(), "{name}: expected files in fuzz/{CORPUS}/{name}");
        let row = format!("| `{name}` |");
        assert!(include_str!("../README.md").contains(&row), "{name}: expected a row of fuzz/README.md");
    }
}
