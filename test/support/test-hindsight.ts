import { Hindsight } from '#runner/hindsight/hindsight.ts';
import type { Database } from '#storage/database.ts';
import { afterAll } from 'vitest';
import type { TestMarket } from './market.ts';
import { ampleDisk } from './ample-disk.ts';
import { patienceMs } from './patience.ts';

/** As much time as the machine needs, unless a deadline is the subject, and room for what is downloaded. */
export const patientHindsight = { disk: ampleDisk, patienceMs, thread: { longestMs: patienceMs } };

/** What settings would have done, over a test's market and database, with as much time as the machine needs; closed after the test file. */
export function openTestHindsight(db: Database, market: TestMarket): Hindsight {
  const hindsight = new Hindsight({ db, markets: market.connect(), now: market.now, log: () => {}, ...patientHindsight });
  afterAll(() => hindsight.close());
  return hindsight;
}
