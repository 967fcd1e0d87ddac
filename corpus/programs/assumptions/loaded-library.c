// What loads-library.c loads.
void count(int *counter)
{
    int value = *counter;
    *counter = value + 1;
}
