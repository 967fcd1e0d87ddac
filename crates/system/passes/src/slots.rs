//! Which slots a place can denote, and which slots an action can write.

use allways_system::{Action, Pattern, Place};

/// Beyond so many combinations of indices everything between the first and the last slot counts.
const MAX_COMBINATIONS: u64 = 1 << 14;

/// Calls `visit` on every slot that the place can denote, whatever the values of its indices, and perhaps on more of
/// the same variable.
pub(crate) fn for_each_slot(place: &Place, visit: &mut dyn FnMut(u32)) {
    match &place.indices[..] {
        [] => return visit(place.base),
        [index] => return (0..index.bound).for_each(|i| visit(place.base + i * index.stride)),
        _ => {}
    }
    let combinations =
        place.indices.iter().fold(1u64, |product, index| product.saturating_mul(u64::from(index.bound)));
    if combinations > MAX_COMBINATIONS {
        let reach: u32 = place.indices.iter().map(|index| index.stride * (index.bound - 1)).sum();
        return (place.base..=place.base + reach).for_each(visit);
    }
    let mut slots = vec![place.base];
    for index in &place.indices {
        let starts = std::mem::take(&mut slots);
        for start in starts {
            slots.extend((0..index.bound).map(|i| start + i * index.stride));
        }
    }
    slots.into_iter().for_each(visit);
}

/// Calls `visit` on every place that the action itself writes (not on those of the inner graph of a `d_step`).
pub(crate) fn for_each_write<'a>(action: &'a Action, visit: &mut dyn FnMut(&'a Place)) {
    match action {
        Action::Assign(place, _) => visit(place),
        Action::AssignAll(assignments) => assignments.iter().for_each(|(place, _)| visit(place)),
        Action::Receive { patterns, .. } => {
            for pattern in patterns {
                if let Pattern::Store(place) = pattern {
                    visit(place);
                }
            }
        }
        Action::Run { result: Some(place), .. } => visit(place),
        Action::Skip
        | Action::Condition(_)
        | Action::Else
        | Action::Send { .. }
        | Action::Assert(_)
        | Action::Run { result: None, .. }
        | Action::Print { .. }
        | Action::SetPriority { .. }
        | Action::DStep { .. }
        | Action::Terminate => {}
    }
}
