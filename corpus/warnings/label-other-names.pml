// Labels that only contain the words are ordinary.
//! rule 9 item 17
byte x;
active proctype A()
{
	x = 1;
the_end: x = x + 1;
unaccepted: x = x + 1;
in_progress: x = x + 1
}
