// On a rendezvous channel len is 0, empty and nfull hold, full and nempty do not.
//! rule 2.3
//! plain 6/0/6/0/5 ok
chan c = [0] of { byte };
active proctype A() { assert(len(c) == 0); empty(c); nfull(c); if :: full(c) -> assert(false) :: nempty(c) -> assert(false) :: else fi }
