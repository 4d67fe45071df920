import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { ExchangeError, ExchangeErrorKind } from '#engine/ports/exchange-error.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { OrderRequest, Trading } from '#engine/ports/trading.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { RestFaultRule } from '../../sandbox/wire/faults.ts';
import { RequestBudget } from '../request-budget.ts';
import { AccountClient } from './account-client.ts';
import { FuturesTrading } from './futures-trading.ts';
import { SpotTrading } from './spot-trading.ts';
import { newCredentials, newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox({ controlPort: 0 });
const open: Trading[] = [];
afterEach(async () => {
  sandbox.faults.clear();
  for (const trading of open.splice(0)) await trading.close();
});
afterAll(() => sandbox.close());

type MarketType = 'spot' | 'futures';
const symbolOf = { spot: 'ETH/USDT', futures: 'ETH/USDT:USDT' } as const;
const pathOf = { spot: '/api/v3/order', futures: '/fapi/v1/order' } as const;

/**
 * A connection that waits for the sandbox as long as a busy machine may need, and `soon`: what is asked in it gives up soon, for faults
 * that never answer.
 */
async function connection(marketType: MarketType, now = () => sandbox.clock.now()) {
  const credentials = await newCredentials(sandbox);
  const budget = new RequestBudget(100_000);
  const account = new AccountClient({
    exchangeId: 'sandbox',
    sandboxUrl: sandbox.url,
    marketType,
    credentials,
    now,
    budget,
    timeoutMs: 20_000,
  });
  const trading: Trading & { start(): Promise<void> } = new (marketType === 'spot' ? SpotTrading : FuturesTrading)('a', account, () => {});
  open.push(trading);
  await account.prepare();
  await trading.start();
  const soon = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const patient = account.ccxt.timeout;
    account.ccxt.timeout = 600;
    try {
      return await call();
    } finally {
      account.ccxt.timeout = patient;
    }
  };
  /** Asks while a fault is in force. */
  const under = async ({ fault }: Fault, call: () => Promise<unknown>): Promise<unknown> =>
    await (isSilent(fault) ? soon(() => outcomeOf(call())) : outcomeOf(call()));
  /** Asks while a fault is in force that is met once: again where a busy machine has given up before its request had arrived. */
  const underOnce = async (fault: Fault, call: () => Promise<unknown>): Promise<unknown> => {
    for (;;) {
      const outcome = await under(fault, call);
      if (await isMet()) return outcome;
    }
  };
  return { trading, soon, under, underOnce };
}

/** Whether a request has met the only fault, or does within a while: it may still be on its way. */
async function isMet(): Promise<boolean> {
  for (let looks = 0; looks < 100; looks++) {
    if (sandbox.faults.list().length === 0) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

const start = async (marketType: MarketType): Promise<Trading> => (await connection(marketType)).trading;

/** Whether nothing, or not all, of an answer comes in time. */
const isSilent = ({ kind }: RestFaultRule['fault']): boolean => ['hang', 'delay', 'late-answer', 'stall-body', 'drip-body'].includes(kind);

const request = (marketType: MarketType, given: Partial<OrderRequest> = {}): OrderRequest =>
  anOrderRequest({
    clientOrderId: 'once',
    symbol: symbolOf[marketType],
    type: 'limit',
    amount: 0.01,
    price: 1000,
    expiresAt: sandbox.clock.now() + minuteMs,
    ...given,
  });

/** Waits until a request is held back by its fault, the only one; `ms` later by the clock of the exchange it arrives. */
async function holdBack(ms: number): Promise<void> {
  await expect.poll(() => sandbox.faults.list()).toEqual([]);
  sandbox.clock.advance(ms);
}

/** The kind of the failure of a call, or what it gave. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return await call.catch((error: ExchangeError) => error.kind ?? error);
}

/** The routes that say what an account has and has done. */
const reading = /\/(order|openOrders|allOrders|myTrades|userTrades|account|positionRisk)$/u;

type Fault = Omit<RestFaultRule, 'path' | 'method' | 'times'>;
const refused = (code: number, status = 400, message = 'No.'): Fault => ({ fault: { kind: 'error', status, code, message } });
const html = (status: number): Fault => ({ fault: { kind: 'body', status, contentType: 'text/html', body: '<html>Sorry</html>' } });
const body = (text: string, carriedOut = false): Fault => ({ fault: { kind: 'body', body: text }, carriedOut });

/** A plausible answer to the order of these tests, on both markets, but for what is changed. */
function anAnswer(changed: object): object {
  return {
    symbol: 'ETHUSDT',
    orderId: 1,
    clientOrderId: 'once',
    origClientOrderId: 'once',
    transactTime: 1,
    updateTime: 1,
    price: '1000',
    origQty: '0.01',
    executedQty: '0',
    status: 'NEW',
    type: 'LIMIT',
    side: 'BUY',
    ...changed,
  };
}

/** What may go wrong with a call that changes something: its kind, and whether it was carried out. */
const faults: readonly [name: string, fault: Fault, kind: ExchangeErrorKind, isCarriedOut: boolean][] = [
  ['the answer is lost, not carried out', { fault: { kind: 'reset' } }, 'unknown', false],
  ['the answer is lost, carried out', { fault: { kind: 'reset' }, carriedOut: true }, 'unknown', true],
  ['no answer, not carried out', { fault: { kind: 'hang' } }, 'unknown', false],
  ['no answer, carried out', { fault: { kind: 'hang' }, carriedOut: true }, 'unknown', true],
  ['carried out late, after nobody waits any more', { fault: { kind: 'delay', ms: 1200 } }, 'unknown', true],
  ['carried out at once, the answer comes too late', { fault: { kind: 'late-answer', ms: 1200 } }, 'unknown', true],
  ['the body is cut', { fault: { kind: 'cut-body' } }, 'unknown', true],
  ['the body stalls', { fault: { kind: 'stall-body' } }, 'unknown', true],
  ['the body drips', { fault: { kind: 'drip-body', everyMs: 1000 } }, 'unknown', true],
  ['half of a JSON value with 200', body('{"orderId":1', true), 'unknown', true],
  ['nothing with 200', body('', true), 'unknown', true],
  ['an empty object with 200', body('{}', true), 'unknown', true],
  [
    'an answer about another order',
    body(JSON.stringify(anAnswer({ clientOrderId: 'another', origClientOrderId: 'another' }))),
    'unknown',
    false,
  ],
  ['a list with 200', body('[]'), 'unknown', false],
  ['a page with 200', { fault: { kind: 'body', contentType: 'text/html', body: '<html>' }, carriedOut: true }, 'unknown', true],
  ['maintenance', html(503), 'unknown', false],
  ['a bad gateway', html(502), 'unknown', false],
  ['an unlisted code with 503', refused(-9999, 503), 'unknown', false],
  ['a code that is a refusal, with 500', refused(-1013, 500), 'unknown', false],
  ['-1000', refused(-1000), 'unknown', false],
  ['-1001', refused(-1001), 'unknown', false],
  ['-1006', refused(-1006), 'unknown', false],
  ['-1007', refused(-1007, 408), 'unknown', false],
  ['-1008 too busy to begin', refused(-1008, 503), 'temporary', false],
  ['-1003 too many requests', refused(-1003), 'temporary', false],
  ['-1015 too many orders', refused(-1015), 'temporary', false],
  ['-1021 the clock', refused(-1021), 'temporary', false],
  ['429', { fault: { kind: 'limit', status: 429, retryAfterSeconds: 1 } }, 'temporary', false],
  ['418', { fault: { kind: 'limit', status: 418, retryAfterSeconds: 1 } }, 'temporary', false],
  ['-2010 the balance', refused(-2010, 400, 'Account has insufficient balance for requested action.'), 'rejected', false],
  ['-2010 something else', refused(-2010), 'rejected', false],
  ['-1013', refused(-1013, 400, 'Filter failure: LOT_SIZE'), 'rejected', false],
  ['-2019', refused(-2019), 'rejected', false],
  ['-2021', refused(-2021), 'rejected', false],
  ['-2022', refused(-2022), 'rejected', false],
  ['-1102', refused(-1102), 'rejected', false],
  ['-1022 the signature', refused(-1022), 'unauthorised', false],
  ['-2014 the key', refused(-2014, 401), 'unauthorised', false],
  ['-2015 the key after it has worked', refused(-2015, 401), 'unauthorised', false],
];
/** At the spot market these two codes belong to an order that replaces another, which is never sent. */
const isMeantFor = (marketType: MarketType, name: string): boolean => marketType === 'futures' || !/^-20(19|21|22)/u.test(name);

describe.each(['spot', 'futures'] as const)('OP-85 a call that goes wrong on %s', (marketType) => {
  const symbol = symbolOf[marketType];
  const path = pathOf[marketType];
  const own = faults.filter(([name]) => isMeantFor(marketType, name));

  test.each(own)('placing: %s', async (_name, fault, kind, isCarriedOut) => {
    const { trading, underOnce } = await connection(marketType);
    sandbox.faults.add({ ...fault, method: 'POST', path, times: 1 });
    expect(await underOnce(fault, () => trading.place(request(marketType)))).toBe(kind);
    await expect
      .poll(async () => (await trading.ordersSince(symbol, 1)).map(({ clientOrderId, state }) => [clientOrderId, state]))
      .toEqual(isCarriedOut ? [['once', 'open']] : []);
    expect((await trading.order(symbol, 'once'))?.state).toBe(isCarriedOut ? 'open' : undefined);
  });

  test.each(own)('cancelling: %s', async (_name, fault, kind, isCarriedOut) => {
    const { trading, underOnce } = await connection(marketType);
    await trading.place(request(marketType));
    sandbox.faults.add({ ...fault, method: 'DELETE', path, times: 1 });
    expect(await underOnce(fault, () => trading.cancel(symbol, 'once'))).toBe(kind);
    await expect.poll(async () => (await trading.order(symbol, 'once'))?.state).toBe(isCarriedOut ? 'cancelled' : 'open');
  });

  const isRead = ([, { fault }]: (typeof faults)[number]) => fault.kind !== 'error' || [-1000, -9999, -1021, -1003].includes(fault.code);
  test.each(own.filter(isRead))('reading: %s', async (name, fault) => {
    const { trading, under } = await connection(marketType);
    await trading.place(request(marketType, { type: 'market', price: null }));
    const calls: [method: string, ask: () => Promise<unknown>][] = [
      ['order', () => trading.order(symbol, 'once')],
      ['openOrders', () => trading.openOrders(symbol)],
      ['ordersSince', () => trading.ordersSince(symbol, sandbox.clock.now() - 60 * secondMs)],
      ['fillsSince', () => trading.fillsSince(symbol, null)],
      ['balances', () => trading.balances()],
      ...(marketType === 'futures' ? [['positions', () => trading.positions()] as [string, () => Promise<unknown>]] : []),
    ];
    sandbox.faults.add({ ...fault, method: 'GET', path: reading });
    const outcomes = await Promise.all(calls.map(async ([method, ask]) => ({ method, outcome: await under(fault, ask) })));
    for (const { method, outcome } of outcomes) {
      // A list is what an empty list of orders is; everything else is noticed.
      if (!(name === 'a list with 200' && Array.isArray(outcome))) expect(outcome, method).toBe('temporary');
    }
  });

  test.each([{ origQty: '0.02' }, { side: 'SELL' }, { executedQty: '0.02' }, { status: 'DONE' }, { orderId: null }])(
    'an answer to an order that says %j leaves it open what happened',
    async (changed) => {
      const trading = await start(marketType);
      for (const [answer, kind] of [
        [anAnswer({}), 'open'],
        [anAnswer(changed), 'unknown'],
      ] as const) {
        sandbox.faults.add({ ...body(JSON.stringify(answer)), method: 'POST', path, times: 1 });
        const outcome = await outcomeOf(trading.place(request(marketType)));
        expect(typeof outcome === 'string' ? outcome : (outcome as { state: string }).state).toBe(kind);
      }
    },
  );

  test('a request that was delayed beyond its expiry is not carried out', async () => {
    const { trading, soon } = await connection(marketType);
    sandbox.faults.add({ fault: { kind: 'delay', ms: 1500 }, method: 'POST', path, times: 1 });
    const late = request(marketType, { expiresAt: sandbox.clock.now() + 30 * secondMs });
    const outcome = soon(() => outcomeOf(trading.place(late)));
    await holdBack(31 * secondMs);
    expect(await outcome).toBe('unknown');
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(await trading.order(symbol, 'once')).toBeNull();
  });

  test('a request whose turn comes after its expiry is not sent', async () => {
    const budget = new RequestBudget(100_000);
    const trading = await newTrading(sandbox, marketType, { budget });
    open.push(trading);
    budget.pause(600);
    sandbox.faults.add({ fault: { kind: 'reset' }, method: 'POST', path, times: 1 });
    expect(await outcomeOf(trading.place(request(marketType, { expiresAt: sandbox.clock.now() + 300 })))).toBe('rejected');
    expect(await outcomeOf(trading.place(request(marketType, { expiresAt: sandbox.clock.now() - 1 })))).toBe('rejected');
    expect(sandbox.faults.list()).toHaveLength(1); // no request has met it
  });

  test.each([-20, 20])(
    'a request whose turn comes after its expiry is not sent either where our clock was set by %i s meanwhile',
    async (by) => {
      let set = 0;
      const [now, pace] = [() => sandbox.clock.now() + set, () => sandbox.clock.now()];
      const budget = new RequestBudget(100_000);
      const trading = await newTrading(sandbox, marketType, { budget, now, pace });
      open.push(trading);
      sandbox.faults.add({ fault: { kind: 'reset' }, method: 'POST', path, times: 1 });
      budget.pause(600);
      // Back: by our clock there is time. Ahead: whoever waits for the order takes it for expired, and makes another.
      const outcome = outcomeOf(trading.place(request(marketType, { expiresAt: now() + (by < 0 ? 300 : 15 * secondMs) })));
      set = by * secondMs;
      expect(await outcome).toBe(by < 0 ? 'temporary' : 'rejected'); // by the clock that is set back it may be asked again
      expect(sandbox.faults.list()).toHaveLength(1); // no request has met it
    },
  );

  test('an expiry is read on the clock of the caller, however far that is from the clock of the exchange', async () => {
    for (const ahead of [-20_000, 20_000]) {
      const now = () => sandbox.clock.now() + ahead;
      const { trading, soon } = await connection(marketType, now);
      expect(await trading.place(request(marketType, { expiresAt: now() + 15 * secondMs }))).toMatchObject({ state: 'open' });
      sandbox.faults.add({ fault: { kind: 'delay', ms: 1500 }, method: 'POST', path, times: 1 });
      const late = request(marketType, { clientOrderId: 'late', expiresAt: now() + 30 * secondMs });
      const outcome = soon(() => outcomeOf(trading.place(late)));
      await holdBack(31 * secondMs);
      expect(await outcome).toBe('unknown');
      await new Promise((resolve) => setTimeout(resolve, 2000));
      expect(await trading.order(symbol, 'late')).toBeNull();
    }
  });

  test('a clock that has moved is measured again after the refusal', async () => {
    let ahead = 0;
    const now = () => sandbox.clock.now() + ahead;
    const trading = await newTrading(sandbox, marketType, { now, budget: new RequestBudget(100_000) });
    open.push(trading);
    ahead = 20_000; // the machine was asleep, or its clock was set
    expect(await outcomeOf(trading.place(request(marketType, { expiresAt: now() + minuteMs })))).toBe('temporary');
    await expect
      .poll(async () => await outcomeOf(trading.place(request(marketType, { expiresAt: now() + minuteMs }))))
      .toMatchObject({ state: 'open' });
  });

  test('no error has a secret, a signature or a cause', async () => {
    const trading = await start(marketType);
    sandbox.faults.add({ fault: { kind: 'reset' }, method: 'GET', path: /order|Trades|account/u });
    for (const ask of [() => trading.order(symbol, 'x'), () => trading.fillsSince(symbol, null), () => trading.balances()]) {
      const error = await ask().then(
        () => expect.unreachable(),
        (failure: ExchangeError) => failure,
      );
      expect(error.cause).toBeUndefined();
      expect(error.message).not.toMatch(/signature=[0-9a-f]|t[0-9a-f]{62}x/u);
    }
  });
});
