// burn takes nearly all time, on the marked lines.
package app

import "testing"

//go:noinline
func burn(n uint64) uint64 {
	x := uint64(88172645463325252)
	for i := uint64(0); i < n; i++ { // hot
		x ^= x << 13 // hot
		x ^= x >> 7  // hot
		x ^= x << 17 // hot
	}
	return x
}

func descend(depth int) uint64 {
	if depth == 0 {
		return burn(50_000_000)
	}
	return descend(depth-1) + 1
}

func BenchmarkApp(b *testing.B) {
	for i := 0; i < b.N; i++ {
		descend(5)
	}
}
