// Duplicates of several kinds.
//! rule 9
//! error 8
//! error 10
//! error 12
byte x;
proctype P() { skip }
proctype P() { skip }
inline f() { skip }
inline f() { skip }
init { f() }
init { skip }
