// A sorted send puts a message behind equal ones.
//! rule 2.13
//! plain 12/0/12/0/11 ok
chan q = [4] of { byte, byte };
byte a, b;
active proctype A() { q!!2,5; q!!1,9; q!!2,5; q!!1,8; q?a,b; assert(a == 1 && b == 8); q?a,b; assert(a == 1 && b == 9); q?2,5; q?2,5 }
