//! Whom fairness is about.

use allways_explicit::cycles::{Chosen, ChosenPart, Fairness, Pids};
use allways_source::did_you_mean;
use allways_system::{Action, LocationId, Pid, ProctypeId, System};

/// Which runs count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FairRuns {
    /// In what sense they have to be fair.
    pub fairness: Fairness,
    /// To whom; none: to every process.
    pub only: Option<FairTo>,
}

/// Some processes, or processes at some labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairTo {
    /// As given.
    pub texts: Vec<String>,
    pub(crate) chosen: Chosen,
}

impl From<Fairness> for FairRuns {
    fn from(fairness: Fairness) -> FairRuns {
        FairRuns { fairness, only: None }
    }
}

impl FairRuns {
    pub(crate) fn chosen(&self) -> Option<&Chosen> {
        self.only.as_ref().map(|only| &only.chosen)
    }
}

impl FairTo {
    /// Understands `P`, `P[2]`, `P@label` and `P[2]@label`: the processes of a proctype, the one with that number, and either
    /// only while it is at a label. What is wrong is said in words.
    pub fn new(system: &System, texts: &[String]) -> Result<FairTo, String> {
        let mut chosen = Chosen::default();
        for text in texts {
            let (process, label) = match text.split_once('@') {
                Some((process, label)) => (process.trim(), Some(label.trim())),
                None => (text.trim(), None),
            };
            let (name, pid) = pid_of(process).ok_or_else(|| {
                format!("`{text}` is not understood: `P`, `P[2]`, `P@label` and `P[2]@label` are")
            })?;
            let proctype = proctype_called(system, name)?;
            if let Some(pid) = pid {
                can_exist(system, proctype, pid)?;
            }
            let locations = match label {
                None => vec![None],
                Some(label) => locations_called(system, proctype, label)?.into_iter().map(Some).collect(),
            };
            chosen.0.extend(locations.into_iter().map(|location| ChosenPart { proctype, pid, location }));
        }
        Ok(FairTo { texts: texts.to_vec(), chosen })
    }

    /// What must be said if none of them was ever met where it could move: then fairness left out no run.
    pub(crate) fn unmet(&self, ever_enabled: Pids) -> Option<String> {
        let texts = self.texts.join(", ");
        (ever_enabled == 0).then(|| {
            format!("no process that is `{texts}` and could move was ever met, so fairness left out no run")
        })
    }
}

/// Refuses a process that no run has: one of a proctype that is never `run` has its pid from the start.
fn can_exist(system: &System, proctype: ProctypeId, pid: Pid) -> Result<(), String> {
    let name = &system.proctype(proctype).name;
    let initial = system.processes.iter().enumerate().filter(|(_, process)| process.proctype == proctype);
    let pids: Vec<usize> = initial.map(|(pid, _)| pid).collect();
    if pids.contains(&(pid as usize)) {
        return Ok(());
    }
    let transitions = system.proctypes.iter().flat_map(|proctype| &proctype.transitions);
    let is_run = transitions.into_iter().any(
        |transition| matches!(transition.action, Action::Run { proctype: other, .. } if other == proctype),
    );
    if is_run && pid <= MOST_PIDS {
        return Ok(());
    }
    let known = pids.iter().map(|pid| format!("`{name}[{pid}]`")).collect::<Vec<_>>().join(", ");
    Err(match (is_run, pids.is_empty()) {
        (true, _) => format!("there is no process `{name}[{pid}]`: pids end at {MOST_PIDS}"),
        (false, true) => {
            format!("there is no process `{name}[{pid}]`: no process of `{name}` is ever created")
        }
        (false, false) => {
            format!("there is no process `{name}[{pid}]`; the processes of `{name}` are {known}")
        }
    })
}

/// Numbers of processes are bytes.
const MOST_PIDS: Pid = 255;

fn pid_of(process: &str) -> Option<(&str, Option<Pid>)> {
    let Some((name, rest)) = process.split_once('[') else { return Some((process, None)) };
    let pid = rest.strip_suffix(']')?.trim().parse().ok()?;
    Some((name.trim(), Some(pid)))
}

fn proctype_called(system: &System, name: &str) -> Result<ProctypeId, String> {
    let names = || system.proctypes.iter().map(|proctype| &*proctype.name);
    match names().position(|known| known == name) {
        Some(index) => Ok(ProctypeId(index as u32)),
        None => Err(with_suggestion(format!("there is no proctype `{name}`"), name, names())),
    }
}

fn locations_called(system: &System, proctype: ProctypeId, label: &str) -> Result<Vec<LocationId>, String> {
    let of = system.proctype(proctype);
    let is_there = |(index, location): (usize, &allways_system::Location)| {
        location.labels.iter().any(|known| known == label).then_some(LocationId(index as u32))
    };
    let found: Vec<LocationId> = of.locations.iter().enumerate().filter_map(is_there).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let labels = of.locations.iter().flat_map(|location| &location.labels).map(|label| &**label);
    Err(with_suggestion(format!("`{}` has no label `{label}`", of.name), label, labels))
}

fn with_suggestion<'n>(what: String, name: &str, known: impl Iterator<Item = &'n str>) -> String {
    match did_you_mean(name, known) {
        Some(close) => format!("{what}; did you mean `{close}`?"),
        None => what,
    }
}
