// An ordinary receive looks only at the first message.
//! rule 1.3
//! plain 3/0/3/0/2 errors
//! verdict assertions holds
//! verdict deadlock violated
chan q = [2] of { byte };
active proctype A() { q!1; q!2; q?2 }
