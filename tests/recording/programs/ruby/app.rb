# `burn` takes nearly all time, on the marked lines.

def burn(n)
  x = 1.0
  i = 0
  while i < n # hot
    x = Math.sqrt(x * 69_069 + i) # hot
    i += 1 # hot
  end
  x.to_i
end

def rest(n)
  (0...n).sum
end

def descend(depth)
  return burn(9_000_000) if depth.zero?

  descend(depth - 1) + rest(1000)
end

puts descend(5)
