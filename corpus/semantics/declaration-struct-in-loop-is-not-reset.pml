// A struct declared in a loop costs a step but keeps the values of its fields.
//! rule 1.2
//! plain 17/0/17/0/16 ok
typedef T { byte a = 2; byte b };
byte i;
active proctype A()
{
	do
	:: i < 2 -> { T t; assert(t.a == i + 2); assert(t.b == i); t.a++; t.b++; i++ }
	:: else -> break
	od
}
