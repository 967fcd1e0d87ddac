// A receive into a variable also takes the stop message, so the loop may go on and wait for ever.
//! rule 2.3
//! plain 16/0/16/0/18 errors
//! verdict assertions holds
//! verdict deadlock violated
chan c = [0] of { byte };
active proctype S() { byte i; do :: i < 3 -> c!i; i++ :: else -> break od; c!9 }
active proctype R() { byte v; do :: c?9 -> break :: c?v od; assert(v == 2) }
