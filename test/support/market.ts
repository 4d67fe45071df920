import type { Markets } from '#feeds/markets.ts';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { afterAll } from 'vitest';
import { connectMarkets } from './connect-markets.ts';

/** A simulated market whose time runs faster than the machine's. */
export interface TestMarket {
  sandbox: Sandbox;
  now: () => number;
  /** A new set of connections to it; closed after the test file. */
  connect(): Markets;
}

/** Starts a market for a test file; `factor` 60 makes a minute of market last a second. It begins at `startTime`, by default now. */
export async function startMarket(factor: number, seed = 7, startTime = Date.now()): Promise<TestMarket> {
  const sandbox = await startSandbox({ factor, seed, startTime });
  const opened: Markets[] = [];
  const now = (): number => sandbox.clock.now();
  afterAll(async () => {
    await Promise.all(opened.map((markets) => markets.close()));
    await sandbox.close();
  });
  return {
    sandbox,
    now,
    connect() {
      const markets = connectMarkets(sandbox.url, now);
      opened.push(markets);
      return markets;
    },
  };
}
