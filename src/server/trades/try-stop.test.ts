import { minuteMs } from '#engine/market/durations.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { aFillRow, anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import type { OrderRow, TradeRow } from '#storage/trades/trade-writes.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let botId = '';
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

beforeAll(async () => {
  owner = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname: 'Momentum' });
});

/** An open live trade that has held something for a minute, and whose newest stop was refused. */
async function refused(given: Partial<TradeRow> = {}, stop: Partial<OrderRow> = {}): Promise<string> {
  const trade = aTradeRow(botId, { mode: 'live', ...given });
  const entry = anOrderRow(trade, { status: 'filled', filled: 5 });
  const failed = anOrderRow(trade, {
    purpose: 'stop',
    side: 'sell',
    status: 'refused',
    plannedAt: ago(50),
    closedAt: new Date('2026-11-21T19:03:30.000Z'),
    ...stop,
  });
  await writeTrades(db, [{ trade, orders: [entry, failed], fills: [aFillRow(entry, { filledAt: ago(60) })] }]);
  await sql`update orders set refusal = 'Too many stops.' where trade_id = ${trade.id} and status = 'refused'`.execute(db);
  return trade.id;
}
const tryStop = (person: Person, id: string) => person.tryStop({ params: { id } });
const wishOf = async (id: string) =>
  (await db.selectFrom('trades').select('stopAskedAfter').where('id', '=', id).executeTakeFirstOrThrow()).stopAskedAfter;

test('ADD-try-stop the wish is stored, shown on the page of the trade and of the bot, and in the audit log once', async () => {
  const id = await refused({ symbol: 'ETH/USDT' });
  const shown = async () => {
    const { no_stop } = await owner.tradeOrders({ params: { id }, query: {} });
    const { unprotected } = await owner.listDifferences({});
    expect(unprotected.find(({ trade_id }) => trade_id === id)).toMatchObject({ ...no_stop });
    return no_stop;
  };
  const why = { failed_at: '2026-11-21T19:03:30.000Z', refusal: 'Too many stops.', ended_as: null, stood_ms: null, too_small: null };
  expect(await shown()).toMatchObject({ ...why, next_stop: 'pausing', stop_asked_at: null });
  const first = await tryStop(owner, id);
  expect(first).toEqual({ trade_id: id, next_stop: 'asked', stop_asked_at: expect.any(String) });
  server.pass(minuteMs);
  expect(await tryStop(await server.signedIn('admin'), id)).toEqual(first);
  expect(await shown()).toMatchObject({ ...why, next_stop: 'asked', stop_asked_at: first.stop_asked_at });
  const { lines } = await listAudit(db, { action: 'try-stop' }, 10);
  expect(lines.filter(({ target }) => target === id)).toMatchObject([
    {
      actorId: owner.userId,
      targetName: 'Momentum, ETH/USDT',
      result: 'ok',
      detail: { bot: 'Momentum', symbol: 'ETH/USDT', mode: 'live' },
    },
  ]);
});

test('ADD-try-stop while the outcome of a stop is not known it is on its way, and nothing is asked for', async () => {
  const id = await refused({}, { status: 'unknown', closedAt: null });
  expect(await tryStop(owner, id)).toEqual({ trade_id: id, next_stop: 'on-its-way', stop_asked_at: null });
  expect(await wishOf(id)).toBeNull();
  expect((await listAudit(db, { action: 'try-stop' }, 10)).lines.filter(({ target }) => target === id)).toEqual([]);
});

test('ADD-try-stop is for the owner and admins, and the password is not asked for again', async () => {
  const id = await refused();
  for (const role of ['trader', 'operator', 'investor'] as const)
    expect((await failure(tryStop(await server.signedIn(role), id))).message).toBe('403 You do not have access to this bot');
  expect(await wishOf(id)).toBeNull();
  const person = await server.signedIn('admin');
  server.pass(11 * minuteMs);
  expect((await failure(person.closeTrade({ params: { id } }))).message).toBe('403 Enter your current password to continue.');
  expect(await tryStop(person, id)).toMatchObject({ trade_id: id, next_stop: 'asked' });
  expect((await failure(tryStop(person, '00000000-0000-4000-8000-00000000dead'))).message).toBe('404 Trade not found');
});

test('ADD-try-stop a trade that is not open, or of which no stop waits, is refused with that', async () => {
  const person = await server.signedIn('admin');
  for (const status of ['closed', 'cancelled', 'failed'] as const)
    expect((await failure(tryStop(person, await refused({ status, closedAt: new Date() })))).message).toBe('409 The trade is not open');
  for (const id of [await refused({ mode: 'paper' }), await refused({}, { status: 'open', exchangeOrderId: '9', closedAt: null })])
    expect((await failure(tryStop(person, id))).message).toBe('409 No stop of this trade waits to be tried again');
});
