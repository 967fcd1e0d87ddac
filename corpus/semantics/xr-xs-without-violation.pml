// Claims of exclusive use cost no step.
//! rule 1.2
//! plain 8/0/8/0/7 ok
chan q = [1] of { byte };
active proctype A() { xs q; q!1; q!2 }
active proctype B() { xr q; byte v; q?v; q?v; assert(v == 2) }
