// Two fields of one name.
//! rule 10 row 7
//! error 6
typedef T {
	byte a;
	byte a
};
T t;
active proctype A() { t.a = 1 }
