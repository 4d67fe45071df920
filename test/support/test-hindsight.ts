import { Hindsight } from '#runner/hindsight/hindsight.ts';
import type { Database } from '#storage/database.ts';
import { afterAll } from 'vitest';
import type { TestMarket } from './market.ts';

/** What settings would have done, over a test's market and database; closed after the test file. */
export function openTestHindsight(db: Database, market: TestMarket): Hindsight {
  const hindsight = new Hindsight({ db, markets: market.connect(), now: market.now, log: () => {} });
  afterAll(() => hindsight.close());
  return hindsight;
}
