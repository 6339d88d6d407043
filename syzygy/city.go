package syzygy

// city128 is CityHash128 for texts of at least 16 bytes.
func city128(s []byte) [2]uint64 {
	if len(s) < 16 {
		return [2]uint64{} // there is no file without contents
	}
	seed := [2]uint64{fetch(s, 0) ^ prime3, fetch(s, 8)}
	if s = s[16:]; len(s) < 128 {
		return cityMurmur(s, seed)
	}
	return cityLong(s, seed)
}

// cityMurmur is the part of CityHash128 for short texts, of at least 16 bytes.
func cityMurmur(s []byte, seed [2]uint64) [2]uint64 {
	a, b := seed[0], seed[1]
	var c, d uint64
	n := len(s)
	if n <= 16 {
		a = shiftMix(a*prime1) * prime1
		u, v := fetch(s, 0), fetch(s, n-8)
		c = b*prime1 + (mix16(u, rotate(v+uint64(n), n)) ^ v)
		d = shiftMix(a + u)
	} else {
		c = mix16(fetch(s, n-8)+prime1, a)
		d = mix16(b+uint64(n), c+fetch(s, n-16))
		a += d
		for at := 0; at < n-16; at += 16 {
			a = (a ^ shiftMix(fetch(s, at)*prime1)*prime1) * prime1
			b ^= a
			c = (c ^ shiftMix(fetch(s, at+8)*prime1)*prime1) * prime1
			d ^= c
		}
	}
	a, b = mix16(a, c), mix16(d, b)
	return [2]uint64{a ^ b, mix16(b, a)}
}

// cityWeak is WeakHashLen32WithSeeds.
func cityWeak(s []byte, at int, a, b uint64) [2]uint64 {
	z := fetch(s, at+24)
	a += fetch(s, at)
	b = rotate(b+a+z, 21)
	c := a
	a += fetch(s, at+8) + fetch(s, at+16)
	b += rotate(a, 44)
	return [2]uint64{a + z, b + c}
}

// cityLong is the part of CityHash128 for texts of at least 128 bytes.
func cityLong(s []byte, seed [2]uint64) [2]uint64 {
	x, y, n := seed[0], seed[1], len(s)
	z := uint64(n) * prime1
	var v, w [2]uint64
	v[0] = rotate(y^prime1, 49)*prime1 + fetch(s, 0)
	v[1] = rotate(v[0], 42)*prime1 + fetch(s, 8)
	w[0] = rotate(y+z, 35)*prime1 + x
	w[1] = rotate(x+fetch(s, 88), 53) * prime1
	at := 0
	for ; n-at >= 128; at += 128 {
		for i := at; i < at+128; i += 64 {
			x = rotate(x+y+v[0]+fetch(s, i+8), 37) * prime1
			y = rotate(y+v[1]+fetch(s, i+48), 42) * prime1
			x ^= w[1]
			y += v[0] + fetch(s, i+40)
			z = rotate(z+w[0], 33) * prime1
			v = cityWeak(s, i, v[1]*prime1, x+w[0])
			w = cityWeak(s, i+32, z+w[1], y+fetch(s, i+16))
			x, z = z, x
		}
	}
	x += rotate(v[0]+z, 49) * prime0
	z += rotate(w[0], 37) * prime0
	for done, left := 0, n-at; done < left; {
		done += 32
		from := n - done
		y = rotate(x+y, 42)*prime0 + v[1]
		w[0] += fetch(s, from+16)
		x = x*prime0 + w[0]
		z += w[1] + fetch(s, from)
		w[1] += v[0]
		v = cityWeak(s, from, v[0]+z, v[1])
	}
	x = mix16(x, v[0])
	y = mix16(y+z, w[0])
	return [2]uint64{mix16(x+v[1], w[1]) + y, mix16(x+w[1], y+v[1])}
}
