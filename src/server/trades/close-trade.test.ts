import { minuteMs } from '#engine/market/durations.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import type { TradeRow } from '#storage/trades/trade-writes.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { beforeAll, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let botId = '';
const entered = async (given: Partial<TradeRow> = {}): Promise<string> => {
  const trade = aTradeRow(botId, given);
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  return trade.id;
};
const askedAt = async (id: string) =>
  (await db.selectFrom('trades').select('closeAskedAt').where('id', '=', id).executeTakeFirstOrThrow()).closeAskedAt;
const close = (person: Person, id: string) => person.closeTrade({ params: { id } });

beforeAll(async () => {
  owner = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname: 'Momentum' });
});

test('ADD-close-trade the wish is stored, shown with the orders, and in the audit log once', async () => {
  const id = await entered({ symbol: 'ETH/USDT' });
  expect(await owner.tradeOrders({ params: { id }, query: {} })).toMatchObject({ close_asked_at: null, may_close: true });
  const first = await close(owner, id);
  server.pass(minuteMs);
  expect(await close(await server.signedIn('admin'), id)).toEqual(first);
  expect((await askedAt(id))?.toISOString()).toBe(first.close_asked_at);
  expect(await owner.tradeOrders({ params: { id }, query: {} })).toMatchObject({ close_asked_at: first.close_asked_at });
  const { lines } = await listAudit(db, { action: 'close-trade' }, 10);
  expect(lines.filter(({ target }) => target === id)).toMatchObject([
    {
      actorId: owner.userId,
      targetName: 'Momentum, ETH/USDT',
      result: 'ok',
      detail: { bot: 'Momentum', symbol: 'ETH/USDT', mode: 'paper' },
    },
  ]);
});

test('ADD-close-trade is for the owner and admins', async () => {
  const id = await entered();
  for (const role of ['trader', 'operator', 'investor'] as const) {
    const person = await server.signedIn(role);
    expect((await failure(close(person, id))).message).toBe('403 You do not have access to this bot');
    if (role !== 'trader') expect(await person.tradeOrders({ params: { id }, query: {} })).toMatchObject({ may_close: false });
  }
  expect(await askedAt(id)).toBeNull();
  expect((await failure(close(owner, '00000000-0000-4000-8000-00000000dead'))).message).toBe('404 Trade not found');
});

test('ADD-close-trade a trade that is not open cannot be closed', async () => {
  for (const status of ['closed', 'cancelled', 'failed'] as const)
    expect((await failure(close(owner, await entered({ status, closedAt: new Date() })))).message).toBe('409 The trade is not open');
});

test('ADD-close-trade of a live trade asks for the password again; of a paper trade it does not', async () => {
  const person = await server.signedIn('admin');
  const trades = { live: await entered({ mode: 'live' }), testnet: await entered({ mode: 'testnet' }), paper: await entered() };
  server.pass(11 * minuteMs);
  for (const id of [trades.live, trades.testnet])
    expect((await failure(close(person, id))).message).toBe('403 Enter your current password to continue.');
  expect(await askedAt(trades.live)).toBeNull();
  await close(person, trades.paper);
  await person.confirmPassword({ body: { password } });
  expect(await close(person, trades.live)).toMatchObject({ trade_id: trades.live });
});
