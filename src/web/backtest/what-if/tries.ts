import { useEffect, useState } from 'react';
import { keep, kept } from '../../ui/browser-memory.ts';
import type { Turned } from './slider-list.ts';

/** How long settings must stand before they count as a try, in ms: a slider passes many. */
const standingMs = 1_500;

/** More tries than this cannot be distinguished. */
const mostTries = 2_000;

/** How many different settings have been tried at a place, in this browser. */
export function useTries(place: string, turned: Turned): number {
  const [counted, setCounted] = useState<{ place: string; count: number }>({ place: '', count: 0 });
  useEffect(() => {
    if (Object.keys(turned).length === 0) return undefined;
    const timer = setTimeout(() => setCounted({ place, count: noteTry(place, turned) }), standingMs);
    return () => clearTimeout(timer);
  }, [place, turned]);
  return counted.place === place ? counted.count : triesAt(place).length;
}

/** Notes a try; gives how many there were with it. */
export function noteTry(place: string, turned: Turned): number {
  const tries = triesAt(place);
  const mark = JSON.stringify(Object.entries(turned).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  if (tries.includes(mark) || tries.length >= mostTries) return tries.length;
  keep(keyOf(place), { tries: [...tries, mark] });
  return tries.length + 1;
}

function triesAt(place: string): string[] {
  const tries = kept(keyOf(place))?.['tries'];
  return Array.isArray(tries) ? tries.filter((each): each is string => typeof each === 'string') : [];
}

function keyOf(place: string): string {
  return `what-if-tries ${place}`;
}
