// A capacity of more than 255 works.
//! rule 1.2
//! plain 904/0/904/0/903 ok
chan q = [300] of { byte };
int n;
active proctype A() { do :: nfull(q) -> q!1; n++ :: full(q) -> break od; assert(n == 300 && len(q) == 300) }
