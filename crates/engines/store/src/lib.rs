//! Sets of visited states: exact, compact, bitstate.
