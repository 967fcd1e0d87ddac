//! Numbers and words as people like to read them.

/// `1 error`, `2 errors`.
pub fn counted(n: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// `1234567` as `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1.5 GB`, in steps of 1024.
pub fn bytes(n: u64) -> String {
    let units = ["bytes", "KB", "MB", "GB", "TB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{n} {}", if n == 1 { "byte" } else { "bytes" })
    } else {
        format!("{value:.1} {}", units[unit])
    }
}

/// `7 ms`, `1.42 s`, `2 min 05 s`, `3 h 07 min`.
pub fn duration(time: std::time::Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 if time.subsec_millis() == 0 => "< 1 ms".to_string(),
        0 => format!("{} ms", time.subsec_millis()),
        1..60 => format!("{:.2} s", time.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// `a moment ago`, `5 min ago`, `3 h ago`, `2 days ago`.
pub fn ago(time: std::time::Duration) -> String {
    match time.as_secs() {
        0..60 => "a moment ago".to_string(),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds @ 3600..172_800 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

/// How many per second; 0 if there was no time to speak of.
pub fn rate(n: u64, time: std::time::Duration) -> u64 {
    if time.is_zero() { 0 } else { (n as f64 / time.as_secs_f64()) as u64 }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(
            ["1", "999", "1,000", "1,234,567"].map(String::from),
            [1, 999, 1000, 1234567].map(grouped)
        );
        assert_eq!([counted(1, "state"), counted(0, "state")], ["1 state", "0 states"]);
        assert_eq!([bytes(1023), bytes(1024), bytes(3 << 29)], ["1023 bytes", "1.0 KB", "1.5 GB"]);
        assert_eq!(
            [40, 125, 11220].map(Duration::from_secs).map(duration),
            ["40.00 s", "2 min 05 s", "3 h 07 min"]
        );
    }
}
