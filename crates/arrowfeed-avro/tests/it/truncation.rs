//! Truncated files: every prefix of many small files.

use std::collections::HashSet;

use arrowfeed_avro::{AvroOptions, FeedErrorKind};

use crate::support_hostile::outcome::Outcome;
use crate::support_hostile::seeds::{Seed, seeds};
use crate::support_hostile::ways::{read, read_every_way};

#[test]
fn a_prefix_is_whole_at_the_border_of_a_block_and_truncated_elsewhere() {
    let options = AvroOptions::default();
    let mut prefixes = 0;
    for seed in seeds(50) {
        for cut in 0..=seed.bytes.len() {
            check_prefix(&seed, cut, &read(&seed.bytes[..cut], &options));
            prefixes += 1;
        }
    }
    assert!(prefixes > 20_000, "{prefixes} prefixes are too few to show much");
}

#[test]
fn the_cuts_near_a_border_are_the_same_from_every_kind_of_source() {
    for seed in seeds(18) {
        let near = |border: usize| border.saturating_sub(17)..=border + 3;
        let cuts: HashSet<usize> = seed.borders.iter().flat_map(|(border, _)| near(*border)).collect();
        for cut in cuts.into_iter().filter(|cut| *cut <= seed.bytes.len()) {
            check_prefix(&seed, cut, &read_every_way(&seed.bytes[..cut], &AvroOptions::default()));
        }
    }
}

fn check_prefix(seed: &Seed, cut: usize, outcome: &Outcome) {
    let whole = seed.borders.iter().rev().find(|(border, _)| *border <= cut);
    let rows = whole.map_or(0, |(_, rows)| *rows);
    let place = format!("{}, cut at byte {cut} of {}", seed.name, seed.bytes.len());
    assert_eq!(outcome.rows(), rows, "{place}: {}", outcome.verdict());
    match &outcome.fault {
        None => assert!(whole.is_some_and(|(border, _)| *border == cut), "{place}: silently short"),
        Some(fault) => {
            assert_eq!(fault.kind, FeedErrorKind::Truncated, "{place}: {fault}");
            assert!(whole.is_none_or(|(border, _)| *border != cut), "{place}: {fault}");
        }
    }
}
