//! Which letters an edge allows: a disjunction of cubes over propositions.

/// A conjunction of propositions and negated propositions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Cube {
    /// Propositions that must hold, bit i for proposition i.
    pub ones: u64,
    /// Propositions that must not hold; disjoint from `ones` in every cube of a [`Label`].
    pub zeros: u64,
}

impl Cube {
    /// The cube that allows every letter.
    pub const TRUE: Cube = Cube { ones: 0, zeros: 0 };

    /// Whether the letter is allowed.
    pub fn contains(self, letter: u64) -> bool {
        letter & self.ones == self.ones && letter & self.zeros == 0
    }

    /// The letters that both allow; none if there are none.
    pub fn and(self, other: Cube) -> Option<Cube> {
        let cube = Cube { ones: self.ones | other.ones, zeros: self.zeros | other.zeros };
        (cube.ones & cube.zeros == 0).then_some(cube)
    }

    /// Whether every letter of this one is in the other.
    pub fn implies(self, other: Cube) -> bool {
        self.ones & other.ones == other.ones && self.zeros & other.zeros == other.zeros
    }
}

/// A set of letters: those in one of the cubes. No cube means none, one empty cube means all.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Label {
    /// None of them implies another.
    pub cubes: Vec<Cube>,
}

impl Label {
    /// Every letter.
    pub fn always() -> Label {
        Label { cubes: vec![Cube::TRUE] }
    }

    /// No letter.
    pub fn never() -> Label {
        Label::default()
    }

    /// The letters in which a proposition holds, or does not.
    pub fn literal(proposition: u32, positive: bool) -> Label {
        let bit = 1u64.checked_shl(proposition).unwrap_or(0);
        let cube = if positive { Cube { ones: bit, zeros: 0 } } else { Cube { ones: 0, zeros: bit } };
        Label { cubes: vec![cube] }
    }

    /// Whether the letter is in the set.
    pub fn contains(&self, letter: u64) -> bool {
        self.cubes.iter().any(|cube| cube.contains(letter))
    }

    /// Whether no letter is in the set.
    pub fn is_false(&self) -> bool {
        self.cubes.is_empty()
    }

    /// Whether every letter is in the set.
    pub fn is_true(&self) -> bool {
        self.cubes.contains(&Cube::TRUE) || self.not().is_false()
    }

    /// The letters in both sets.
    pub fn and(&self, other: &Label) -> Label {
        let mut result = Label::never();
        for a in &self.cubes {
            for b in &other.cubes {
                if let Some(cube) = a.and(*b) {
                    result.add(cube);
                }
            }
        }
        result.cubes.sort_unstable();
        result
    }

    /// Whether some letter is in both sets.
    pub fn intersects(&self, other: &Label) -> bool {
        self.cubes.iter().any(|a| other.cubes.iter().any(|b| a.and(*b).is_some()))
    }

    /// The letters in one of the sets.
    pub fn or(&self, other: &Label) -> Label {
        let mut result = self.clone();
        for cube in &other.cubes {
            result.add(*cube);
        }
        result.cubes.sort_unstable();
        result
    }

    /// The letters that are not in the set, as disjoint cubes.
    #[allow(clippy::should_implement_trait)]
    pub fn not(&self) -> Label {
        let mut rest = vec![Cube::TRUE];
        for cube in &self.cubes {
            rest = rest.into_iter().flat_map(|part| without(part, *cube)).collect();
        }
        rest.sort_unstable();
        Label { cubes: rest }
    }

    /// Whether every letter of this set is in the other.
    pub fn implies(&self, other: &Label) -> bool {
        self.cubes.iter().all(|cube| {
            let mut rest = vec![*cube];
            for taken in &other.cubes {
                rest = rest.into_iter().flat_map(|part| without(part, *taken)).collect();
            }
            rest.is_empty()
        })
    }

    /// Some letter of the set; propositions that do not matter are false.
    pub fn letter(&self) -> Option<u64> {
        self.cubes.first().map(|cube| cube.ones)
    }

    fn add(&mut self, cube: Cube) {
        if !self.cubes.iter().any(|have| cube.implies(*have)) {
            self.cubes.retain(|have| !have.implies(cube));
            self.cubes.push(cube);
        }
    }
}

/// What is left of a cube without another: disjoint cubes.
fn without(part: Cube, taken: Cube) -> Vec<Cube> {
    if part.and(taken).is_none() {
        return vec![part];
    }
    let mut result = Vec::new();
    let mut rest = part;
    for bit in bits(taken.ones & !part.ones) {
        result.push(Cube { ones: rest.ones, zeros: rest.zeros | bit });
        rest.ones |= bit;
    }
    for bit in bits(taken.zeros & !part.zeros) {
        result.push(Cube { ones: rest.ones | bit, zeros: rest.zeros });
        rest.zeros |= bit;
    }
    result
}

fn bits(mut mask: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = mask & mask.wrapping_neg();
        mask &= !bit;
        (bit != 0).then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All labels of up to three cubes over two propositions agree with sets of letters.
    #[test]
    fn operations_agree_with_sets() {
        let set = |label: &Label| (0..4).filter(|l| label.contains(*l)).fold(0u8, |set, l| set | 1 << l);
        let cubes: Vec<Cube> =
            (0..16).map(|i| Cube { ones: i & 3, zeros: i >> 2 }).filter(|c| c.ones & c.zeros == 0).collect();
        let one = |c: &Cube| Label { cubes: vec![*c] };
        let labels: Vec<Label> = cubes
            .iter()
            .flat_map(|a| cubes.iter().map(move |b| one(a).or(&one(b))))
            .chain([Label::never(), Label::always()])
            .collect();
        for a in &labels {
            assert_eq!(set(&a.not()), !set(a) & 15);
            assert_eq!(a.is_true(), set(a) == 15);
            for b in &labels {
                assert_eq!(set(&a.and(b)), set(a) & set(b));
                assert_eq!(set(&a.or(b)), set(a) | set(b));
                assert_eq!(a.implies(b), set(a) & !set(b) == 0);
                assert_eq!(a.intersects(b), set(a) & set(b) != 0);
            }
        }
    }
}
