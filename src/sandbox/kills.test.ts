import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runSize } from '../../test/support/run-size.ts';
import { accountOfKey, rawAccount, type RawAccount, type RawAnswer } from './testing/raw-account.ts';
import { type SandboxProcess, sandboxProcess } from './testing/sandbox-process.ts';

/** How often the sandbox is killed. */
const { size: kills } = runSize(6);

interface Acknowledged {
  orders: Map<string, { status: string; executedQty: string }>; // what was answered last, by client id
  unanswered: Set<string>;
}

test(
  'a kill at any moment loses no order that was acknowledged, and the balances are those of the fills',
  { timeout: 600_000 + kills * 5_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-kills-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    let sandbox: SandboxProcess = await sandboxProcess(folder);
    onTestFinished(() => sandbox.kill());
    const key = await rawAccount(sandbox);
    const acknowledged: Acknowledged = { orders: new Map(), unanswered: new Set() };
    for (let round = 0; round < kills; round++) {
      const account = accountOfKey(sandbox, key);
      const before = acknowledged.orders.size;
      const trading = tradeUntilCut(account, acknowledged, round);
      await expect.poll(() => acknowledged.orders.size).toBeGreaterThan(before);
      await new Promise((resolve) => setTimeout(resolve, (round * 137) % 500));
      await sandbox.kill();
      await trading;
      sandbox = await sandboxProcess(folder);
      await compare(accountOfKey(sandbox, key), acknowledged);
    }
  },
);

/** Sends orders and cancels one after the other until the connection breaks. */
async function tradeUntilCut(account: RawAccount, acknowledged: Acknowledged, round: number): Promise<void> {
  const prices = await account.send('GET', '/api/v3/depth?symbol=ETHUSDT&limit=5&x=1').catch(() => null);
  if (prices === null) return;
  const bid = Number(prices.body.bids[0][0]);
  for (let i = 0; ; i++) {
    const id = `k${round}-${i}`;
    const side = i % 2 === 0 ? 'BUY' : 'SELL';
    const body =
      i % 3 === 0
        ? { type: 'MARKET', quantity: '0.0100' }
        : { type: 'LIMIT', timeInForce: 'GTC', quantity: '0.0100', price: (bid * (side === 'BUY' ? 0.9 : 1.1)).toFixed(2) };
    try {
      const { status, body: order } = await account.send('POST', '/api/v3/order', {
        symbol: 'ETHUSDT',
        side,
        newClientOrderId: id,
        newOrderRespType: 'FULL',
        ...body,
      });
      if (status === 200) acknowledged.orders.set(id, order);
      if (status === 200 && order.status === 'NEW' && i % 4 === 1) {
        acknowledged.unanswered.add(id);
        const cancelled = await account.send('DELETE', '/api/v3/order', { symbol: 'ETHUSDT', origClientOrderId: id });
        if (cancelled.status !== 200) continue; // refused, such as for its time on a busy machine: nothing was acknowledged
        acknowledged.unanswered.delete(id);
        acknowledged.orders.set(id, cancelled.body);
      }
    } catch {
      return; // killed
    }
  }
}

async function compare(account: RawAccount, acknowledged: Acknowledged): Promise<void> {
  const orders = await everything(account, 'allOrders', 'orderId');
  const found = new Map(orders.map((order) => [order.clientOrderId, order]));
  for (const [id, { status, executedQty }] of acknowledged.orders) {
    expect(found.get(id), id).toMatchObject({ executedQty });
    if (!acknowledged.unanswered.has(id)) expect(found.get(id)).toMatchObject({ status });
  }
  const fills = await everything(account, 'myTrades', 'fromId');
  let [eth, usdt] = [0n, 10_000n * 100_000_000n];
  for (const { isBuyer, qty, quoteQty, commission } of fills) {
    eth += isBuyer ? units(qty) - units(commission) : -units(qty);
    usdt += isBuyer ? -units(quoteQty) : units(quoteQty) - units(commission);
  }
  const { balances } = (await account.send('GET', '/api/v3/account')).body as {
    balances: { asset: string; free: string; locked: string }[];
  };
  const sumOf = (asset: string) =>
    balances.filter((row) => row.asset === asset).reduce((sum, { free, locked }) => sum + units(free) + units(locked), 0n);
  expect([sumOf('ETH'), sumOf('USDT')]).toEqual([eth, usdt]);
}

/** All rows of a list, page by page. */
async function everything(account: RawAccount, list: 'allOrders' | 'myTrades', idName: string): Promise<RawAnswer['body'][]> {
  const rows: RawAnswer['body'][] = [];
  for (let from = 1; ;) {
    const { body } = await account.send('GET', `/api/v3/${list}`, { symbol: 'ETHUSDT', [idName]: from, limit: 1000 });
    rows.push(...body);
    if (body.length < 1000) return rows;
    from = 1 + (list === 'allOrders' ? body.at(-1).orderId : body.at(-1).id);
  }
}

function units(text: string): bigint {
  return BigInt(text.replace('.', ''));
}

test('started again with an earlier time, the market continues from the time of its books, and an order is filled once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-kills-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const further = ['--start', String(Date.UTC(2026, 4, 20, 13, 7, 21)), '--control-port', '0'];
  let sandbox = await sandboxProcess(folder, further);
  onTestFinished(() => sandbox.kill());
  const key = await rawAccount(sandbox);
  const timeNow = async () => ((await (await fetch(`${sandbox.url}/api/v3/time`)).json()) as { serverTime: number }).serverTime;
  const send = async (...request: Parameters<RawAccount['send']>) => {
    const time = await timeNow();
    return accountOfKey({ url: sandbox.url, clock: { now: () => time } }, key).send(...request);
  };
  const { body: depth } = await send('GET', '/api/v3/depth', { symbol: 'ETHUSDT', limit: 5 });
  const price = (Number(depth.bids[0][0]) * 0.999).toFixed(2);
  const order = { symbol: 'ETHUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '1.0000', price };
  expect((await send('POST', '/api/v3/order', order)).body.status).toBe('NEW');
  const read = async () => (await send('GET', '/api/v3/order', { symbol: 'ETHUSDT', orderId: 1 })).body.status;
  for (let hours = 0; hours < 96 && (await read()) !== 'FILLED'; hours++)
    await fetch(`${sandbox.controlUrl}/clock`, { method: 'POST', body: JSON.stringify({ advanceMs: 3_600_000 }) });
  const fills = (await send('GET', '/api/v3/myTrades', { symbol: 'ETHUSDT' })).body;
  await sandbox.kill();
  sandbox = await sandboxProcess(folder, further);
  expect(await timeNow()).toBeGreaterThanOrEqual(fills.at(-1).time);
  expect((await send('GET', '/api/v3/myTrades', { symbol: 'ETHUSDT' })).body).toEqual(fills);
  expect(await read()).toBe('FILLED');
});
