// A rendezvous with a constant in the receive needs an equal value.
//! rule 2.3
//! plain 5/0/5/0/5 ok
chan c = [0] of { byte, byte };
byte x;
active proctype S() { if :: c!1,5 :: c!2,6 fi }
active proctype R() { if :: c?1,x :: c?3,x fi; assert(x == 5) }
