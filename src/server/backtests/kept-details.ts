import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import type { ResultParts } from '#storage/backtests/result-parts.ts';
import { unreadable } from './backtest-rows.ts';

/** Details as they are sent: pieces of JSON, one behind the other. */
export type WrittenDetails = readonly Buffer[];

/**
 * Reads what is kept of a run, checks it against the contract and writes it for sending, all of it part by part: others are served in between. A
 * run of some weeks has megabytes.
 *
 * `unreadable` where another version has kept something else
 */
export async function writtenDetails(schema: z.ZodObject, stored: ResultParts): Promise<WrittenDetails | typeof unreadable> {
  const rest = schema.safeParse(JSON.parse(stored.rest));
  if (!rest.success) return unreadable;
  const written: Buffer[] = [];
  let before = '{';
  for (const [field, value] of Object.entries(rest.data)) {
    if (value === undefined) continue;
    const parts = stored.lists.get(field);
    if (parts === undefined) {
      written.push(Buffer.from(`${before}${JSON.stringify(field)}:${JSON.stringify(value)}`));
    } else {
      written.push(Buffer.from(`${before}${JSON.stringify(field)}:[`));
      const ofField = schema.shape[field] ?? z.never();
      for (const [i, part] of parts.entries()) {
        await turn();
        const read = z.safeParse(ofField, JSON.parse(part));
        if (!read.success) return unreadable;
        written.push(Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(read.data).slice(1, -1)}`));
      }
      written.push(Buffer.from(']'));
    }
    before = ',';
  }
  written.push(Buffer.from(before === '{' ? '{}' : '}'));
  return written;
}
