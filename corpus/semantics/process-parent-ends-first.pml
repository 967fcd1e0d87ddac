// A parent that ends waits for its children.
//! rule 2.1
//! plain 6/0/6/0/5 ok
byte x;
proctype P() { x = 1; assert(_nr_pr == 2) }
init { run P() }
