/* `burn` takes nearly all time and allocates nearly all memory, on the marked lines. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned long burn(unsigned long n)
{
    unsigned long *block = malloc(1000000); /* hot */
    unsigned long x = 88172645463325252ul;
    for (unsigned long i = 0; i < n; i++) { /* hot */
        x ^= x << 13; /* hot */
        x ^= x >> 7; /* hot */
        x ^= x << 17; /* hot */
        block[i & 1023] = x; /* hot */
    }
    x = block[7];
    free(block);
    return x;
}

__attribute__((noinline)) static unsigned long rest(unsigned long n)
{
    char *block = malloc(n);
    block[n - 1] = 1;
    unsigned long x = (unsigned long)block[n - 1];
    free(block);
    return x;
}

__attribute__((noinline)) static unsigned long descend(int depth, unsigned long n)
{
    if (depth == 0)
        return burn(n);
    return descend(depth - 1, n) + rest(1000);
}

int main(int count, char **arguments)
{
    printf("%lu\n", descend(5, count > 1 ? strtoul(arguments[1], NULL, 10) : 300000000ul));
    return 0;
}
