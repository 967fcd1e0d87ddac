//! Schedule files: the choices that make one execution of a program, enough to repeat it, and what they mean for people.

use std::io::{Read, Write};
use std::time::Duration;

use allways_stateless::{Choice, Execution, PropertyName, Timeouts, n_switches};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::telling::Telling;

/// What a schedule file says it is.
pub const SCHEMA: &str = "allways/schedule/1";

/// A schedule file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleDocument {
    /// `allways/schedule/1`.
    pub schema: String,
    pub program: ProgramIdentity,
    /// What the execution violates: `deadlock`, `assertions`, `crash`, `exit`, `divergence`, `livelock`,
    /// `races`, `misuse`. Empty if nothing.
    pub property: String,
    /// How, in words.
    pub reason: String,
    /// The thread that went wrong, if it was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub culprit: Option<usize>,
    /// What was a choice and what was not.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// How often another thread goes on than the one that made the step before.
    #[serde(default)]
    pub switches: u64,
    /// Which thread moves; with its value, if its operation had several. This alone is what is repeated; the rest is for people.
    pub choices: Vec<ChoiceDocument>,
    /// The threads of all processes, by number.
    #[serde(default)]
    pub threads: Vec<ThreadDocument>,
    /// What each choice did.
    pub steps: Vec<StepDocument>,
    /// What the threads that are not over wait for.
    pub waiting: Vec<WaitingDocument>,
    /// Where a crash happened, or the program gave up (`abort`), and the callers; innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub backtrace: Vec<FrameDocument>,
}

/// A function that was being executed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FrameDocument {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
    pub file: String,
    pub line: u32,
}

/// What was a choice and what was not; without them the choices mean something else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// Was the end of a process a choice?
    #[serde(default)]
    pub exits_are_visible: bool,
    /// How often a thread could try in vain at one place before it had to wait for others.
    #[serde(default = "usual_retries")]
    pub retries: u32,
    /// If each execution began in a folder of its own: the one that it was a copy of; empty if it was empty.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scratch: Option<String>,
    /// If accesses to memory were visible: the addresses of the places that threads share.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<Vec<u64>>,
    /// The exit statuses that are no violation; left out if that is 0 alone, and empty if any is accepted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_statuses: Option<Vec<u8>>,
    /// Could processes other than the first crash or give up?
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub children_may_crash: bool,
    /// What threads share of files, by its number: operations on it were visible.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<u64>,
    /// The addresses of locks and the like that threads share, if operations on others were no
    /// steps; left out if all were visible.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub objects: Option<Vec<u64>>,
    /// How many processors the program saw.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub processors: Option<u32>,
    /// Which stream the random numbers of the program came from.
    #[serde(default = "usual_seed")]
    pub seed: u64,
    /// When time limits passed.
    #[serde(default)]
    pub timeouts: TimeoutsDocument,
    #[serde(flatten)]
    pub surroundings: Surroundings,
}

/// What the program gets from outside besides its arguments, as far as that is known to matter.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Surroundings {
    /// The current directory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub directory: Option<String>,
    /// The environment variables that the program asked for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub environment: Vec<VariableDocument>,
    /// Of all environment variables, to tell whether others have changed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub environment_sha256: Option<String>,
}

/// An environment variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VariableDocument {
    pub name: String,
    /// Left out if there was none of that name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<String>,
}

/// When time limits pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutsDocument {
    /// At any time.
    #[default]
    Any,
    /// One of at least so many milliseconds: only when no other thread can move, or when so much time was slept.
    LateFromMs(u64),
    /// Never.
    Never,
}

impl TimeoutsDocument {
    pub fn new(timeouts: Timeouts) -> TimeoutsDocument {
        match timeouts {
            Timeouts::Any => TimeoutsDocument::Any,
            Timeouts::Late(long) => TimeoutsDocument::LateFromMs(long.as_millis() as u64),
            Timeouts::Never => TimeoutsDocument::Never,
        }
    }

    pub fn timeouts(self) -> Timeouts {
        match self {
            TimeoutsDocument::Any => Timeouts::Any,
            TimeoutsDocument::LateFromMs(long) => Timeouts::Late(Duration::from_millis(long)),
            TimeoutsDocument::Never => Timeouts::Never,
        }
    }
}

fn usual_seed() -> u64 {
    1
}

fn usual_retries() -> u32 {
    3
}

/// Which program it was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProgramIdentity {
    /// The file that was executed. If it is a link, not what it leads to.
    pub path: String,
    /// What the program was called, its argument 0; if that is missing, its path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// Of the contents of the file.
    pub sha256: String,
    pub arguments: Vec<String>,
}

/// A thread, or a thread and a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ChoiceDocument {
    Thread(usize),
    Value(usize, u32),
}

impl ChoiceDocument {
    pub fn new(choice: Choice) -> ChoiceDocument {
        match choice.value {
            0 => ChoiceDocument::Thread(choice.thread),
            value => ChoiceDocument::Value(choice.thread, value),
        }
    }

    pub fn choice(self) -> Choice {
        match self {
            ChoiceDocument::Thread(thread) => Choice { thread, value: 0 },
            ChoiceDocument::Value(thread, value) => Choice { thread, value },
        }
    }
}

/// A thread of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadDocument {
    pub thread: usize,
    pub process: u32,
    /// The function that it began with; `thread` if that is not known, `process` for the first thread of a forked process.
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub created_by: Option<usize>,
    /// How many steps were taken when it was created.
    pub created_after: usize,
    /// How many steps were taken when it ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended_after: Option<usize>,
}

impl ThreadDocument {
    pub fn title(&self) -> String {
        format!("{}:{}", self.name, self.thread)
    }
}

/// One step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StepDocument {
    pub process: u32,
    pub thread: usize,
    pub operation: String,
    /// The variable it works on; if that is not known, what it is and where.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object: Option<String>,
    /// The value of a toss, the waiter that was woken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<u32>,
    /// It could go on only because its time limit passed.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub time_limit_passed: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
}

/// What a thread waits for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WaitingDocument {
    pub thread: usize,
    pub operation: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object: Option<String>,
    /// The thread that holds it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub held_by: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
}

/// The choices of an execution.
pub fn choices(execution: &Execution) -> Vec<ChoiceDocument> {
    execution.schedule().into_iter().map(ChoiceDocument::new).collect()
}

/// The file of an execution, and of what it violates.
pub fn document(
    program: &ProgramIdentity,
    property: Option<PropertyName>,
    telling: Telling,
    conditions: Conditions,
) -> ScheduleDocument {
    ScheduleDocument {
        schema: SCHEMA.to_string(),
        program: program.clone(),
        property: property.map_or(String::new(), |property| property.word().to_string()),
        reason: property.map_or(String::new(), |property| telling.reason(property)),
        culprit: telling.execution.culprit.filter(|_| property.is_some()),
        conditions,
        switches: n_switches(telling.execution) as u64,
        choices: choices(telling.execution),
        threads: telling.threads(),
        steps: telling.steps(),
        waiting: telling.waiting(),
        backtrace: telling.backtrace(),
    }
}

/// Writes a schedule file.
pub fn write(document: &ScheduleDocument, mut to: impl Write) -> std::io::Result<()> {
    writeln!(to, "{}", crate::to_json(document))?;
    to.flush()
}

/// Is this text a schedule file, rather than a trail of a model?
pub fn is_schedule(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    serde_json::from_str::<Head>(text).is_ok_and(|head| head.schema.as_deref() == Some(SCHEMA))
}

/// Reads a schedule file.
pub fn read(mut from: impl Read) -> Result<ScheduleDocument, String> {
    let mut text = String::new();
    from.read_to_string(&mut text).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}
