//! A look at the clock and at the memory during a translation.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

/// Is asked now and then whether a translation may go on. Once it has said no it is not asked again, and everything that
/// is translated under it ends soon as too large. Clones are the same watch.
#[derive(Clone)]
pub struct Watch(Rc<Inner>);

struct Inner {
    goes_on: Box<dyn Fn(u64) -> bool>,
    /// Of all decision diagrams under this watch.
    bytes: Cell<u64>,
    has_stopped: Cell<bool>,
}

impl Watch {
    /// Asks this function, which is told about how many bytes are in use, or will be before it is asked again.
    pub fn new(goes_on: impl Fn(u64) -> bool + 'static) -> Watch {
        let (bytes, has_stopped) = (Cell::new(0), Cell::new(false));
        Watch(Rc::new(Inner { goes_on: Box::new(goes_on), bytes, has_stopped }))
    }

    /// Whether to go on, if the one who asks now takes so many bytes instead of those before.
    pub(crate) fn goes_on(&self, before: u64, now: u64) -> bool {
        let bytes = (self.0.bytes.get() + now).saturating_sub(before);
        self.0.bytes.set(bytes);
        let stops = self.0.has_stopped.get() || !(self.0.goes_on)(bytes);
        self.0.has_stopped.set(stops);
        !stops
    }

    /// These bytes are not in use any more.
    pub(crate) fn give_back(&self, bytes: u64) {
        self.0.bytes.set(self.0.bytes.get().saturating_sub(bytes));
    }
}

impl PartialEq for Watch {
    fn eq(&self, other: &Watch) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Watch {}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "Watch({} bytes)", self.0.bytes.get())
    }
}
