//! Detection of compressed files that are not supported.

/// The first bytes of compressed files, and their names. No text begins with these bytes.
const STARTS: [(&[u8], &str); 6] = [
    (b"\x28\xb5\x2f\xfd", "zstandard"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PK\x03\x04", "zip"),
    (b"\xff\x06\0\0sNaPpY", "snappy"),
    (b"\x1f\x9d", "compress"),
];

/// The first bytes of a bzip2 file, around its level.
const BZIP2: (&[u8], &[u8]) = (b"BZh", b"1AY&SY");

/// Returns the name of the compression of a file other than gzip and zlib, from its first bytes.
pub fn unsupported_compression(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(BZIP2.0) && start.get(BZIP2.0.len() + 1..)?.starts_with(BZIP2.1) {
        return Some("bzip2");
    }
    STARTS.iter().find(|(bytes, _)| start.starts_with(bytes)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_not_compressed() {
        assert_eq!(unsupported_compression(b"BZh91AY&SY\x01"), Some("bzip2"));
        assert_eq!(unsupported_compression(b"\x28\xb5\x2f\xfd\x04"), Some("zstandard"));
        for text in ["", "BZh", "BZh9,a,b\n", "PK,a\n", "{\"a\": 1}", "(x"] {
            assert_eq!(unsupported_compression(text.as_bytes()), None, "{text}");
        }
        assert_eq!(unsupported_compression(b"\x1f\x8b\x08"), None);
    }
}
