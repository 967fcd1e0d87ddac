// Four philosophers with semaphores, as the program examples/programs/philosophers.c sees them: 321 states, 708 steps between them (Spin counts the start, too).
//! rule 2.1
//! plain 321/388/709/356/24 errors
//! verdict deadlock violated
#ifndef N
#define N 4
#endif
byte fork[N] = 1;
active [N] proctype philosopher() {
  byte left = _pid, right = (_pid + 1) % N;
  atomic { fork[left] > 0 -> fork[left]-- };
  atomic { fork[right] > 0 -> fork[right]-- };
  fork[left]++;
  fork[right]++;
end: false
}
