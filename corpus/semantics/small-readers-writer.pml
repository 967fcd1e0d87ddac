// Readers and a writer with counts kept in atomics.
//! rule 3.2
//! plain 61/48/109/29/15 ok
byte readers;
bool writing;
active [2] proctype R() { atomic { !writing -> readers++ }; assert(!writing); readers-- }
active proctype W() { atomic { readers == 0 && !writing -> writing = true }; assert(readers == 0); writing = false }
