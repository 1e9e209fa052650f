//! The queries over the files of `benches/generate.py`.

/// A query over one table.
pub(crate) struct Query {
    /// The name in the table of results.
    pub(crate) name: &'static str,
    /// The text, with `{}` for the name of the table.
    sql: &'static str,
}

impl Query {
    pub(crate) const fn new(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql }
    }

    /// The text for a table. The columns of the answer have the same names for all tables.
    pub(crate) fn of(&self, table: &str) -> String {
        self.sql.replace("{}", &format!("{table} AS t"))
    }
}

/// The files, with their queries, which are named by their filter.
pub(crate) const FILES: [(&str, &[Query]); 4] = [
    (
        "linkedin",
        &[
            Query::new("score > 0", "SELECT count(*), sum(position) FROM {} WHERE score > 0"),
            Query::new(
                "is_click AND position < 25",
                "SELECT count(*), sum(member_id) FROM {} WHERE is_click AND position < 25",
            ),
        ],
    ),
    (
        "nested",
        &[
            Query::new(
                "gender = 'male'",
                "SELECT count(*), sum(get_field(address, 'zip')) FROM {} WHERE gender = 'male'",
            ),
            Query::new(
                "car IS NULL",
                "SELECT count(*), sum(get_field(address, 'zip')) FROM {} WHERE car IS NULL",
            ),
        ],
    ),
    (
        "strings",
        &[
            Query::new("id < '8'", "SELECT count(*), sum(octet_length(title)) FROM {} WHERE id < '8'"),
            Query::new("id < '1'", "SELECT count(*), sum(octet_length(body)) FROM {} WHERE id < '1'"),
        ],
    ),
    (
        "wide_flat",
        &[
            Query::new("long_1 > 5000", "SELECT count(*), sum(long_0) FROM {} WHERE long_1 > 5000"),
            Query::new(
                "string_0 = 'pencil' AND long_0 IS NOT NULL",
                "SELECT count(*), sum(long_3) FROM {} WHERE string_0 = 'pencil' AND long_0 IS NOT NULL",
            ),
        ],
    ),
];
