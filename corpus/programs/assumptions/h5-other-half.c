// The other half of h5-half.c.
int counter;

void count(void)
{
    counter++;
}
