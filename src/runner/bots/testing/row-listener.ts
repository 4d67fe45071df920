import { Asker } from '#strategy-process/asker.ts';
import type { RowListener } from '../signal-feed.ts';

/** A bot of a person that listens to rows. */
export function aRowListener(owner = 'anna'): RowListener {
  return { owner, asker: new Asker(`bot of ${owner}`) };
}
