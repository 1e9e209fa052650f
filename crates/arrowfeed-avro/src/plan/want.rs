//! Which fields a caller wants, as a tree over the schema.

/// What is wanted of one value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Want {
    All,
    /// Of a record, or of the records in an array or map: these fields, in the order of first mention.
    Fields(Vec<(String, Want)>),
}

impl Want {
    /// The tree of field paths such as `user.scores`. Mentioned as a whole and in part, a field comes whole.
    pub(crate) fn from_paths<S: AsRef<str>>(paths: &[S]) -> Self {
        let mut root = Want::Fields(Vec::new());
        for path in paths {
            root.add(path.as_ref());
        }
        root
    }

    fn add(&mut self, path: &str) {
        let Want::Fields(fields) = self else {
            return;
        };
        let (name, rest) = match path.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        let at = fields.iter().position(|(field, _)| field == name).unwrap_or_else(|| {
            fields.push((name.to_owned(), Want::Fields(Vec::new())));
            fields.len() - 1
        });
        match rest {
            Some(rest) => fields[at].1.add(rest),
            None => fields[at].1 = Want::All,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_mention_gives_the_order_and_the_whole_wins() {
        let want = Want::from_paths(&["b.x", "a", "b.y.z", "c.d", "c", "a.q"]);
        let fields = |fields: &[(&str, Want)]| {
            Want::Fields(fields.iter().map(|(name, want)| ((*name).to_owned(), want.clone())).collect())
        };
        let b = fields(&[("x", Want::All), ("y", fields(&[("z", Want::All)]))]);
        assert_eq!(want, fields(&[("b", b), ("a", Want::All), ("c", Want::All)]));
    }
}
