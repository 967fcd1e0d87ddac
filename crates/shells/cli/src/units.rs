//! Amounts on the command line: `10m`, `8G`.

use std::time::Duration;

/// `90`, `90s`, `10m`, `2h`, `1.5d`, `500ms`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text).ok_or(TIME_RULE)?;
    let seconds = match unit {
        "" | "s" | "sec" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(format!("`{unit}` is no unit of time: {TIME_RULE}")),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

/// `1000000`, `500M`, `8G`, `8GB`, `8GiB`; in steps of 1024.
pub fn memory(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text).ok_or(MEMORY_RULE)?;
    let scale: u64 = match unit.to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(format!("`{unit}` is no unit of memory: {MEMORY_RULE}")),
    };
    let bytes = (number * scale as f64) as u64;
    match number {
        _ if bytes == 0 => Err(format!("nothing can be searched without memory: {MEMORY_RULE}")),
        // A few bytes are never meant, with or without a unit. Who thinks of 8 thinks of gigabytes,
        // who thinks of 500 of megabytes, who thinks of 500000 of kilobytes.
        n if bytes < FEW => {
            let (larger, scale) = match n {
                n if n < 64.0 => ('G', 1u64 << 30),
                n if n < 65536.0 => ('M', 1 << 20),
                _ => ('K', 1 << 10),
            };
            let are = if bytes == 1 { "byte is" } else { "bytes are" };
            let proposal = match n * scale as f64 {
                proposed if proposed < FEW as f64 => "the least is 1M".to_string(),
                _ => format!("did you mean {number}{larger}?"),
            };
            Err(format!("{bytes} {are} not enough for any search: {proposal}"))
        }
        _ => Ok(bytes),
    }
}

/// One rule for both: a number and a unit, and what a number alone means.
const TIME_RULE: &str =
    "write a number and a unit, ms, s, m, h or d, as in 10m; a number alone means seconds";
const MEMORY_RULE: &str = "write a number and a unit, K, M, G or T, as in 8G; a number alone means bytes";
/// Less than that is refused.
const FEW: u64 = 1 << 20;

fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_units() {
        let seconds = |text| duration(text).map(|time| time.as_secs_f64());
        assert_eq!(["90", "1.5m", "2h", "500ms"].map(seconds), [90.0, 90.0, 7200.0, 0.5].map(Ok));
        assert_eq!(
            ["1048576", "2048K", "8GB", "1.5GiB"].map(memory),
            [1 << 20, 2 << 20, 8 << 30, 3 << 29].map(Ok)
        );
        assert!(["", "m", "-1s", "1 year", "1.2.3"].iter().all(|text| duration(text).is_err()));
        assert!(memory("8 bits").is_err());
    }

    #[test]
    fn l11_one_byte_is_no_bytes() {
        assert_eq!(memory("1"), Err("1 byte is not enough for any search: did you mean 1G?".to_string()));
        assert_eq!(memory("2"), Err("2 bytes are not enough for any search: did you mean 2G?".to_string()));
    }

    #[test]
    fn people_15_what_is_meant_is_asked_and_the_rule_is_told() {
        let why = |text| memory(text).expect_err("too little");
        assert!(why("8").ends_with("did you mean 8G?"), "{}", why("8"));
        assert!(why("1.5").ends_with("did you mean 1.5G?"));
        assert!(why("500").ends_with("did you mean 500M?"));
        assert!(why("500000").ends_with("did you mean 500000K?"));
        for text in ["8B", "8 b", "8K", "8KiB"] {
            assert!(why(text).ends_with("did you mean 8G?"), "{}", why(text));
        }
        assert!(why("1K").starts_with("1024 bytes are not enough for any search: did you mean 1G?"));
        assert!(why("1023K").ends_with("did you mean 1023M?"));
        assert!(why("0.5M").ends_with("did you mean 0.5G?"));
        assert!(why("0.0001M").ends_with("the least is 1M"));
        assert_eq!(memory("1024K"), Ok(1 << 20));
        for text in ["0", "ten", "", "8 bits"] {
            assert!(why(text).contains("a number alone means bytes"), "{}", why(text));
        }
        for text in ["ten", "", "1 year"] {
            assert!(duration(text).unwrap_err().contains("a number alone means seconds"));
        }
    }
}
