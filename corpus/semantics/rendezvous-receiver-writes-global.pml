// A rendezvous receive into a global.
//! rule 2.3
//! plain 5/0/5/0/5 ok
chan c = [0] of { byte, byte };
byte a[3];
active proctype S() { c!2,7 }
active proctype R() { byte i; c?i,a[1]; assert(i == 2 && a[1] == 7) }
