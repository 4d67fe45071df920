/** How often the best of one half of the time was worse than the middle in the other half. */
export interface Overfitting {
  probability: number; // of backtest overfitting
  splits: number; // ways to take half of the blocks
  blocks: number;
  medianRank: number; // of the best of one half within the other: 1 is best again, 0 is last
}

/** So many tries take 16 blocks, as the paper does; more take 12, so that it stays a matter of a second. */
const triesOf16Blocks = 500;

/**
 * The probability of backtest overfitting by combinatorially symmetric cross-validation: the time is cut into blocks; for each way to
 * take half of them, the try with the best Sharpe ratio there is looked up among all tries in the other half.
 *
 * Shape:  for each try its returns, all of the same length; null with fewer than two tries or two returns for each block
 * Source: D. Bailey, J. Borwein, M. López de Prado and Q. Zhu, "The Probability of Backtest Overfitting" (2015), section 3
 */
export function overfittingOf(tries: readonly ArrayLike<number>[], blocks = tries.length <= triesOf16Blocks ? 16 : 12): Overfitting | null {
  const length = tries[0]?.length ?? 0;
  const rows = Math.floor(length / blocks); // what is left over at the end is left out
  if (tries.length < 2 || rows < 2) return null;
  const { sums, squares } = sumsOfBlocks(tries, blocks, rows);
  const count = tries.length;
  const half = (blocks / 2) * rows;
  const inSample = new Float64Array(count);
  const outside = new Float64Array(count);
  const allSums = totalOf(sums, count);
  const allSquares = totalOf(squares, count);
  let below = 0;
  const ranks: number[] = [];
  for (const chosen of halvesOf(blocks)) {
    const sum = new Float64Array(count);
    const square = new Float64Array(count);
    for (const block of chosen) {
      for (let i = 0; i < count; i++) {
        sum[i] += sums[block][i];
        square[i] += squares[block][i];
      }
    }
    let best = 0;
    for (let i = 0; i < count; i++) {
      inSample[i] = sharpeOf(sum[i], square[i], half);
      outside[i] = sharpeOf(allSums[i] - sum[i], allSquares[i] - square[i], half);
      if (inSample[i] > inSample[best]) best = i;
    }
    let lower = 0;
    let equal = 0;
    for (let i = 0; i < count; i++) {
      if (outside[i] < outside[best]) lower += 1;
      else if (outside[i] === outside[best]) equal += 1;
    }
    // The rank from 1 (worst) to the number of tries; equal ones share theirs.
    const rank = lower + (equal + 1) / 2;
    const relative = rank / (count + 1);
    ranks.push(count === 1 ? 1 : (rank - 1) / (count - 1));
    if (Math.log(relative / (1 - relative)) <= 0) below += 1;
  }
  ranks.sort((a, b) => a - b);
  return { probability: below / ranks.length, splits: ranks.length, blocks, medianRank: ranks[ranks.length >> 1] };
}

function sumsOfBlocks(tries: readonly ArrayLike<number>[], blocks: number, rows: number) {
  const sums = Array.from({ length: blocks }, () => new Float64Array(tries.length));
  const squares = Array.from({ length: blocks }, () => new Float64Array(tries.length));
  tries.forEach((returns, i) => {
    for (let at = 0; at < blocks * rows; at++) {
      const block = Math.floor(at / rows);
      sums[block][i] += returns[at];
      squares[block][i] += returns[at] ** 2;
    }
  });
  return { sums, squares };
}

function totalOf(blocks: readonly Float64Array[], count: number): Float64Array {
  const total = new Float64Array(count);
  for (const block of blocks) for (let i = 0; i < count; i++) total[i] += block[i];
  return total;
}

function sharpeOf(sum: number, squares: number, count: number): number {
  const mean = sum / count;
  const variance = squares / count - mean * mean;
  return variance > 1e-20 ? mean / Math.sqrt(variance) : 0;
}

/** Every way to take half of so many blocks. Needs: an even number */
function* halvesOf(blocks: number): Generator<number[]> {
  const chosen = Array.from({ length: blocks / 2 }, (_, i) => i);
  for (;;) {
    yield chosen;
    let at = chosen.length - 1;
    while (at >= 0 && chosen[at] === blocks / 2 + at) at -= 1;
    if (at < 0) return;
    chosen[at] += 1;
    for (let next = at + 1; next < chosen.length; next++) chosen[next] = chosen[next - 1] + 1;
  }
}
