// Strong until wants its end to come, weak until does not; release is the other way round.
//! verdict u violated
//! verdict w holds
//! verdict v holds
//! verdict s holds
bit x, y;
active proctype A() { do :: x = 1; x = 0 od }
ltl u { !y U y }
ltl w { !y W y }
ltl v { y V !y }
ltl s { !x U x }
