//! Tests of the bounds of columns: no value lies outside of them, and exact ones are values.

use arrow_array::{Array, ArrayRef};
use arrow_ord::ord::make_comparator;
use arrow_schema::SortOptions;
use arrowfeed_source::Check;
use arrowfeed_source::format::ColumnBounds;

use crate::random_run;
use crate::support::compared::opened;
use crate::support::nested::Random;

/// The places of the least and the greatest value, but for NaN.
fn extremes(values: &ArrayRef) -> Option<(usize, usize)> {
    let compare = make_comparator(values, values, SortOptions::default()).unwrap();
    let is_nan = |at: usize| arrow_cast::display::array_value_to_string(values, at).unwrap() == "NaN";
    let rows = || (0..values.len()).filter(|at| values.is_valid(*at) && !is_nan(*at));
    let least = rows().min_by(|left, right| compare(*left, *right))?;
    Some((least, rows().max_by(|left, right| compare(*left, *right))?))
}

fn check(bounds: &ColumnBounds, values: &ArrayRef) {
    assert_eq!([&bounds.min, &bounds.max].map(|bound| bound.len()), [1, 1]);
    assert_eq!([&bounds.min, &bounds.max].map(|bound| bound.data_type()), [values.data_type(); 2]);
    if let Some(nulls) = bounds.nulls {
        assert_eq!(nulls, values.null_count() as u64);
    }
    let Some((least, greatest)) = extremes(values) else {
        assert!(!bounds.is_exact || (bounds.min.is_null(0) && bounds.max.is_null(0)));
        return;
    };
    for (bound, at, is_outside) in
        [(&bounds.min, least, std::cmp::Ordering::Greater), (&bounds.max, greatest, std::cmp::Ordering::Less)]
    {
        let order = make_comparator(bound, values, SortOptions::default()).unwrap()(0, at);
        if bound.is_valid(0) {
            assert!(order.is_eq() || (!bounds.is_exact && order != is_outside), "{bound:?}");
        }
    }
}

#[test]
fn bounds_contain_all_values() {
    let (mut exact, mut inexact, mut nulls) = (0, 0, 0);
    for seed in random_run::seeds(200) {
        let mut random = Random::new(seed);
        let Some((files, read, _)) = opened(&mut random) else { continue };
        let bounds = files.open(0, &Check::never()).unwrap().column_bounds();
        assert_eq!(bounds.len(), read.num_columns(), "{seed}");
        for (bounds, values) in bounds.iter().zip(read.columns()) {
            let Some(bounds) = bounds else { continue };
            check(bounds, values);
            let is_known = bounds.min.is_valid(0);
            exact += usize::from(is_known && bounds.is_exact);
            inexact += usize::from(is_known && !bounds.is_exact);
            nulls += usize::from(bounds.nulls.is_some_and(|nulls| nulls > 0));
        }
    }
    assert!(exact > 0 && inexact > 0 && nulls > 0, "{exact} {inexact} {nulls}");
}
