package syzygy

import "testing"

// TestHashes holds the hashes of texts of all lengths against those that city-c.c of
// syzygy1/tb (0bb8aee) prints: for each word of the result, its sum over the lengths, in
// which each sum is 31 times the one before it and the next word.
func TestHashes(t *testing.T) {
	text := make([]byte, 2000)
	x := uint32(1)
	for i := range text {
		x = x*1664525 + 1013904223
		text[i] = byte(x >> 24)
	}
	var short [2]uint64
	for n := 32; n <= 900; n++ {
		for i, word := range city128(text[:n]) {
			short[i] = short[i]*31 + word
		}
	}
	if want := [2]uint64{0xe1b6feb7550b3044, 0xf1ad826df0de89f7}; short != want {
		t.Errorf("city128: %#x, want %#x", short, want)
	}
	var long [4]uint64
	for n := 1; n <= len(text); n++ {
		for i, word := range cityCRC256(text[:n]) {
			long[i] = long[i]*31 + word
		}
	}
	if want := [4]uint64{0x6bb4d92f401a2dc4, 0x2f8c9db30b009051, 0x9fa3680d2e938ee5, 0x31bd0e326c56fa95}; long != want {
		t.Errorf("cityCRC256: %#x, want %#x", long, want)
	}
}
