/** Marks that turn the direction of writing round: what follows them is read in another order than it was written. */
const directionMarks = '\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069';
const breaking = new RegExp(`[\\p{Cc}\\u2028\\u2029${directionMarks}]+`, 'gu');

/** Text that somebody has entered, on one line and in the order it is read: it must not pass for a line of ours. */
export function oneLine(text: string): string {
  return text.replaceAll(breaking, ' ').trim();
}

/** The same for a chat: without the signs by which it calls people, and by which a name becomes a link to somewhere. */
export function plainName(text: string): string {
  return oneLine(text).replaceAll(/[<>@]/gu, '').replaceAll('](', '] (').replaceAll('://', ': //');
}
