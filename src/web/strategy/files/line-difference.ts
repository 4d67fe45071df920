/** A line of a text, as it stands against an earlier text. */
export interface DifferenceLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Texts with more differing lines than this, multiplied, are shown as one removed and one added whole: a table of them would be too large. */
const mostCells = 4_000_000;

/** The lines of two texts in one sequence: the fewest that are removed and added make the later of the earlier. */
export function lineDifference(before: string, after: string): DifferenceLine[] {
  const [earlier, later] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < earlier.length && start < later.length && earlier[start] === later[start]) start++;
  let end = 0;
  while (end < earlier.length - start && end < later.length - start && earlier.at(-1 - end) === later.at(-1 - end)) end++;
  const same = (lines: readonly string[]): DifferenceLine[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(earlier.slice(0, start)),
    ...between(earlier.slice(start, earlier.length - end), later.slice(start, later.length - end)),
    ...same(later.slice(later.length - end)),
  ];
}

/** By the longest sequence of lines that both have. */
function between(earlier: readonly string[], later: readonly string[]): DifferenceLine[] {
  const removed = (text: string): DifferenceLine => ({ kind: 'removed', text });
  const added = (text: string): DifferenceLine => ({ kind: 'added', text });
  const width = later.length + 1;
  if (earlier.length * later.length > mostCells) return [...earlier.map(removed), ...later.map(added)];
  const common = new Uint16Array((earlier.length + 1) * width); // from line i of the earlier and j of the later on
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = earlier.length - 1; i >= 0; i--)
    for (let j = later.length - 1; j >= 0; j--)
      common[i * width + j] = earlier[i] === later[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DifferenceLine[] = [];
  let [i, j] = [0, 0];
  while (i < earlier.length || j < later.length) {
    const [old, fresh] = [earlier[i], later[j]];
    if (old !== undefined && old === fresh) {
      lines.push({ kind: 'same', text: old });
      i++;
      j++;
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(old));
      i++;
    } else if (fresh !== undefined) {
      lines.push(added(fresh));
      j++;
    }
  }
  return lines;
}
