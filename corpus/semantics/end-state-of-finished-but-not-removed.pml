// Processes at their end are valid even when they cannot be removed.
//! rule 2.11
//! plain 2/0/2/0/1 ok
active proctype A() { skip }
active proctype B() { end: false }
