# `burn` takes nearly all time, on the marked lines.

burn <- function(n) {
  x <- 1
  i <- 0
  while (i < n) { # hot
    x <- (x * 69069 + i) %% 4294967296 # hot
    i <- i + 1 # hot
  }
  x
}

rest <- function(n) {
  sum <- 0
  for (i in seq_len(n)) {
    sum <- sum + i
  }
  sum
}

descend <- function(depth) {
  if (depth == 0) {
    return(burn(2e7))
  }
  descend(depth - 1) + rest(1000)
}

print(descend(5))
