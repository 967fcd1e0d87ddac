//! What the machine tells about memory.

/// The most memory this program ever occupied, in bytes.
pub fn peak_rss() -> Option<u64> {
    entry(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The memory that this program occupies now, in bytes.
pub fn rss() -> Option<u64> {
    entry(&std::fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// What this program can have without swapping or being killed, in bytes.
pub fn available_memory() -> Option<u64> {
    let machine = entry(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    Some(container_memory().map_or(machine, |container| machine.min(container)))
}

/// What is left of the limit of this program's address space (`ulimit -v`), if there is one.
pub fn address_space() -> Option<u64> {
    let limit = address_limit(&std::fs::read_to_string("/proc/self/limits").ok()?)?;
    let used = entry(&std::fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(limit.saturating_sub(used))
}

/// The first number in a line such as `Max address space     4096000000   unlimited   bytes`.
fn address_limit(limits: &str) -> Option<u64> {
    limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

/// What is left of the limit of the container, if we are in one that has a limit.
fn container_memory() -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    number("memory.max")?.checked_sub(number("memory.current")?)
}

/// A line such as `VmHWM:     5120 kB`.
fn entry(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_address_space() {
        let limits = |soft: &str| {
            format!(
                "Max cpu time  unlimited  unlimited  seconds\nMax address space  {soft}  unlimited  bytes\n"
            )
        };
        assert_eq!(address_limit(&limits("4096000000")), Some(4_096_000_000));
        assert_eq!(address_limit(&limits("unlimited")), None);
        assert_eq!(address_limit("no limits here"), None);
    }
}
