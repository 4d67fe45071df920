import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { control, newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21, 700), factor: 0, controlPort: 0 });
afterAll(() => sandbox.close());
const symbol = 'LTC/USDT:USDT';

/** A position of 10 at 100, with a tenth of its value as margin, and the account that holds it. */
async function holding(side: 'buy' | 'sell') {
  const setPrice = async (price: number) => await control(sandbox, 'POST /prices', { pair: 'LTCUSDT', bid: price, ask: price });
  await setPrice(100);
  const trading = await newTrading(sandbox, 'futures');
  onTestFinished(() => trading.close());
  await trading.setMarginMode(symbol, 'isolated');
  await trading.setLeverage(symbol, 10);
  const money = async () => (await trading.balances()).reduce((sum, { free, locked }) => sum + free + locked, 0);
  const before = await money();
  const request = {
    clientOrderId: 'one',
    symbol,
    type: 'market',
    amount: 10,
    price: null,
    expiresAt: sandbox.clock.now() + 5_000,
  } as const;
  await trading.place(anOrderRequest({ ...request, side }));
  const gained = async () => (await money()) - before;
  return { trading, setPrice, gained };
}

describe.each([
  ['a long', 'buy', 1],
  ['a short', 'sell', -1],
] as const)('what the liquidation of %s was cleared with', (_name, side, sign) => {
  test.each([
    ['is what was left of the margin', 9.7],
    ['is what came back, where the price went beyond the margin', 25],
  ])('%s', async (_what, move) => {
    const { trading, setPrice, gained } = await holding(side);
    await setPrice(100 - sign * move);
    expect(await trading.positions()).toEqual([]);
    const fills = await trading.fillsSince(symbol, null);
    expect(fills.map(({ isLiquidation }) => isLiquidation ?? false)).toEqual([false, true]);
    const [entry, exit] = fills;
    const cleared = await trading.clearances(symbol, exit?.time ?? 0);
    const margin = 100 - 10 * move - (exit?.fee ?? 0); // what is left of it, below nothing beyond it
    expect(cleared).toEqual([{ currency: 'USDT', amount: expect.closeTo(-margin, 8), time: expect.any(Number) }]);
    const byFills = sign * 10 * ((exit?.price ?? 0) - (entry?.price ?? 0)) - (entry?.fee ?? 0) - (exit?.fee ?? 0);
    expect(await gained()).toBeCloseTo(byFills + (cleared[0]?.amount ?? 0), 8);
    expect(await trading.clearances(symbol, sandbox.clock.now() + 1_000)).toEqual([]);
    expect(await trading.clearances('ETH/USDT:USDT', 0)).toEqual([]);
  });
});

test('the oldest of what was cleared comes first', async () => {
  const { trading } = await holding('buy');
  const row = (time: number, income: string) => ({ symbol: 'LTCUSDT', incomeType: 'INSURANCE_CLEAR', income, asset: 'USDT', time });
  const body = JSON.stringify([row(9_000, '-2.5'), row(5_000, '1')]);
  sandbox.faults.add({ fault: { kind: 'body', status: 200, body }, path: '/fapi/v1/income' });
  onTestFinished(() => sandbox.faults.clear());
  expect(await trading.clearances(symbol, 0)).toEqual([
    { amount: 1, currency: 'USDT', time: 5_000 },
    { amount: -2.5, currency: 'USDT', time: 9_000 },
  ]);
});
