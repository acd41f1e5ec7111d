// A program with endpoints for profiles. It prints its address.
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"runtime"
	"time"
)

var kept [][]byte

//go:noinline
func keep() {
	for i := 0; i < 64; i++ {
		kept = append(kept, make([]byte, 1<<20))
	}
}

//go:noinline
func sleep() {
	time.Sleep(time.Hour)
}

//go:noinline
func burn() uint32 {
	x := uint32(1)
	for i := 0; ; i++ {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
	}
}

func main() {
	keep()
	runtime.GC()
	for i := 0; i < 100; i++ {
		go sleep()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		fmt.Println(listener.Addr())
		panic(http.Serve(listener, nil))
	}()
	burn()
}
