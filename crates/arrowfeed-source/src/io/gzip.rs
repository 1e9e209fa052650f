//! Decompression of gzip files.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Decompresses the members of a gzip file in order.
///
/// Zeros after a member are skipped, as `gzip` and Python skip them: some programs fill the last block of a file with zeros.
#[derive(Debug)]
pub struct GzipReader<R> {
    /// The current member; always set between two calls.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> GzipReader<R> {
    /// Starts at the first member.
    pub fn new(input: R) -> Self {
        Self { member: Some(GzDecoder::new(input)) }
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(member) = &mut self.member else { return Ok(0) };
            let read = member.read(into)?;
            if read > 0 || !skip_zeros(member.get_mut())? {
                return Ok(read);
            }
            self.member = self.member.take().map(|member| GzDecoder::new(member.into_inner()));
        }
    }
}

/// Skips zeros. Returns false at the end of the input.
fn skip_zeros(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = input.fill_buf()?;
        let (len, zeros) = (bytes.len(), bytes.iter().take_while(|byte| **byte == 0).count());
        input.consume(zeros);
        if zeros < len {
            return Ok(true);
        }
        if len == 0 {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn member(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn content(file: &[u8]) -> Result<Vec<u8>, String> {
        let mut content = Vec::new();
        let mut reader = GzipReader::new(BufReader::with_capacity(7, file));
        reader.read_to_end(&mut content).map_err(|error| error.to_string())?;
        assert_eq!(reader.read(&mut [0; 4]).unwrap(), 0);
        Ok(content)
    }

    #[test]
    fn members_may_be_empty_and_zeros_may_follow() {
        let [one, empty, two] = [&b"one"[..], b"", b"two"].map(member);
        for zeros in [0, 1, 7, 8, 1000] {
            let zeros = vec![0; zeros];
            let file = [&one[..], &zeros, &empty, &two, &zeros].concat();
            assert_eq!(content(&file).unwrap(), b"onetwo");
            assert_eq!(content(&[&empty[..], &zeros].concat()).unwrap(), b"");
            assert_eq!(content(&[&one[..], &zeros, b"x"].concat()).unwrap_err(), "unexpected end of file");
            let other = [&one[..], &zeros, b"0123456789 another file"].concat();
            assert_eq!(content(&other).unwrap_err(), "invalid gzip header");
        }
        assert_eq!(content(&one[..one.len() - 1]).unwrap_err(), "unexpected end of file");
        assert_eq!(content(&[0; 20]).unwrap_err(), "invalid gzip header");
    }
}
