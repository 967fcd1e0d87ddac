/* Too many states to wait for. */
#ifndef SIZE
#define SIZE 100
#endif
#ifndef LARGEST
#define LARGEST 5 * (SIZE - 1)
#endif
byte a, b, c, d, e;

active proctype main()
{
    do
    :: a = (a + 1) % SIZE
    :: b = (b + 1) % SIZE
    :: c = (c + 1) % SIZE
    :: d = (d + 1) % SIZE
    :: e = (e + 1) % SIZE
    :: assert(a + b + c + d + e <= LARGEST)
    od
}
