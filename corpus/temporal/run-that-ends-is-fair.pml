// A run that ends is fair: nobody is kept from moving.
//! verdict p violated
//! verdict q violated
//! verdict r holds
//! weak p violated
//! weak q violated
//! weak r holds
//! strong p violated
//! strong q violated
//! strong r holds
//! differs pan -f loses runs that come to a stop
byte n;
active proctype P() { n = 1 }
active proctype Q() { n = 2 }
ltl p { <> [] (n == 1) }
ltl q { [] <> (n == 1) }
ltl r { <> (n == 2) }
