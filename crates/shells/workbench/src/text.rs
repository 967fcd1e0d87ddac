//! Reading what may be no text, or have no end.

use std::io::{Error, ErrorKind, Read};

/// The longest model that is read, and the longest file that it includes.
pub const LONGEST_MODEL: u64 = 256 << 20;
/// How much is read before it is looked at.
const PART: u64 = 1 << 16;

/// Reads a text of at most so many bytes. What is not UTF-8 is replaced; where a byte 0 shows that it is no text, nothing more is read: a
/// device such as `/dev/zero` has no end.
pub fn read_text(mut from: impl Read, longest: u64) -> Result<String, Error> {
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        let n = (&mut from).take(PART).read_to_end(&mut bytes)?;
        if bytes[before..].contains(&0) {
            return Err(Error::new(ErrorKind::InvalidData, "it is not a text file"));
        }
        if bytes.len() as u64 > longest {
            let megabytes = longest >> 20;
            return Err(Error::new(ErrorKind::FileTooLarge, format!("it is longer than {megabytes} MB")));
        }
        if n == 0 {
            break;
        }
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, repeat};

    use super::*;

    #[test]
    fn l5_what_has_no_end_is_not_read_to_its_end() {
        assert_eq!(read_text(repeat(0), LONGEST_MODEL).unwrap_err().to_string(), "it is not a text file");
        let error = read_text(repeat(b'x'), 3 << 20).unwrap_err();
        assert_eq!(error.to_string(), "it is longer than 3 MB");
        assert_eq!(read_text(Cursor::new("abc"), 3).unwrap(), "abc");
        assert!(read_text(Cursor::new("abcd"), 3).is_err());
        assert_eq!(read_text(Cursor::new(b"a\xffb"), 3).unwrap(), "a\u{fffd}b");
        let long = "0123456789".repeat(20_000);
        assert_eq!(read_text(Cursor::new(&long), LONGEST_MODEL).unwrap(), long);
    }
}
