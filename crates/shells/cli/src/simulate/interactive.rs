//! The user chooses the steps.

use allways_report::state;

use super::{End, Simulation};
use crate::dialogue::{Request, ask};
use crate::dice::Dice;
use crate::exit::Failure;

const HELP: &str = "  1, 2, …  take that step              b        go back one step
  r        take a step at random       r N      take N steps at random
  v        variables                   c        channels
  p        processes                   q        quit
";

pub fn run(simulation: &mut Simulation, dice: &mut Dice) -> Result<End, Failure> {
    let mut end = offer(simulation)?;
    while let Some(request) = ask(&mut simulation.output, "choose (? for help): ")? {
        match answer(simulation, dice, &request)? {
            Answer::Nothing => {}
            // A step can go wrong, and so can having no step to take.
            Answer::Moved(wrong) => end = wrong.or(offer(simulation)?),
            Answer::Quit => break,
        }
    }
    Ok(end.unwrap_or(End::Quit))
}

enum Answer {
    /// The run is where it was.
    Nothing,
    /// It is elsewhere; how it ended, if it did.
    Moved(Option<End>),
    Quit,
}

/// Lists the steps that are possible now. If there are none, the run has ended.
fn offer(simulation: &mut Simulation) -> Result<Option<End>, Failure> {
    let choices = simulation.run.choices();
    for (index, choice) in choices.iter().enumerate() {
        let line = simulation.printer.choice(index + 1, choice);
        simulation.output.text(&line)?;
    }
    if !choices.is_empty() {
        return Ok(None);
    }
    let is_stuck = simulation.run.is_stuck();
    let words =
        if is_stuck { "nobody can move: invalid end state" } else { "the run has come to a proper end" };
    simulation.output.line(words)?;
    Ok(Some(if is_stuck { End::Blocked } else { End::Finished }))
}

fn answer(simulation: &mut Simulation, dice: &mut Dice, request: &Request) -> Result<Answer, Failure> {
    let text = match &*request.word {
        "q" | "quit" => return Ok(Answer::Quit),
        "r" => return at_random(simulation, dice, request.number.unwrap_or(1)),
        "b" if simulation.run.back() => return Ok(Answer::Moved(None)),
        "b" => "this is the start\n".to_string(),
        "" => String::new(),
        "?" | "h" | "help" => HELP.to_string(),
        "v" => state::variables(&simulation.run),
        "c" => state::channels(&simulation.run),
        "p" => state::processes(simulation.model, &simulation.run),
        word => match word.parse() {
            Ok(number) => return choose(simulation, number),
            Err(_) => format!("`{word}` is no command\n{HELP}"),
        },
    };
    simulation.output.text(&text)?;
    Ok(Answer::Nothing)
}

fn at_random(simulation: &mut Simulation, dice: &mut Dice, n_steps: usize) -> Result<Answer, Failure> {
    for _ in 0..n_steps {
        match simulation.random_step(dice)? {
            None => {}
            // There was no step to take, which is said when the next ones are offered.
            Some(End::Blocked | End::Finished) => break,
            Some(end) => return Ok(Answer::Moved(Some(end))),
        }
    }
    Ok(Answer::Moved(None))
}

fn choose(simulation: &mut Simulation, number: usize) -> Result<Answer, Failure> {
    let choices = simulation.run.choices();
    match number.checked_sub(1).and_then(|index| choices.get(index)) {
        Some(choice) => Ok(Answer::Moved(simulation.step(choice.step)?)),
        None => {
            let range =
                if choices.is_empty() { "none".to_string() } else { format!("1 to {}", choices.len()) };
            simulation.output.line(&format!("there is no step {number}; possible: {range}"))?;
            Ok(Answer::Nothing)
        }
    }
}
