// Two elses that meet in one choice.
//! rule 10 row 20
//! error 7
byte x;
active proctype A()
{
	if :: if :: x == 1 -> x = 2 :: else -> x = 3 fi :: x == 5 -> x = 4 :: else -> x = 7 fi
}
