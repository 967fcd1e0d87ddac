//! Scalar types, and the shapes that structs and arrays are flattened from.

use std::sync::Arc;

use crate::MtypeId;

/// The type of one slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// One bit.
    Bit,
    /// One bit, shown as a truth value.
    Bool,
    /// 0 to 255.
    Byte,
    /// A process number, 0 to 255.
    Pid,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
    /// That many bits (1 to 31).
    Unsigned(u8),
    /// A symbolic name, 0 (none) to 255 or more; the set says which names it shows.
    Mtype(MtypeId),
    /// A channel: 0 for none, else one more than its position in the list of live channels.
    Chan,
}

impl Scalar {
    /// The value that remains when `value` is stored in a slot of this type.
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Scalar::Bit | Scalar::Bool => value & 1,
            Scalar::Byte | Scalar::Pid => value & 0xff,
            Scalar::Short => value as i16 as i32,
            Scalar::Int => value,
            Scalar::Unsigned(bits) => value & ((1u32 << bits) - 1) as i32,
            Scalar::Mtype(_) | Scalar::Chan => value & 0xffff,
        }
    }

    /// How many bytes a packed state needs for it.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::Bit | Scalar::Bool | Scalar::Byte | Scalar::Pid => 1,
            Scalar::Short | Scalar::Mtype(_) | Scalar::Chan => 2,
            Scalar::Int => 4,
            Scalar::Unsigned(bits) => (bits as usize).div_ceil(8),
        }
    }
}

/// The structure of a variable. Copies share what it is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One slot.
    Scalar(Scalar),
    /// So many of the same, one after the other.
    Array(Arc<Shape>, u32),
    /// Named fields, one after the other.
    Record {
        /// The typedef.
        name: Arc<str>,
        /// In declaration order.
        fields: Arc<[(String, Shape)]>,
    },
}

impl Shape {
    /// How many slots it occupies.
    pub fn slots(&self) -> u32 {
        match self {
            Shape::Scalar(_) => 1,
            Shape::Array(element, length) => element.slots().saturating_mul(*length),
            Shape::Record { fields, .. } => {
                fields.iter().fold(0, |sum: u32, (_, field)| sum.saturating_add(field.slots()))
            }
        }
    }

    /// Calls `visit` with the name and type of every slot in order, e.g. `a[1].b`.
    pub fn for_each_slot(&self, name: &str, visit: &mut dyn FnMut(&str, Scalar)) {
        match self {
            Shape::Scalar(scalar) => visit(name, *scalar),
            Shape::Array(element, length) => {
                for index in 0..*length {
                    element.for_each_slot(&format!("{name}[{index}]"), visit);
                }
            }
            Shape::Record { fields, .. } => {
                for (field, shape) in fields.iter() {
                    shape.for_each_slot(&format!("{name}.{field}"), visit);
                }
            }
        }
    }

    /// The types of its slots, in order.
    pub fn scalars(&self) -> Vec<Scalar> {
        match self {
            Shape::Scalar(scalar) => vec![*scalar],
            Shape::Array(element, length) => element.scalars().repeat(*length as usize),
            Shape::Record { fields, .. } => fields.iter().flat_map(|(_, shape)| shape.scalars()).collect(),
        }
    }
}
