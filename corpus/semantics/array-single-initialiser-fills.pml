// An initialiser without braces sets every element.
//! rule 1.2
//! plain 4/0/4/0/3 ok
byte a[3] = 7;
active proctype A() { byte b[2] = 5; assert(a[0] == 7 && a[1] == 7 && a[2] == 7); assert(b[0] == 5 && b[1] == 5) }
