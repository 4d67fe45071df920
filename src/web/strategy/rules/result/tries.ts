import type { RulesDocument } from '#engine/rules/document.ts';
import { useEffect, useState } from 'react';
import { keep, kept } from '../../../ui/browser-memory.ts';
import { textOf } from '../edit/same-piece.ts';

/** How long a result must stand before it counts as a try, in ms: a number is typed digit by digit. */
const standingMs = 1_500;

/** More tries than this cannot be distinguished. */
const mostTries = 2_000;

/**
 * How many different drafts have been tried on a range, in this browser: the more, the more of the best result is chance.
 *
 * `shown` is the draft whose result is shown; its name and notes do not count.
 */
export function useTries(place: string, shown: RulesDocument | null): number {
  const [counted, setCounted] = useState<{ place: string; count: number }>({ place: '', count: 0 });
  useEffect(() => {
    if (shown === null) return undefined;
    const timer = setTimeout(() => setCounted({ place, count: noteTry(place, shown) }), standingMs);
    return () => clearTimeout(timer);
  }, [place, shown]);
  return counted.place === place ? counted.count : triesAt(place).length;
}

/** Notes a try; gives how many there were with it. */
export function noteTry(
  place: string,
  { guard, enterLong, exitLong, enterShort, exitShort, parameters, positionPlan, defaults }: RulesDocument,
): number {
  const tries = triesAt(place);
  const mark = markOf(textOf({ guard, enterLong, exitLong, enterShort, exitShort, parameters, positionPlan, defaults }));
  if (tries.includes(mark) || tries.length >= mostTries) return tries.length;
  keep(keyOf(place), { tries: [...tries, mark] });
  return tries.length + 1;
}

function triesAt(place: string): number[] {
  const tries = kept(keyOf(place))?.['tries'];
  return Array.isArray(tries) ? tries.filter((each): each is number => typeof each === 'number') : [];
}

function keyOf(place: string): string {
  return `rules-tries ${place}`;
}

/** A number for a text; two texts rarely have the same. */
function markOf(text: string): number {
  let mark = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) mark = Math.imul(mark ^ text.charCodeAt(i), 0x01000193);
  return mark >>> 0;
}
