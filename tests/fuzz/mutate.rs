//! Mutations of files: of their bytes, numbers, lines and brackets.

/// What readers may take for more than it is.
const TOKENS: [&[u8]; 24] = [
    b"0",
    b"-1",
    b"1",
    b"255",
    b"65536",
    b"2147483648",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"9223372036854775808",
    b"1e308",
    b"-0.0",
    b"NaN",
    b"null",
    b"[]",
    b"{}",
    b"\"\"",
    b"\n",
    b";",
    b"\xff\xff\xff\xff",
    b"\0\0\0\0",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x98\x80",
    b"\x80",
];

/// Longer results are cut.
const MAX_BYTES: usize = 1 << 17;

/// Makes mutations of seeds.
pub struct Mutator<'s> {
    seeds: &'s [Vec<u8>],
    random: u64,
}

impl<'s> Mutator<'s> {
    /// A mutator whose choices are the same in each run.
    pub fn new(seeds: &'s [Vec<u8>]) -> Self {
        Self { seeds, random: 0x2545_f491_4f6c_dd1d }
    }

    /// A number below `bound` (xorshift64*).
    fn below(&mut self, bound: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }

    /// The next mutation.
    pub fn next(&mut self) -> Vec<u8> {
        let seed = self.below(self.seeds.len());
        let mut data = self.seeds[seed].clone();
        for _ in 0..=self.below(4) {
            self.mutate(&mut data);
        }
        data.truncate(MAX_BYTES);
        data
    }

    fn range(&mut self, data: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(data.len() + 1);
        let longest = 1 << self.below(10);
        start..(start + self.below(longest)).min(data.len())
    }

    fn mutate(&mut self, data: &mut Vec<u8>) {
        match self.below(9) {
            0 => {
                let at = self.below(data.len());
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << self.below(8);
                }
            }
            1 => {
                let at = self.below(data.len());
                if let Some(byte) = data.get_mut(at) {
                    *byte = self.below(256) as u8;
                }
            }
            2 => drop(data.drain(self.range(&data.clone()))),
            3 => {
                let repeated = data[self.range(data)].to_vec();
                let at = self.below(data.len() + 1);
                data.splice(at..at, repeated);
            }
            4 => {
                let token = TOKENS[self.below(TOKENS.len())];
                let at = self.below(data.len() + 1);
                data.splice(at..at, token.iter().copied());
            }
            // A number becomes another one.
            5 | 6 => {
                let from = self.below(data.len() + 1);
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                if let Some(start) = data[from..].iter().position(is_digit) {
                    let start = from + start;
                    let length = data[start..].iter().take_while(|byte| is_digit(byte)).count();
                    let token = TOKENS[self.below(13)];
                    data.splice(start..start + length, token.iter().copied());
                }
            }
            // A part of another file.
            7 => {
                let other = self.below(self.seeds.len());
                let other = &self.seeds[other];
                let part = other[self.range(other)].to_vec();
                let at = self.range(data);
                data.splice(at, part);
            }
            _ => data.truncate(self.below(data.len() + 1)),
        }
    }
}
