// An initial value of a field that does not fit.
//! rule 10 row 12
//! warning 5
typedef T {
	byte a = 260
};
T t;
active proctype A() { assert(t.a == 4) }
