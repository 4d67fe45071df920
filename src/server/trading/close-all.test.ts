import { minuteMs } from '#engine/market/durations.ts';
import { listAlarms } from '#storage/alarms/alarms.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import type { TradeToClose } from '#storage/trading/close-all.ts';
import { anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import type { OrderRow, TradeRow } from '#storage/trades/trade-writes.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { whyOpen } from './closing-all.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let trader: Person;
let botId = '';
const confirm = 'CLOSE ALL' as const;

async function holding(id: string, given: Partial<TradeRow> = {}, ...orders: Partial<OrderRow>[]): Promise<TradeRow> {
  const trade = aTradeRow(id, given);
  await writeTrades(db, [{ trade, orders: orders.map((order) => anOrderRow(trade, order)), fills: [] }]);
  return trade;
}
const close = (trade: TradeRow) =>
  sql`update trades set status = 'closed', closed_at = now(), profit = 1 where id = ${trade.id}`.execute(db);
const switchesOf = async (person: Person) => (await person.getTradingState({})).switches;
const record = async () => (await listAudit(db, { action: 'close-all' }, 1)).lines[0];

beforeEach(async () => {
  admin = await server.signedIn('admin');
  trader = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'mine', owner: trader.email });
});
afterEach(async () => {
  await sql`delete from trading_states`.execute(db);
  await sql`truncate trades cascade`.execute(db);
});

describe('ADD-close-all halts, and has every open trade closed', () => {
  test('of one bot, with a record; how far it has come is shown, and why a trade is still open', async () => {
    const [one, two] = [await holding(botId), await holding(botId, { mode: 'testnet', symbol: 'BTC/USDT' })];
    const body = { level: 'bot', id: botId, confirm } as const;
    expect(await trader.closeAll({ body })).toEqual({ state: 'halted', bots: 1, open_trades: 2 });
    const set = (await switchesOf(trader))[0];
    expect(set).toMatchObject({ level: 'bot', state: 'halted', may_re_arm: true, closing_all: { closed: 0, open: 2 } });
    expect(set?.closing_all?.waiting.map(({ trade_id }) => trade_id).sort()).toEqual([one.id, two.id].sort());
    expect(await record()).toMatchObject({
      target: `bot ${botId}`,
      targetName: 'mine',
      detail: { from: 'active', to: 'closed', open_trades: 2 },
    });
    expect((await listAudit(db, { search: 'mine', action: 'close-all' }, 1)).lines).toHaveLength(1);
    const first = (await record())?.id;
    await trader.closeAll({ body }); // asked twice is once
    expect((await record())?.id).toBe(first);
    await close(one);
    expect((await switchesOf(trader))[0]?.closing_all).toMatchObject({
      closed: 1,
      open: 1,
      waiting: [
        {
          trade_id: two.id,
          nickname: 'mine',
          symbol: 'BTC/USDT',
          direction: 'long',
          mode: 'testnet',
          why: expect.stringMatching(/^No runner/u) as string,
        },
      ],
    });
    expect((await trader.tradeOrders({ params: { id: two.id }, query: {} })).close_asked_at).toBe(set?.closing_all?.asked_at);
    await close(two);
    expect((await switchesOf(trader))[0]?.closing_all).toMatchObject({ closed: 2, open: 0, waiting: [] });
    await trader.reArmTrading({ body: { level: 'bot', id: botId, state: 'reducing' } });
    expect((await switchesOf(trader))[0]).toMatchObject({ state: 'reducing', closing_all: null });
  });

  test('of a user and of the server is for admins: owners get a mail and an alarm, and see their own trades only', async () => {
    const other = await server.signedIn('operator');
    const otherBot = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'theirs', owner: other.email });
    const mine = await holding(botId);
    await holding(otherBot);
    for (const body of [{ level: 'server' }, { level: 'user', id: trader.userId }, { level: 'bot', id: botId }] as const)
      expect(await failure(other.closeAll({ body: { ...body, confirm } })), body.level).toMatchObject({ status: 403 });
    await admin.closeAll({ body: { level: 'user', id: trader.userId, confirm } });
    const mails = await db.selectFrom('mailOutbox').select('subject').where('recipient', '=', trader.email).execute();
    expect(mails).toEqual([{ subject: 'Everything is being closed' }]);
    expect((await listAlarms(db, trader.userId)).map(({ kind, facts }) => [kind, facts['state']])).toEqual([
      ['stopped-by-other', 'closed'],
    ]);
    expect((await switchesOf(trader))[0]).toMatchObject({ may_re_arm: false, closing_all: { open: 1 } });
    await admin.closeAll({ body: { level: 'server', confirm } });
    expect((await switchesOf(admin))[0]?.closing_all).toMatchObject({ open: 2 });
    expect((await switchesOf(trader))[0]?.closing_all).toMatchObject({ open: 1, waiting: [{ trade_id: mine.id }] });
  });

  test('of a user, and each of its trades says so', async () => {
    const trade = await holding(botId);
    await admin.closeAll({ body: { level: 'user', id: trader.userId, confirm } });
    const askedAt = (await switchesOf(trader))[0]?.closing_all?.asked_at;
    expect(askedAt).toBeDefined();
    expect((await trader.tradeOrders({ params: { id: trade.id }, query: {} })).close_asked_at).toBe(askedAt);
  });

  test.each([
    ['sent', 'The exchange has not reported yet what became of its stop order.'],
    ['unknown', 'The exchange has not reported yet what became of its stop order.'],
    ['cancel-pending', 'Its stop order is being cancelled first.'],
  ] as const)('and a trade whose stop is %s is said to wait for it', async (status, why) => {
    const runnerId = randomUUID();
    await sql`insert into runners (id, host, expires_at) values (${runnerId}, 'here', now() + interval '1 hour')`.execute(db);
    await sql`update bots set runner_id = ${runnerId} where id = ${botId}`.execute(db);
    await holding(botId, { mode: 'testnet' }, { purpose: 'stop', side: 'sell', status });
    await trader.closeAll({ body: { level: 'bot', id: botId, confirm } });
    expect((await switchesOf(trader))[0]?.closing_all?.waiting).toMatchObject([{ why }]);
  });

  test('what its owner closes already, and an admin too, is for an admin to re-arm; it continues as it was asked for first', async () => {
    const asked = { level: 'bot', id: botId } as const;
    await holding(botId);
    await trader.closeAll({ body: { ...asked, confirm } });
    const [first] = await switchesOf(trader);
    server.pass(1_000);
    for (const stop of [
      () => admin.stopTrading({ body: { ...asked, state: 'halted' } }),
      () => admin.closeAll({ body: { ...asked, confirm } }),
    ]) {
      await stop();
      const [seen] = await switchesOf(trader);
      expect(seen).toMatchObject({ state: 'halted', may_re_arm: false, closing_all: { asked_at: first?.closing_all?.asked_at, open: 1 } });
    }
    expect(await failure(trader.reArmTrading({ body: { ...asked, state: 'active' } }))).toMatchObject({ status: 403 });
    await sql`update trading_states set is_imposed = false where bot_id = ${botId}`.execute(db);
    await admin.closeAll({ body: { ...asked, confirm } });
    expect((await switchesOf(trader))[0]).toMatchObject({ may_re_arm: false, closing_all: { asked_at: first?.closing_all?.asked_at } });
  });

  test('what an admin had stopped before is still for an admin to re-arm', async () => {
    const asked = { level: 'bot', id: botId } as const;
    await admin.stopTrading({ body: { ...asked, state: 'reducing' } });
    await trader.closeAll({ body: { ...asked, confirm } });
    expect((await switchesOf(trader))[0]).toMatchObject({ state: 'halted', may_re_arm: false });
    expect(await failure(trader.reArmTrading({ body: { ...asked, state: 'active' } }))).toMatchObject({ status: 403 });
    await admin.reArmTrading({ body: { ...asked, state: 'active' } });
    await trader.closeAll({ body: { ...asked, confirm } });
    expect((await switchesOf(trader))[0]).toMatchObject({ state: 'halted', may_re_arm: true });
  });

  test('needs the exact words and the password', async () => {
    const asked = { level: 'bot', id: botId } as const;
    for (const words of ['close all', 'CLOSE ALL ', ''])
      expect(await failure(trader.closeAll({ body: { ...asked, confirm: words as typeof confirm } })), words).toMatchObject({
        status: 400,
      });
    server.pass(11 * minuteMs);
    expect(await failure(trader.closeAll({ body: { ...asked, confirm } }))).toMatchObject({ status: 403 });
    expect(await switchesOf(trader)).toEqual([]);
    await trader.confirmPassword({ body: { password } });
    await trader.closeAll({ body: { ...asked, confirm } });
    expect(await switchesOf(trader)).toMatchObject([{ state: 'halted' }]);
  });
});

test.each(['closeAll', 'stopTrading', 'changeLimits', 'addPairLock'] as const)(
  'OP-27 %s is not confirmed while an entry that was sent may still arrive',
  async (call) => {
    await holding(botId, { mode: 'testnet' }, { purpose: 'entry', status: 'sent' });
    await sql`update orders set expires_at = clock_timestamp() + interval '1.5 seconds' where bot_id = ${botId}`.execute(db);
    const asked = { level: 'bot', id: botId } as const;
    if (call === 'closeAll') await trader.closeAll({ body: { ...asked, confirm } });
    else if (call === 'stopTrading') await trader.stopTrading({ body: { ...asked, state: 'reducing' } });
    else if (call === 'changeLimits')
      await trader.changeLimits({ body: { ...asked, changes: [{ name: 'open-orders', currency: null, value: 1 }] } });
    else {
      const lock = { level: 'bot', pair: 'DOGE/USDT', direction: null, reason: 'too wild', ends_at: null } as const;
      await trader.addPairLock({ params: { id: botId }, body: lock });
    }
    const { rows } = await sql`select 1 from orders where bot_id = ${botId} and expires_at <= clock_timestamp()`.execute(db);
    expect(rows).toHaveLength(1);
  },
);

test('why a trade is still open', () => {
  const now = 1_000_000_000;
  const trade: TradeToClose = {
    tradeId: 'x',
    botId: 'y',
    nickname: 'mine',
    symbol: 'BTC/USDT',
    direction: 'long',
    mode: 'live',
    hasRunner: true,
    lastError: null,
    lastTickAt: new Date(now - 1_000),
    order: null,
  };
  const why = (given: Partial<TradeToClose>) => whyOpen({ ...trade, ...given }, now);
  expect(why({ hasRunner: false, lastError: 'x' })).toMatch(/No runner runs its bot/u);
  expect(why({ order: { purpose: 'stop', state: 'cancel-pending', refusal: null } })).toBe('Its stop order is being cancelled first.');
  expect(why({ order: { purpose: 'exit', state: 'unknown', refusal: null } })).toMatch(/what became of its exit order/u);
  expect(why({ order: { purpose: 'exit', state: 'open', refusal: null } })).toBe('Its exit order is on its way.');
  expect(why({ order: { purpose: 'exit', state: 'refused', refusal: 'no balance' } })).toMatch(/tried again: no balance/u);
  const refusal = 'sandbox failed to give an answer to the order fl-1: binance {"code":-2022,"msg":"ReduceOnly Order is rejected."}';
  expect(why({ order: { purpose: 'exit', state: 'refused', refusal } })).toMatch(
    /tried again: "ReduceOnly Order is rejected\." \(-2022\)$/u,
  );
  expect(why({ order: { purpose: 'exit', state: 'cancelled', refusal: null }, lastError: 'It broke.' })).toBe('Its bot reports: It broke.');
  expect(why({ lastTickAt: new Date(now - 61_000) })).toBe('It waits for a price of the market.');
  expect(why({})).toBe('Its bot is about to close it.');
});
