//! Labels as text, for the output formats.

use crate::{Cube, Label};

/// Signs of an output format.
pub(crate) struct Signs {
    pub always: &'static str,
    pub never: &'static str,
    pub not: &'static str,
    pub and: &'static str,
    pub or: &'static str,
}

/// A sum of products; `name` writes a proposition.
pub(crate) fn label_text(label: &Label, signs: &Signs, name: impl Fn(u32) -> String) -> String {
    if label.is_false() {
        return signs.never.into();
    }
    let products: Vec<String> = label.cubes.iter().map(|cube| cube_text(*cube, signs, &name)).collect();
    products.join(signs.or)
}

fn cube_text(cube: Cube, signs: &Signs, name: &impl Fn(u32) -> String) -> String {
    if cube == Cube::TRUE {
        return signs.always.into();
    }
    let literals: Vec<String> = (0..64)
        .filter(|p| (cube.ones | cube.zeros) >> p & 1 == 1)
        .map(|p| if cube.ones >> p & 1 == 1 { name(p) } else { format!("{}{}", signs.not, name(p)) })
        .collect();
    literals.join(signs.and)
}

/// The name of a proposition; a number if it has none.
pub(crate) fn name_of(names: &[String], proposition: u32) -> String {
    names.get(proposition as usize).cloned().unwrap_or_else(|| format!("p{proposition}"))
}
