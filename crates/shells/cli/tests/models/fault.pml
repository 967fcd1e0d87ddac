/* A run-time error, after a choice. */
byte table[3];
byte index;

active proctype main()
{
    select (index : 0 .. 3);
    table[index] = 1
}
