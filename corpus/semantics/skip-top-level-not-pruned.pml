// Skips at the top level of a body are steps each.
//! rule e
//! plain 6/0/6/0/5 ok
active proctype A() { skip; skip; skip; skip }
