//! The pages of a column chunk without empty data pages.
//!
//! The column reader of the `parquet` crate stops at a data page without levels, as `pyarrow` writes it where it gives up a
//! dictionary.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::Result;

/// A reader that passes over empty data pages.
pub(crate) struct NonemptyPages<R>(pub(crate) R);

impl<R: PageReader> NonemptyPages<R> {
    fn skip_empty(&mut self) -> Result<()> {
        let is_empty = |page: PageMetadata| !page.is_dict && page.num_levels == Some(0);
        while self.0.peek_next_page()?.is_some_and(is_empty) {
            self.0.skip_next_page()?;
        }
        Ok(())
    }
}

impl<R: PageReader> Iterator for NonemptyPages<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<R: PageReader> PageReader for NonemptyPages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.skip_empty()?;
        self.0.get_next_page()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.skip_empty()?;
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.skip_empty()?;
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.skip_empty()?;
        self.0.at_record_boundary()
    }
}
