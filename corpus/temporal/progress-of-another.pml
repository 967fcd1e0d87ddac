// One process makes progress, and a run may leave it out.
//! verdict progress violated
//! weak progress holds
//! strong progress holds
active proctype A() { byte l; do :: l = 1; l = 0 od }
active proctype B() { byte l; do :: l = 1; progress: l = 0 od }
