"""Nearly all time is spent in `burn`, on the lines that are marked."""


def burn(n):
    x = 1
    for i in range(n):  # hot
        x = (x * 1103515245 + 12345 + i) % 2147483648  # hot
    return x


def rest(n):
    return sum(range(n))


def descend(depth):
    if depth == 0:
        return burn(6_000_000)
    return descend(depth - 1) + rest(1000)


print(descend(5))
