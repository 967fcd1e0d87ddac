//! Amounts on the command line: `10m`, `8G`.

use std::time::Duration;

/// `90`, `90s`, `10m`, `2h`, `1.5d`, `500ms`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let seconds = match unit {
        "" | "s" | "sec" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(format!("`{unit}` is no unit of time; use ms, s, m, h or d, as in 10m")),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

/// `1000000`, `500M`, `8G`, `8GB`, `8GiB`; in steps of 1024.
pub fn memory(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let scale: u64 = match unit.to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(format!("`{unit}` is no unit of memory; use K, M, G or T, as in 8G")),
    };
    Ok((number * scale as f64) as u64)
}

fn split(text: &str) -> Result<(f64, &str), String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| "expected a number and a unit".to_string())?;
    Ok((number, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_units() {
        let seconds = |text| duration(text).map(|time| time.as_secs_f64());
        assert_eq!(["90", "1.5m", "2h", "500ms"].map(seconds), [90.0, 90.0, 7200.0, 0.5].map(Ok));
        assert_eq!(["10", "1K", "8GB", "1.5GiB"].map(memory), [10, 1 << 10, 8 << 30, 3 << 29].map(Ok));
        assert!(["", "m", "-1s", "1 year", "1.2.3"].iter().all(|text| duration(text).is_err()));
        assert!(memory("8 bits").is_err());
    }
}
