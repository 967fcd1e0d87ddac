//! Is it still the same program?

use std::fmt::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of a file, in hexadecimal digits.
pub fn sha256_of(path: &Path) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    std::io::copy(&mut std::fs::File::open(path)?, &mut hash)?;
    Ok(hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
