// A loop that never leaves its atomic sequence: the search must come to an end all the same.
//! rule 2.2
//! differs pan follows the loop until its depth limit
//! verdict assertions holds
//! verdict deadlock holds
byte x;
active proctype A() { atomic { do :: x < 3 -> x++ :: x > 1 -> x = 0 od } }
