//! Dense typed ids: indices into the vectors of a [`crate::System`].

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the vector this id belongs to.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Index into [`crate::System::proctypes`].
    ProctypeId
    /// Index into [`crate::System::channels`].
    ChannelKindId
    /// Index into [`crate::System::mtypes`].
    MtypeId
    /// Index into [`crate::Proctype::locations`].
    LocationId
    /// Index into [`crate::Proctype::transitions`].
    TransitionId
}

/// The number of a process: its position in the list of live processes.
pub type Pid = u32;
