// Who asks whether a channel is empty breaks the claim of its receiver.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict exclusive violated
chan q = [2] of { byte };
active proctype R() { xr q; byte v; q?v }
active proctype S() { q!1 }
active proctype E() { do :: empty(q) -> skip :: nempty(q) -> break od }
