// The operators && and || evaluate their right side only if needed.
//! rule 1.4
//! plain 4/0/4/0/3 ok
byte a[2];
byte i = 9;
active proctype A() { if :: i < 2 && a[i] == 0 -> assert(false) :: i >= 2 || a[i] == 0 fi; assert(!(i < 2) || a[i] == 1) }
