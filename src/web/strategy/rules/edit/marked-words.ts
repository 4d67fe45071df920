/** A word of a sentence, and whether an earlier text did not have it there. */
export interface MarkedWord {
  text: string;
  isNew: boolean;
}

/** The words of some sentences; those that are not in the earlier sentences, in their sequence, are marked. */
export function markedWords(before: readonly string[], after: readonly string[]): MarkedWord[][] {
  const earlier = before.flatMap((sentence) => [...sentence.split(' '), sentenceEnd]);
  const later = after.flatMap((sentence) => [...sentence.split(' '), sentenceEnd]);
  const kept = keptPlaces(earlier, later);
  const sentences: MarkedWord[][] = [[]];
  for (const [place, text] of later.entries()) {
    if (text === sentenceEnd) sentences.push([]);
    else sentences.at(-1)?.push({ text, isNew: !kept.has(place) });
  }
  return sentences.slice(0, -1);
}

/** Between two sentences; no word is empty. */
const sentenceEnd = '';

/** The places of the later words that belong to the longest sequence both have. */
function keptPlaces(earlier: readonly string[], later: readonly string[]): Set<number> {
  const width = later.length + 1;
  const common = new Uint16Array((earlier.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = earlier.length - 1; i >= 0; i--)
    for (let j = later.length - 1; j >= 0; j--)
      common[i * width + j] = earlier[i] === later[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const kept = new Set<number>();
  for (let i = 0, j = 0; i < earlier.length && j < later.length;) {
    if (earlier[i] === later[j]) {
      kept.add(j);
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return kept;
}
