import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { OrderRequest, Trading, VenueOrder } from '#engine/ports/trading.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { RestFaultRule } from '../../sandbox/wire/faults.ts';
import { nameKey, uniform } from '../../sandbox/market/noise.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { report, runSize } from '../../../test/support/run-size.ts';
import { RequestBudget } from '../request-budget.ts';
import { newTrading } from './testing/sandbox-account.ts';

// npm run torture intents [HOW MANY] [SEED]
// However calls fail: each intent ends as exactly one order, when its caller keeps the rule of docs/decisions/0031.

const { size, seed } = runSize(60);
const perAccount = 15; // the exchange takes 100 orders of an account in ten seconds
const accountsAtOnce = 10;

const sandbox = await startSandbox({ weightLimits: { spot: 10_000_000, futures: 10_000_000 } });
afterAll(() => sandbox.close());

/** The times of the rule and of what goes wrong, in ms. */
interface Times {
  timeoutMs: number; // how long a call is waited for
  validMs: number; // how long a request is valid
  marginMs: number; // how long after that it may still be carried out if the clocks disagree
  failures: readonly Fault[];
}

type Fault = Pick<RestFaultRule, 'fault' | 'carriedOut'>;

/** Times for a machine that needs so long for all calls at once: where most calls are given up, no intent ever ends. */
function timesOf(burstMs: number): Times {
  const timeoutMs = Math.max(400, Math.ceil(1.5 * burstMs));
  const delay = (share: number): Fault => ({ fault: { kind: 'delay', ms: share * timeoutMs } });
  return {
    timeoutMs,
    validMs: 2 * timeoutMs,
    marginMs: 2.5 * timeoutMs,
    failures: [
      { fault: { kind: 'reset' } },
      { fault: { kind: 'reset' }, carriedOut: true },
      { fault: { kind: 'hang' } },
      { fault: { kind: 'hang' }, carriedOut: true },
      delay(0.25),
      delay(1.5),
      // The dangerous one: it comes when its intent may have been sent again.
      ...Array.from({ length: 6 }, () => delay(7.5)),
      { fault: { kind: 'late-answer', ms: 1.75 * timeoutMs } },
      { fault: { kind: 'cut-body' } },
      { fault: { kind: 'stall-body' } },
      { fault: { kind: 'body', body: '{"orderId":1' }, carriedOut: true },
      { fault: { kind: 'body', body: '{}' }, carriedOut: true },
      { fault: { kind: 'body', body: '<html>Sorry</html>', status: 503, contentType: 'text/html' }, carriedOut: true },
      { fault: { kind: 'error', status: 400, code: -1021, message: 'Timestamp for this request is outside of the recvWindow.' } },
      {
        fault: { kind: 'error', status: 400, code: -1007, message: 'Timeout waiting for response from backend server.' },
        carriedOut: true,
      },
      { fault: { kind: 'error', status: 503, code: -1008, message: 'Server is currently overloaded with other requests.' } },
    ],
  };
}

/** Random draws, always the same for a seed. */
function draws(of: number) {
  let count = 0;
  const next = () => uniform(of, nameKey('intents'), 1, (count += 1));
  return { next, pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] };
}
type Draws = ReturnType<typeof draws>;

type Intent = Omit<OrderRequest, 'expiresAt'>;

/** Makes an order of an intent, however often it must be asked. */
async function carryOut(trading: Trading, intent: Intent, chance: Draws, times: Times): Promise<{ order: VenueOrder; attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const expiresAt = sandbox.clock.now() + times.validMs;
    try {
      spoil('POST', chance, 0.5, times);
      return { order: await trading.place({ ...intent, expiresAt }), attempts };
    } catch (error) {
      const { kind, message } = error as ExchangeError;
      const isInTime = sandbox.clock.now() < expiresAt;
      if (kind === 'unauthorised') throw error;
      if (kind === 'temporary') {
        await sleep(50);
        continue;
      }
      const found = await lookUp(trading, intent, expiresAt + times.marginMs, chance, times);
      if (found !== null) return { order: found, attempts };
      // A request that was too late to be sent says nothing about the order.
      if (kind === 'rejected' && isInTime) throw new Error(`${intent.clientOrderId} was refused: ${message}`, { cause: error });
    }
  }
}

/** Asks for an order until it is found, or three times after it can no longer appear. */
async function lookUp(
  trading: Trading,
  { symbol, clientOrderId }: Intent,
  until: number,
  chance: Draws,
  times: Times,
): Promise<VenueOrder | null> {
  for (let misses = 0; misses < 3;) {
    const isOver = sandbox.clock.now() > until;
    try {
      spoil('GET', chance, 0.25, times);
      const order = await trading.order(symbol, clientOrderId);
      if (order !== null) return order;
      if (isOver) misses += 1;
    } catch (error) {
      expect((error as ExchangeError).kind).toBe('temporary'); // reading never leaves doubt
    }
    await sleep(100);
  }
  return null;
}

/** Lets one of the next calls go wrong, perhaps. */
function spoil(method: string, { next, pick }: Draws, share: number, { failures }: Times): void {
  if (next() < share) sandbox.faults.add({ ...pick(failures), method, path: /\/(order|algoOrder)$/u, times: 1 });
}

const symbolOf = { spot: 'ETH/USDT', futures: 'ETH/USDT:USDT' } as const;

function intentsOf(marketType: keyof typeof symbolOf, account: number, { pick }: Draws): Intent[] {
  return Array.from({ length: perAccount }, (_, i) => {
    const type = pick(['market', 'market', 'limit', 'stop'] as const);
    return {
      clientOrderId: `a${account}-${i}`,
      symbol: symbolOf[marketType],
      side: 'buy',
      type,
      amount: 0.01,
      price: type === 'limit' ? 1000 : null,
      stopPrice: type === 'stop' ? 9000 : null,
      reduceOnly: false,
    };
  });
}

describe.each(['spot', 'futures'] as const)('OP-85 intents on %s while half of all calls fail', (marketType) => {
  test('each ends as exactly one order', { timeout: 24 * 3_600_000 }, async () => {
    const accounts = Math.ceil(size / perAccount);
    const times = timesOf(await burstMs(marketType, Math.min(accountsAtOnce, accounts) * perAccount));
    let attempts = 0;
    for (let first = 0; first < accounts; first += accountsAtOnce) {
      const batch = Array.from({ length: Math.min(accountsAtOnce, accounts - first) }, (_, i) => first + i);
      const counts = await Promise.all(batch.map((account) => carryOutAll(marketType, account, times)));
      attempts += counts.reduce((sum, count) => sum + count, 0);
    }
    const intents = accounts * perAccount;
    expect(attempts).toBeGreaterThan(intents); // some had to be sent again
    report(`${intents} intents on ${marketType}, ${attempts} attempts, seed ${seed}: one order each`);
  });
});

/** How long this machine needs for so many calls at once, in ms. */
async function burstMs(marketType: keyof typeof symbolOf, calls: number): Promise<number> {
  sandbox.faults.clear(); // on a busy machine some of the test before are left
  const trading = await newTrading(sandbox, marketType, { timeoutMs: patienceMs, budget: new RequestBudget(10_000_000) });
  try {
    const start = performance.now();
    await Promise.all(Array.from({ length: calls }, (_, i) => calmly(() => trading.order(symbolOf[marketType], `none-${i}`))));
    return performance.now() - start;
  } finally {
    await trading.close();
  }
}

/** All intents of one account; gives how often they were sent. */
async function carryOutAll(marketType: keyof typeof symbolOf, account: number, times: Times): Promise<number> {
  const chance = draws(seed * 1000 + account);
  const options = { timeoutMs: times.timeoutMs, budget: new RequestBudget(10_000_000) };
  const trading = await calmly(() => newTrading(sandbox, marketType, options));
  try {
    const intents = intentsOf(marketType, account, chance);
    const made = await Promise.all(intents.map((intent) => carryOut(trading, intent, chance, times)));
    await sleep(7.5 * times.timeoutMs); // what was delayed would have come by now
    const listed = await calmly(() => trading.ordersSince(symbolOf[marketType], 1));
    const context = `npm run torture intents ${size} ${seed}, account ${account}`;
    expect(listed.map(({ clientOrderId }) => clientOrderId).toSorted(), context).toEqual(
      intents.map(({ clientOrderId }) => clientOrderId).toSorted(),
    );
    for (const { order } of made)
      expect(listed.find(({ clientOrderId }) => clientOrderId === order.clientOrderId)).toMatchObject({
        exchangeOrderId: order.exchangeOrderId,
      });
    const bought = (await calmly(() => trading.fillsSince(symbolOf[marketType], null))).reduce((sum, { amount }) => sum + amount, 0);
    expect(bought, context).toBeCloseTo(intents.filter(({ type }) => type === 'market').length * 0.01, 8);
    return made.reduce((sum, each) => sum + each.attempts, 0);
  } finally {
    await trading.close();
  }
}

/** An answer, asked for again when a fault that was meant for another call has met it, or the machine is busy. */
async function calmly<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      expect((error as ExchangeError).kind).toBe('temporary');
    }
  }
}
