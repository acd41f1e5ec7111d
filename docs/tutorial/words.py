"""Makes up a text, and counts its words and its different words."""

import random


def make_up(length):
    letters = random.Random(1)
    return ["".join(letters.choices("etaoinshrdlu", k=3)) for _ in range(length)]


def different(words):
    seen = []
    for word in words:
        if word not in seen:
            seen.append(word)
    return seen


def main():
    words = make_up(200_000)
    print(len(words), "words,", len(different(words)), "different")


main()
