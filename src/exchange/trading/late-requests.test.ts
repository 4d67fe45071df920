import { afterAll, expect, onTestFinished, test } from 'vitest';
import { secondMs } from '#engine/market/durations.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox({ factor: 0 });
afterAll(() => sandbox.close());

/** A request that arrives so many ms of the market after it was signed. */
async function arrivesLate<T>(path: RegExp, ms: number, ask: () => Promise<T>): Promise<T> {
  sandbox.faults.add({ path, times: 1, fault: { kind: 'delay', ms: 250 } });
  const answer = ask();
  answer.catch(() => undefined);
  await expect.poll(() => sandbox.faults.list()).toEqual([]); // it was sent
  sandbox.clock.advance(ms);
  return await answer;
}

test.each(['spot', 'futures'] as const)(
  'a question of a slow network is answered for a minute after it was asked on %s',
  async (marketType) => {
    const trading = await newTrading(sandbox, marketType);
    onTestFinished(() => trading.close());
    const symbol = marketType === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT';
    const questions: [RegExp, () => Promise<unknown>][] = [
      [/\/(?:account|balance)$/u, () => trading.balances()],
      [/\/openOrders$/u, () => trading.openOrders(symbol)],
    ];
    for (const [path, ask] of questions) {
      expect(await arrivesLate(path, 55 * secondMs, ask)).toEqual(expect.any(Array));
      await expect(arrivesLate(path, 65 * secondMs, ask)).rejects.toMatchObject({ kind: 'temporary' });
    }
  },
);

test('what changes something is not done by a request that arrives ten seconds late', async () => {
  const trading: Trading = await newTrading(sandbox, 'futures');
  onTestFinished(() => trading.close());
  await trading.setLeverage('BTC/USDT:USDT', 3);
  await expect(arrivesLate(/\/leverage$/u, 10 * secondMs, () => trading.setLeverage('BTC/USDT:USDT', 5))).rejects.toThrow('recvWindow');
  expect(await trading.marginSettings('BTC/USDT:USDT')).toMatchObject({ leverage: 3 });
});
