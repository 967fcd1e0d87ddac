//! Is it still the same program?

use std::fmt::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of bytes, in hexadecimal digits.
pub fn sha256_of_bytes(bytes: &[u8]) -> String {
    digits(&Sha256::digest(bytes))
}

/// The SHA-256 of a file, in hexadecimal digits.
pub fn sha256_of(path: &Path) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    std::io::copy(&mut std::fs::File::open(path)?, &mut hash)?;
    Ok(digits(&hash.finalize()))
}

fn digits(hash: &[u8]) -> String {
    hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
