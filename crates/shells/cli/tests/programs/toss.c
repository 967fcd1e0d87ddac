/* One of four values is wrong. */
__attribute__((weak)) int aw_toss(int most);

int main(void)
{
    return aw_toss && aw_toss(3) == 2;
}
