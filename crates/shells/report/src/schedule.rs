//! Schedule files: the choices that make one execution of a program, enough to repeat it.

use std::io::{Read, Write};

use allways_stateless::{Choice, Execution, Finding};
use serde::{Deserialize, Serialize};

use crate::explore::reason;

/// What a schedule file says it is.
pub const SCHEMA: &str = "allways/schedule/1";

/// A schedule file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ScheduleDocument {
    pub schema: String,
    pub program: ProgramIdentity,
    /// What the execution violates.
    pub property: String,
    pub reason: String,
    /// Was the end of a process a choice?
    #[serde(default)]
    pub exits_are_visible: bool,
    /// If accesses to memory were visible: the addresses of the places that threads share.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<Vec<u64>>,
    /// Which thread moves; with its value, if its operation had several.
    pub choices: Vec<ChoiceDocument>,
    /// The same for people.
    pub steps: Vec<StepDocument>,
    /// What the threads that are not over wait for.
    pub waiting: Vec<WaitingDocument>,
}

/// Which program it was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramIdentity {
    pub path: String,
    pub sha256: String,
    pub arguments: Vec<String>,
}

/// A thread, or a thread and a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
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

/// One step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StepDocument {
    pub process: u32,
    pub thread: usize,
    pub operation: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<u32>,
}

/// What a thread waits for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WaitingDocument {
    pub thread: usize,
    pub operation: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object: Option<String>,
}

/// The choices of an execution.
pub fn choices(execution: &Execution) -> Vec<ChoiceDocument> {
    execution.schedule().into_iter().map(ChoiceDocument::new).collect()
}

/// The visible steps of an execution.
pub fn steps(execution: &Execution) -> Vec<StepDocument> {
    let step = |index: &usize| {
        let step = &execution.steps[*index];
        StepDocument {
            process: execution.process_of.get(step.thread).copied().unwrap_or(0),
            thread: step.thread,
            operation: step.operation.kind.word().to_string(),
            object: execution.object_name(&step.operation),
            value: (step.n_values > 1).then_some(step.value),
        }
    };
    execution.visible.iter().map(step).collect()
}

/// What those who are not over wait for.
pub fn waiting(execution: &Execution) -> Vec<WaitingDocument> {
    let waiting = |pending: &allways_stateless::Pending| WaitingDocument {
        thread: pending.thread,
        operation: pending.operation.kind.word().to_string(),
        object: execution.object_name(&pending.operation),
    };
    execution.pending.iter().map(waiting).collect()
}

/// The file of a violation.
pub fn document(
    program: &ProgramIdentity,
    finding: &Finding,
    exits_are_visible: bool,
    memory: Option<Vec<u64>>,
) -> ScheduleDocument {
    ScheduleDocument {
        schema: SCHEMA.to_string(),
        program: program.clone(),
        property: finding.property.word().to_string(),
        reason: reason(finding.property, &finding.execution),
        exits_are_visible,
        memory,
        choices: choices(&finding.execution),
        steps: steps(&finding.execution),
        waiting: waiting(&finding.execution),
    }
}

/// Writes a schedule file.
pub fn write(document: &ScheduleDocument, mut to: impl Write) -> std::io::Result<()> {
    writeln!(to, "{}", crate::to_json(document))
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
