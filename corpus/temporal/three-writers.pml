// Whoever writes last decides what is true for ever.
//! verdict p violated
//! weak p violated
//! strong p violated
//! differs pan -f loses runs that come to a stop
byte n;
active proctype P() { n = 1 }
active proctype Q() { n = 2 }
active proctype R() { n = 3 }
ltl p { <> [] (n == 3) }
