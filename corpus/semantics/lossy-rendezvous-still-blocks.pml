// With lossy channels a rendezvous still needs a partner.
//! rule 2.12
//! spin -m
//! options --full-channel lose
//! plain 1/0/1/0/1 errors
//! verdict assertions holds
//! verdict deadlock violated
chan c = [0] of { byte };
byte x;
active proctype A() { c!1; x = 1 }
