// A variable that is to receive two fields of one message.
//! rule 1.3
//! error 9
chan q = [1] of { byte, byte };
byte x;
active proctype A()
{
	q!1,2;
	q?x,x
}
