// The words true and 1 as statements in an option beside skip.
//! rule e
//! plain 4/0/4/0/3 ok
active proctype A() { if :: skip; true; 1; skip fi }
