//! How `check` searches: orders, threads, reductions, stores, limits; which of them go together, and how much memory
//! there is for what.

use std::num::NonZero;
use std::time::Duration;

use allways_workbench::{Keep, Order};
use clap::{Args, ValueEnum};

use crate::exit::Failure;
use crate::output::message;
use crate::{machine, units};

#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub struct SearchOptions {
    /// Every interleaving: nothing merged, reset or reduced, so that counts can be compared with Spin's
    #[arg(long)]
    pub plain: bool,
    /// Which runs may be left out because others stand for them: `por`, those that differ only in the order of
    /// independent steps, or `none` [default: por, unless --plain, breadth first or with a context bound]
    #[arg(long, value_name = "HOW")]
    reduce: Option<Reduce>,
    /// In which order states are visited: one path as far as it goes, all the states at one distance first, or one path
    /// as far as it goes with steps in an order that the seed decides
    #[arg(long, value_name = "ORDER", default_value = "dfs", conflicts_with = "shortest")]
    order: SearchOrder,
    /// Find a shortest counterexample (`--order bfs`); of a lasso, the part before the cycle is shortest
    #[arg(long)]
    shortest: bool,
    /// Explore only runs with at most N preemptions, those with the fewest first: switches from the process that moved last to
    /// another one although the last could go on. Not for temporal properties
    #[arg(long, value_name = "N", conflicts_with_all = ["order", "shortest"])]
    context_bound: Option<u32>,
    /// Worker threads, at most 1024; 0 for as many as there are cores. Depth first only, and not for temporal properties or with a context
    /// bound
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Seed of `--order random` and of the hash functions of `--store bitstate`; recorded in results and trails
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Search with the interpreter instead of compiled steps: slow, and the meaning of everything else
    #[arg(long, hide = true)]
    pub interpret: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Visited states")]
pub struct StoreOptions {
    /// How visited states are kept: all of them, a hash of 64 bits of each, or a few bits of each in a table of fixed
    /// size; with the last two states can be missed, and nothing `holds`. Fairness and shortest lassos need
    /// all of them
    #[arg(long, value_name = "HOW", default_value = "exact")]
    store: Store,
    /// What to do when --max-mem is reached in the exact store: stop, go on in a bitstate table, or begin anew with a
    /// hash of 64 bits of each state
    #[arg(long, value_name = "WHAT", default_value = "stop")]
    on_full: OnFull,
    /// Bits per state in a bitstate table [default: 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=24))]
    bits: Option<u32>,
    /// Repeat a bitstate search with so many independent hash functions, those of the seed and the following ones
    /// [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    searches: Option<u32>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct LimitOptions {
    /// Stop after this time, e.g. `90s`, `10m`, `2h`
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub max_time: Option<Duration>,
    /// Stop when states take this much memory, e.g. `500M`, `8G` [default: 90 % of what the machine has left]. With
    /// `--store bitstate`, the size of the table [default: 256M, or less on a small machine]; states that wait may take a
    /// twentieth of it and 16M
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub max_mem: Option<u64>,
    /// Do not follow runs beyond this many steps
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u64>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Reduce {
    None,
    Por,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum SearchOrder {
    Dfs,
    Bfs,
    Random,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Store {
    Exact,
    Compact,
    Bitstate,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum OnFull {
    Stop,
    Compact,
    Bitstate,
}

/// How much memory may be used, for what, and who says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Bytes that stored states and the stack may take together.
    pub limit: Option<u64>,
    /// Bytes of a bitstate table.
    pub table: u64,
    /// Where the limit comes from.
    pub source: Source,
}

/// Who says how much memory may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The user.
    Asked,
    /// What the machine has left.
    Machine,
    /// What the limit of the address space leaves.
    AddressSpace,
}

/// However small a bitstate table is, states that wait beside it may take so many bytes. They lie in lists that can take twice
/// that while they grow.
const STACK_BESIDE_TABLE: u64 = 16 << 20;

/// Bytes of a bitstate table if nothing else is said: enough for a few hundred million states.
const DEFAULT_TABLE: u64 = 256 << 20;

impl SearchOptions {
    pub fn order(&self) -> Order {
        if let Some(at_most) = self.context_bound {
            return Order::Preemptions(at_most);
        }
        match self.order {
            _ if self.shortest => Order::BreadthFirst,
            SearchOrder::Dfs => Order::DepthFirst,
            SearchOrder::Bfs => Order::BreadthFirst,
            SearchOrder::Random => Order::Random(self.seed),
        }
    }

    pub fn reduces(&self) -> bool {
        !self.plain && self.reduce != Some(Reduce::None)
    }

    pub fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, NonZero::get),
            n => n.min(MOST_THREADS).min(threads_within(machine::address_space())),
        }
    }
}

impl StoreOptions {
    pub fn keep(&self, memory: &Memory, seed: u64) -> Keep {
        match self.store {
            Store::Exact => Keep::Exact,
            Store::Compact => Keep::Compact,
            Store::Bitstate => self.bitstate(memory, seed),
        }
    }

    pub fn on_full(&self, memory: &Memory, seed: u64) -> Option<Keep> {
        match self.on_full {
            OnFull::Stop => None,
            OnFull::Compact => Some(Keep::Compact),
            OnFull::Bitstate => Some(self.bitstate(memory, seed)),
        }
    }

    pub fn searches(&self) -> u32 {
        self.searches.unwrap_or(1)
    }

    pub fn memory(&self, limits: &LimitOptions) -> Memory {
        memory(
            self.store == Store::Bitstate,
            limits.max_mem,
            machine::available_memory(),
            machine::address_space(),
        )
    }

    fn bitstate(&self, memory: &Memory, seed: u64) -> Keep {
        Keep::Bitstate { bytes: memory.table, bits: self.bits, seed }
    }

    fn uses_bitstate(&self) -> bool {
        self.store == Store::Bitstate || self.on_full == OnFull::Bitstate
    }
}

/// Shares out memory. Without a wish of the user, all takes a little less than the machine has left: one that swaps is
/// of no use to anybody. In a bitstate search the wish is the size of the table, for that decides how much is seen, and
/// the stack may take a little more, so that the limit is one for all of it. Without a wish the stack, whose size nobody can
/// know, may take what the machine has left. A table that comes later, when the exact store was full, leaves half of the
/// limit to the stack.
/// Where the address space is limited, half of it is left to what is not counted: tables that grow need room for both, and who
/// asks for more in vain cannot go on.
fn memory(
    is_bitstate: bool,
    asked: Option<u64>,
    available: Option<u64>,
    address_space: Option<u64>,
) -> Memory {
    let addresses = address_space.map(|bytes| bytes / 2);
    let memory = memory_of_machine(is_bitstate, asked, available);
    match addresses {
        Some(most) if memory.limit.is_none_or(|limit| limit > most) => {
            Memory { limit: Some(most), table: memory.table.min(most / 2), source: Source::AddressSpace }
        }
        _ => memory,
    }
}

fn memory_of_machine(is_bitstate: bool, asked: Option<u64>, available: Option<u64>) -> Memory {
    let left = available.map(|bytes| bytes / 10 * 9);
    if let (true, Some(table)) = (is_bitstate, asked) {
        let limit = table.saturating_add(table / 20).saturating_add(STACK_BESIDE_TABLE);
        return Memory { limit: Some(limit), table, source: Source::Asked };
    }
    if is_bitstate {
        let table = left.map_or(DEFAULT_TABLE, |left| DEFAULT_TABLE.min(left / 2));
        return Memory { limit: left, table, source: Source::Machine };
    }
    let limit = asked.or(left);
    let source = if asked.is_some() { Source::Asked } else { Source::Machine };
    Memory { limit, table: limit.map_or(DEFAULT_TABLE, |limit| limit / 2), source }
}

/// More threads than that are of no use to any machine.
const MOST_THREADS: usize = 1024;

/// How many threads there is room for where the address space is limited: a thread that finds no memory cannot go on.
fn threads_within(address_space: Option<u64>) -> usize {
    address_space.map_or(usize::MAX, |bytes| (bytes / ADDRESSES_PER_THREAD).max(1) as usize)
}

/// For its stack and its part of the heap.
const ADDRESSES_PER_THREAD: u64 = 64 << 20;

/// Says what is not done as asked.
pub fn warn(search: &SearchOptions) {
    if search.threads > MOST_THREADS {
        message(&format!(
            "warning: -j {}: the search has {MOST_THREADS} threads, the most there can be",
            search.threads
        ));
    }
}

/// Refuses what does not go together.
pub fn validate(search: &SearchOptions, store: &StoreOptions, limits: &LimitOptions) -> Result<(), Failure> {
    if search.plain && search.reduce == Some(Reduce::Por) {
        return Err(Failure::usage("--plain means that nothing is reduced, but --reduce por is given")
            .help("leave out one of them"));
    }
    if search.order() == Order::BreadthFirst && search.reduce == Some(Reduce::Por) {
        return Err(Failure::usage(
            "breadth-first search is without reduction: the shortest run could be left out",
        )
        .help("leave out --reduce por"));
    }
    if search.order() == Order::BreadthFirst && search.threads > 1 {
        return Err(Failure::usage("breadth-first search is done by one thread").help("leave out -j"));
    }
    if search.context_bound.is_some() {
        with_context_bound(search, limits)?;
    }
    if store.on_full != OnFull::Stop && store.store != Store::Exact {
        return Err(Failure::usage("--on-full is about the exact store, but --store asks for another one")
            .help("leave out one of them"));
    }
    for (name, is_given) in [("--bits", store.bits.is_some()), ("--searches", store.searches.is_some())] {
        if is_given && !store.uses_bitstate() {
            return Err(Failure::usage(format!("{name} has a meaning only in a bitstate search"))
                .help("add --store bitstate or --on-full bitstate"));
        }
    }
    let is_plain_store = store.store == Store::Exact && store.on_full == OnFull::Stop;
    if search.interpret && !(is_plain_store && search.threads == 1) {
        return Err(Failure::usage("the interpreter knows only the exact store and one thread")
            .help("leave out --interpret"));
    }
    Ok(())
}

/// Refuses what does not go together with a context bound.
fn with_context_bound(search: &SearchOptions, limits: &LimitOptions) -> Result<(), Failure> {
    if search.reduce == Some(Reduce::Por) {
        return Err(Failure::usage(
            "a search with a context bound is without reduction: the run with the fewest preemptions could be left out",
        )
        .help("leave out --reduce por"));
    }
    if search.threads != 1 {
        return Err(
            Failure::usage("a search with a context bound is done by one thread").help("leave out -j")
        );
    }
    if limits.max_depth.is_some() {
        return Err(Failure::usage(
            "runs are bounded by their preemptions or by their length, not by both: --context-bound, --max-depth",
        )
        .help("leave out one of them"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    #[test]
    fn memory_is_shared_out() {
        let of = |is_bitstate, asked, available: Option<u64>| {
            let Memory { limit, table, source } = memory(is_bitstate, asked, available, None);
            (limit.map(|limit| limit / MB), table / MB, source == Source::Asked)
        };
        let within = |asked, most: u64| {
            let Memory { limit, table, source } = memory(false, asked, Some(1000 * MB), Some(most * MB));
            (limit.map(|limit| limit / MB), table / MB, source)
        };
        assert_eq!(within(None, 400), (Some(200), 100, Source::AddressSpace));
        assert_eq!(within(Some(500 * MB), 400), (Some(200), 100, Source::AddressSpace));
        assert_eq!(within(Some(80 * MB), 400), (Some(80), 40, Source::Asked));
        assert_eq!(within(None, 4000), (Some(900), 450, Source::Machine));
        assert_eq!(of(false, None, Some(1000 * MB)), (Some(900), 450, false));
        assert_eq!(of(false, Some(80 * MB), Some(1000 * MB)), (Some(80), 40, true));
        assert_eq!(of(false, None, None), (None, 256, false));
        assert_eq!(of(true, None, Some(1000 * MB)), (Some(900), 256, false));
        assert_eq!(of(true, None, Some(100 * MB)), (Some(90), 45, false));
        // What is asked for is a limit also where the table alone takes it (S1).
        assert_eq!(of(true, Some(2000 * MB), Some(1000 * MB)), (Some(2116), 2000, true));
        assert_eq!(of(true, Some(MB), None), (Some(17), 1, true));
    }
}
