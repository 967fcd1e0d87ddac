// Labels with the prefixes and a digit, an underscore or a capital after them are on purpose.
//! rule 9 item 17
byte x;
active proctype A()
{
	x = 1;
end:	x = x + 1;
end_wait: x = x + 1;
end2:	x = x + 1;
accept:	x = x + 1;
accept_S0: x = x + 1;
progress: x = x + 1;
progress1: x = x + 1
}
