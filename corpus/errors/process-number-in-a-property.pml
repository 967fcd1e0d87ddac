// S6: a formula, a claim and a trace are executed by no process.
//! error 7
//! error 8
//! error 9
//! error 10
chan q = [1] of { byte }; byte x; active proctype A() { q!_pid; x = _priority }
ltl p { _pid == 0 }
ltl e { <> enabled(_pid) }
never { do :: _pid == 0 od }
trace { q!_pid }
