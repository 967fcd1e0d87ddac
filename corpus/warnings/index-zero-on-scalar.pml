// The index 0 on a variable that is no array means the variable.
//! rule 10 row 10
//! warning 11
//! warning 10
typedef T { byte f };
T t;
byte x;
active proctype A()
{
	t[0].f = 3;
	x[0] = t.f;
	assert(x == 3)
}
