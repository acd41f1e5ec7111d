-- `burn` takes nearly all time, on the marked lines.

local function burn(n)
  local x, i = 1.0, 0
  while i < n do -- hot
    x = math.sqrt(x * 69069 + i) -- hot
    i = i + 1 -- hot
  end
  return math.floor(x)
end

local function rest(n)
  local sum = 0
  for i = 1, n do
    sum = sum + i
  end
  return sum
end

local function descend(depth)
  if depth == 0 then
    local burnt = burn(300000000)
    return burnt
  end
  local below = descend(depth - 1)
  return below + rest(1000)
end

print(descend(5))
