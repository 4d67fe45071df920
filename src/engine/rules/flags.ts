// Columns of flags, 1 where something holds. What is not known (NaN) never holds.

/** 1 where `left` is above `right`. */
export function isAbove(left: Float64Array, right: Float64Array): Uint8Array {
  const flags = new Uint8Array(left.length);
  for (let i = 0; i < flags.length; i++) flags[i] = left[i] > right[i] ? 1 : 0;
  return flags;
}

/** 1 where `left` is below `right`. */
export function isBelow(left: Float64Array, right: Float64Array): Uint8Array {
  return isAbove(right, left);
}

/** 1 where `left` is at least `right`. */
export function isAtLeast(left: Float64Array, right: Float64Array): Uint8Array {
  const flags = new Uint8Array(left.length);
  for (let i = 0; i < flags.length; i++) flags[i] = left[i] >= right[i] ? 1 : 0;
  return flags;
}

/** 1 where `left` is at most `right`. */
export function isAtMost(left: Float64Array, right: Float64Array): Uint8Array {
  return isAtLeast(right, left);
}

/** 1 where `left` is above `right` and was not in the row before. */
export function crossesAbove(left: Float64Array, right: Float64Array): Uint8Array {
  const flags = new Uint8Array(left.length);
  for (let i = 1; i < flags.length; i++) flags[i] = left[i] > right[i] && left[i - 1] <= right[i - 1] ? 1 : 0;
  return flags;
}

/** 1 where `left` is below `right` and was not in the row before. */
export function crossesBelow(left: Float64Array, right: Float64Array): Uint8Array {
  return crossesAbove(right, left);
}

/** 1 where `left` is not further from `right` than this part of it. */
export function isNear(left: Float64Array, right: Float64Array, distance: number): Uint8Array {
  const flags = new Uint8Array(left.length);
  for (let i = 0; i < flags.length; i++) flags[i] = Math.abs(left[i] - right[i]) <= distance * Math.abs(right[i]) ? 1 : 0;
  return flags;
}

/** 1 where the line was above the row before `count` times in a row. */
export function rises(line: Float64Array, count: number): Uint8Array {
  const flags = new Uint8Array(line.length);
  let inARow = 0;
  for (let i = 1; i < flags.length; i++) {
    inARow = line[i] > line[i - 1] ? inARow + 1 : 0;
    flags[i] = inARow >= count ? 1 : 0;
  }
  return flags;
}

/** 1 where the line was below the row before `count` times in a row. */
export function falls(line: Float64Array, count: number): Uint8Array {
  return rises(
    line.map((value) => -value),
    count,
  );
}

/** 1 where all are. Needs: at least one */
export function allOf(...columns: readonly Uint8Array[]): Uint8Array {
  const flags = columns[0].slice();
  for (const column of columns.slice(1)) {
    const [words, others] = [wordsIn(flags), wordsIn(column)];
    for (let w = 0; w < words.length; w++) words[w] &= others[w];
    for (let i = words.length * 4; i < flags.length; i++) flags[i] &= column[i];
  }
  return flags;
}

/** 1 where any is. Needs: at least one */
export function anyOf(...columns: readonly Uint8Array[]): Uint8Array {
  const flags = columns[0].slice();
  for (const column of columns.slice(1)) {
    const [words, others] = [wordsIn(flags), wordsIn(column)];
    for (let w = 0; w < words.length; w++) words[w] |= others[w];
    for (let i = words.length * 4; i < flags.length; i++) flags[i] |= column[i];
  }
  return flags;
}

/** Four flags at a time, without the last few; each column has memory of its own, so it begins on a boundary. */
function wordsIn({ buffer, byteOffset, length }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length >> 2);
}

/** 1 where none is. Needs: at least one */
export function noneOf(...columns: readonly Uint8Array[]): Uint8Array {
  return anyOf(...columns).map((flag) => 1 - flag);
}

/** 1 where at least `count` are. Needs: at least one */
export function atLeastOf(count: number, ...columns: readonly Uint8Array[]): Uint8Array {
  const sums = columns[0].slice();
  for (const column of columns.slice(1)) for (let i = 0; i < sums.length; i++) sums[i] += column[i];
  return sums.map((sum) => (sum >= count ? 1 : 0));
}

/** 1 where the flag was set in one of the last `count` rows, the row's own included. */
export function withinLast(flags: Uint8Array, count: number): Uint8Array {
  const column = new Uint8Array(flags.length);
  let newest = -Infinity;
  for (let i = 0; i < flags.length; i++) {
    if (flags[i] === 1) newest = i;
    column[i] = i - newest < count ? 1 : 0;
  }
  return column;
}
