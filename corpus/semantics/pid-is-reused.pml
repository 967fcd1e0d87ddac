// A second instance of f gets number 2, or number 1 again when the first one has died.
//! rule 2.20
//! plain 11/4/15/0/6 errors
//! verdict assertions violated
//! verdict deadlock holds
init { run f() }
active proctype f() { assert(_pid == 1) }
