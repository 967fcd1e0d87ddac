// A remote reference to a local variable.
//! rule 1.4
//! plain 7/0/7/0/6 ok
active proctype A() { byte n; n = 1; n = 2 }
active proctype B() { A:n == 2 -> assert(A[0]:n == 2) }
