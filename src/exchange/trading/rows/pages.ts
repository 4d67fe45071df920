import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { numberOf, type Row, rowsOf, textOf } from './answer-row.ts';

/** So many rows come with one answer: the most that Binance gives. */
const pageSize = 1000;

/** A list that the exchange gives in pages: rows from an id on, or between two times. */
export interface PagedList {
  idName: string; // of the row, e.g. 'id'
  idParameter: string; // of the request, e.g. 'fromId'
  timeName: string; // of the row, e.g. 'time'
  windowMs: number; // the longest time that may be asked for at once
  keptMs?: number; // what is older is not listed, and a question that begins before is refused; without it all is kept
  fetch(parameters: object): Promise<unknown>;
}

/** The time from which on Binance lists orders of perpetuals. Its clock may be ahead of what is known of it. Source: ccxt's binance.js, `daysBack` */
export const futuresOrdersKeptMs = 90 * dayMs - minuteMs;

/** All rows from an id on, in rising ids. `until` ends it early. */
export async function rowsFrom(list: PagedList, from: string, until: (rows: readonly Row[]) => boolean = () => false): Promise<Row[]> {
  const all: Row[] = [];
  for (let next = from; ;) {
    const page = sorted(list, await list.fetch({ limit: pageSize, [list.idParameter]: next }));
    all.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize || until(all)) return all;
    next = String(BigInt(textOf(last, list.idName)) + 1n);
  }
}

/** So many empty windows are asked for at most; a time further back is found by reading all rows there are. */
const mostWindows = 30;

/**
 * All rows of a time and later, in rising ids: by time until there is one, then by id, which no window limits. Of a time that has not come yet
 * by the clock that is known, too: that is late after a suspension, and a list that was not asked for has no rows.
 */
export async function rowsSince(list: PagedList, since: number, now: number): Promise<Row[]> {
  const isLater = (row: Row) => numberOf(row, list.timeName) >= since;
  const begin = Math.max(since, now - (list.keptMs ?? Infinity));
  if (now - begin > mostWindows * list.windowMs) return (await rowsFrom(list, '1')).filter(isLater);
  for (let start = begin; start <= Math.max(now, begin); start += list.windowMs) {
    const page = sorted(list, await list.fetch({ limit: pageSize, startTime: start, endTime: start + list.windowMs - 1 }));
    const first = page[0];
    if (first === undefined) continue;
    return (await rowsFrom(list, textOf(first, list.idName))).filter(isLater);
  }
  return [];
}

function sorted({ idName }: PagedList, answer: unknown): Row[] {
  return rowsOf(answer).toSorted((a, b) => compareIds(textOf(a, idName), textOf(b, idName)));
}

/** The sequence of two ids, which may be longer than a number is exact. */
export function compareIds(a: string, b: string): number {
  const [first, second] = [BigInt(a), BigInt(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}
