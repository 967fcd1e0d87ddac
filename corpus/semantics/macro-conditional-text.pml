// Conditional text is chosen by the preprocessor.
//! rule 1.1
//! plain 7/0/7/0/6 ok
#define FAST
#ifdef FAST
#define STEP 2
#else
#define STEP 1
#endif
#if STEP == 2 && !defined(SLOW)
byte x = 4;
#else
byte y;
#endif
#undef STEP
#ifndef STEP
active proctype A() { do :: x > 0 -> x = x - 2 :: else -> break od }
#endif
