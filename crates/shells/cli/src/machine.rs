//! What the machine tells about memory.

/// The most memory this program ever occupied, in bytes.
pub fn peak_rss() -> Option<u64> {
    entry(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// What programs can have without swapping, in bytes.
pub fn available_memory() -> Option<u64> {
    entry(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// A line such as `VmHWM:     5120 kB`.
fn entry(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
