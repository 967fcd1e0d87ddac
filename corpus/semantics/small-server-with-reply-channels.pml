// Two clients send their own reply channels to a server.
//! rule 3.2
//! plain 27/10/37/0/12 ok
chan server = [0] of { byte, chan };
active proctype Server() { byte n; chan r; end: do :: server?n,r -> r!n * n od }
active [2] proctype Client() { chan me = [0] of { byte }; byte v; server!_pid,me; me?v; assert(v == _pid * _pid) }
