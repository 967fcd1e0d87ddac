/* A property of cycles beside the safety properties. */
byte x;

active proctype counter()
{
    do
    :: x < 3 -> x++
    :: x == 3 -> x = 0
    od
}

ltl again { [] <> (x == 3) }
