// Another process asks whether a channel is empty that this one claimed for sending. The claim is checked apart from the counts.
//! rule 1.2
//! plain 7/0/7/0/5 errors
//! verdict deadlock violated
//! verdict exclusive violated
chan c = [1] of { byte };
active proctype A() { xs c; c!1 }
active proctype B() { byte v; xr c; empty(c); c?v }
