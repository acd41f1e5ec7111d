// `burn` takes nearly all time, on the marked lines. Its allocations are kept.
globalThis.kept = [];

function burn(n) {
  for (let i = 0; i < 10_000; i++) kept.push(new Array(100).fill(i));
  let x = 1;
  for (let i = 0; i < n; i++) { // hot
    x = (x * 69069 + 12345 + i) % 2147483648; // hot
  }
  return x;
}

function rest(n) {
  return Array.from({ length: n }, (_, i) => i).reduce((a, b) => a + b);
}

function descend(depth) {
  if (depth === 0) {
    return burn(70_000_000);
  }
  return descend(depth - 1) + rest(1000);
}

console.log(descend(5), kept.length);
