/** `burn` takes nearly all time, on the marked lines. */
class App {
    static double burn(int n) {
        double x = 1;
        for (int i = 0; i < n; i++) { // hot
            x = (x * 69069 + 12345 + i) % 2147483648.0; // hot
        }
        return x;
    }

    static long rest(int n) {
        return java.util.stream.IntStream.range(0, n).asLongStream().sum();
    }

    static double descend(int depth) {
        if (depth == 0) {
            return burn(150_000_000);
        }
        return descend(depth - 1) + rest(1000);
    }

    public static void main(String[] arguments) {
        System.out.println(descend(5));
    }
}
