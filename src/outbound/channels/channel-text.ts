/** A line of a message: one thing that has happened. */
export interface ChannelLine {
  id: string;
  topic: string;
  botId: string | null; // what it is about; null: all bots of its reader, or the server
  at: Date;
  isUrgent: boolean;
  text: string; // on one line
}

/**
 * Lines as one text of at most `longest`, measured by `lengthOf`. Where there are more than fit, what is urgent comes first, and the rest is
 * counted.
 */
export function channelText(lines: readonly ChannelLine[], longest: number, lengthOf: (text: string) => number): string {
  const whole = lines.map(({ text }) => text).join('\n');
  if (lengthOf(whole) <= longest) return whole;
  const sorted = lines.toSorted((a, b) => Number(b.isUrgent) - Number(a.isUrgent));
  let shown = '';
  let count = 0;
  for (const { text } of sorted) {
    const next = shown === '' ? text : `${shown}\n${text}`;
    if (lengthOf(`${next}\n${more(lines.length - count - 1)}`) > longest) break;
    shown = next;
    count += 1;
  }
  // A single line that is too long by itself is cut: nothing that is written here is, unless a name or an error is very long.
  if (count === 0) shown = cut(sorted[0]?.text ?? '', longest - lengthOf(`\n${more(lines.length - 1)}`), lengthOf);
  const left = lines.length - Math.max(count, 1);
  return left === 0 ? shown : `${shown}\n${more(left)}`;
}

function more(count: number): string {
  return `And ${count} more: see Flotilla.`;
}

function cut(text: string, longest: number, lengthOf: (text: string) => number): string {
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  while (lengthOf(`${characters.join('')}…`) > longest) characters.splice(-Math.max(1, Math.floor(characters.length / 16)));
  return `${characters.join('')}…`;
}
