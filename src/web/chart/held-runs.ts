/** The runs of set flags between two places, each with its first and its last place. */
export function runsOf(flags: Uint8Array, from: number, to: number): [number, number][] {
  const runs: [number, number][] = [];
  const [first, last] = [Math.max(0, from), Math.min(flags.length - 1, to)];
  let start = -1;
  for (let i = first; i <= last; i++) {
    if (flags[i] === 1) {
      if (start === -1) start = i;
    } else if (start !== -1) {
      runs.push([start, i - 1]);
      start = -1;
    }
  }
  if (start !== -1) runs.push([start, last]);
  return runs;
}
