//! Lists of places in memory that are read or written together.

/// A `struct iovec`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Place {
    pub address: usize,
    pub length: usize,
}

/// Enough for what is cut out of a list.
const MOST: usize = 32;

/// A list of places: the program's own, or a part of it.
#[allow(clippy::large_enum_variant, reason = "it lives on the stack for one call")]
pub enum Vector {
    Given { address: usize, count: usize },
    Part { places: [Place; MOST], count: usize },
}

impl Vector {
    /// A single place.
    pub fn single(address: usize, length: usize) -> Vector {
        let mut places = [Place { address: 0, length: 0 }; MOST];
        places[0] = Place { address, length };
        Vector::Part { places, count: 1 }
    }

    pub fn address(&self) -> usize {
        match self {
            Vector::Given { address, .. } => *address,
            Vector::Part { places, .. } => places.as_ptr() as usize,
        }
    }

    pub fn count(&self) -> usize {
        match self {
            Vector::Given { count, .. } | Vector::Part { count, .. } => *count,
        }
    }

    pub fn places(&self) -> &[Place] {
        match self {
            Vector::Given { count: 0, .. } => &[],
            // SAFETY: the program passes a list of so many places.
            Vector::Given { address, count } => unsafe {
                core::slice::from_raw_parts(*address as *const Place, *count)
            },
            Vector::Part { places, count } => &places[..*count],
        }
    }

    /// How many bytes there are.
    pub fn length(&self) -> usize {
        self.places().iter().fold(0, |sum, place| sum.saturating_add(place.length))
    }

    /// The eight bytes at the beginning.
    pub fn first_number(&self) -> Option<u64> {
        let first = self.places().first().filter(|place| place.length >= 8)?;
        // SAFETY: the program passes so many bytes.
        Some(unsafe { (first.address as *const u64).read_unaligned() })
    }

    /// So many bytes from one of them on; fewer if they are in many pieces.
    pub fn part(&self, mut first: usize, mut length: usize) -> Vector {
        if first == 0 && length == self.length() {
            return Vector::Given { address: self.address(), count: self.count() };
        }
        let mut places = [Place { address: 0, length: 0 }; MOST];
        let mut count = 0;
        for place in self.places() {
            let skipped = first.min(place.length);
            first -= skipped;
            let taken = length.min(place.length - skipped);
            if taken > 0 && count < MOST {
                places[count] = Place { address: place.address + skipped, length: taken };
                count += 1;
                length -= taken;
            }
        }
        Vector::Part { places, count }
    }
}
