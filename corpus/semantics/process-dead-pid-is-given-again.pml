// A pid is given again after its process has died, so f is not always number 2.
//! rule 2.20
//! plain 13/4/17/0/6 errors
//! verdict assertions violated
//! verdict deadlock holds
init { run f() }
proctype f() { assert(_pid == 2) }
active proctype g() { skip }
