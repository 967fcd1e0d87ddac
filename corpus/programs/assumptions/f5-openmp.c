// Finding f5: what OpenMP hands to its threads is ordered by locks of its own, which are not announced. Nothing races here.
int counter;

int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        counter = counter + 1;
    }
    return counter != 2;
}
