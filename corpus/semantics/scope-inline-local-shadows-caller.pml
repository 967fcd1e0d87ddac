// A local of an inline shadows one of the caller.
//! rule 1.2
//! differs Spin 6.5.2 rejects every shadowing as a redeclaration; the tuple is that of the model with the inner one renamed
//! plain 6/0/6/0/5 ok
byte y;
inline f() { byte t; t = 1; y = t }
active proctype A() { byte t = 5; f(); assert(t == 5 && y == 1) }
