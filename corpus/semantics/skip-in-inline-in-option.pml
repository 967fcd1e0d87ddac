// Skips that come from an inline called in an option.
//! rule e
//! plain 7/0/7/0/6 ok
byte x;
inline nothing() { skip; skip; skip }
active proctype A() { if :: nothing(); skip; skip; x = 1 fi }
