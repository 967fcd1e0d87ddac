/* Two variables that have no influence on anything. */
byte x, steps;

active proctype count()
{
    byte last;
    do
    :: x < 3 -> last = x; x++; steps++
    :: x == 3 -> x = 0
    od
}
