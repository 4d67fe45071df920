import { otherMode } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { endActions } from '#storage/trades/manual-actions.ts';
import type { TradeRow } from '#storage/trades/trade-writes.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
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
const entry = { symbol: 'ETH/USDT', direction: 'long', stake: 25, stop_price: null } as const;
const enter = (person: Person, body: object = {}) => person.enterByHand({ params: { id: botId }, body: { ...entry, ...body } });
const refused = async (call: Promise<unknown>) => (await failure(call)).message;

beforeAll(async () => {
  owner = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname: 'Momentum', symbols: ['BTC/USDT', 'ETH/USDT'] });
});
beforeEach(async () => {
  await owner.login({ body: { email: owner.email, password } });
  await sql`truncate manual_actions, trades cascade`.execute(db);
});

describe('ADD-enter-by-hand', () => {
  test('is stored with who has asked, listed, and in the audit log', async () => {
    const { action_id, expires_in_ms } = await enter(owner, { stop_price: 1200.5 });
    expect(expires_in_ms).toBe(30_000);
    const { actions } = await owner.manualActions({ params: { id: botId } });
    expect(actions).toMatchObject([
      { action_id, kind: 'enter', symbol: 'ETH/USDT', direction: 'long', stake: 25, stop_price: 1200.5, state: 'waiting', trade_id: null },
    ]);
    expect(actions[0]).toMatchObject({ asked_by: expect.stringMatching(/./u), asked_by_you: true });
    const { lines } = await listAudit(db, { action: 'enter-by-hand' }, 10);
    expect(lines.filter(({ target }) => target === botId)).toMatchObject([
      {
        actorId: owner.userId,
        result: 'ok',
        detail: { bot: 'Momentum', symbol: 'ETH/USDT', mode: 'paper', direction: 'long', stake: 25, stop_price: 1200.5 },
      },
    ]);
  });

  test('pressed twice at once is one; the second is said to be too much, until the first has ended', async () => {
    const answers = await Promise.allSettled([enter(owner), enter(owner), enter(owner)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refused(enter(owner))).toBe('409 Another order by hand of this pair has not ended yet. Wait a moment.');
    const { actions } = await owner.manualActions({ params: { id: botId } });
    expect(actions).toHaveLength(1);
    await endActions(db, [{ id: actions[0]?.action_id ?? '', refusal: 'slots-full', tradeId: null, clientOrderId: null }]);
    await enter(owner);
    expect((await owner.manualActions({ params: { id: botId } })).actions.map(({ state, refusal }) => [state, refusal])).toEqual([
      ['waiting', null],
      ['refused', 'slots-full'],
    ]);
  });

  test.each([
    [{ symbol: 'DOGE/USDT' }, '400 The bot does not trade this pair'],
    [{ symbol: '' }, '400 Trading pair is required'],
    [{ direction: 'short' }, '400 This bot cannot sell short'],
    [{ direction: 'up' }, '400 Invalid direction'],
    [{ direction: 5 }, '400 Invalid request'],
    [{ stake: 0 }, '400 Stake amount must be positive'],
    [{ stake: '20' }, '400 Invalid request'],
    [{ stop_price: -1 }, '400 Stop price must be positive'],
    [{ stop_price: '1' }, '400 Invalid request'],
    [{ stop_price: 1e13 }, '400 Invalid request'],
  ])('with %j is refused', async (body, message) => {
    expect(await refused(enter(owner, body))).toBe(message);
    expect((await owner.manualActions({ params: { id: botId } })).actions).toEqual([]);
  });

  const enterSeen = (version: number, body: object = {}) =>
    owner.enterByHand({ params: { id: botId }, body: { ...entry, ...body } }, { headers: { 'if-match': `"${version}"` } });

  test('OP-36 of a bot that is in another mode than was seen, or has other settings, nothing is entered', async () => {
    const { version } = await owner.getBot({ params: { id: botId } });
    expect(await refused(enter(owner, { mode: 'live' }))).toBe(`409 ${otherMode}`);
    expect(await refused(enter(owner, { mode: 'testnet' }))).toBe('400 Mode must be paper or live');
    expect(await refused(enterSeen(version - 1))).toBe(`409 ${texts.changedMeanwhile}`);
    expect((await owner.manualActions({ params: { id: botId } })).actions).toEqual([]);
    await enterSeen(version, { mode: 'paper' });
    expect((await owner.manualActions({ params: { id: botId } })).actions).toHaveLength(1);
  });

  test('OP-36 what waits is not entered with other settings than were confirmed, and says so', async () => {
    const { action_id } = await enter(owner);
    await owner.updateBot({ params: { id: botId }, body: { stake_amount: 60 } });
    const { actions } = await owner.manualActions({ params: { id: botId } });
    expect(actions).toMatchObject([{ action_id, state: 'refused', refusal: 'settings-changed', trade_id: null }]);
    await enter(owner); // with what is set now
  });

  test('OP-36 who has seen a paper bot is not asked for the password of a live one', async () => {
    await sql`update bots set mode = 'live' where id = ${botId}`.execute(db);
    server.pass(11 * minuteMs);
    expect(await refused(enter(owner, { mode: 'paper' }))).toBe(`409 ${otherMode}`);
    await sql`update bots set mode = 'paper' where id = ${botId}`.execute(db);
  });

  test.each([
    ['switched to live', sql`mode = 'live'`, `409 ${otherMode}`],
    ['moved to another exchange', sql`exchange_id = 'binance', version = version + 1`, `409 ${texts.changedMeanwhile}`],
    ['archived', sql`status = 'stopped', archived_at = now()`, `409 ${texts.botArchived}`],
  ])('OP-36 a bot that is being %s when it is asked is what it is afterwards', async (_, change, message) => {
    const { version, mode } = await owner.getBot({ params: { id: botId } });
    const { call } = await db.transaction().execute(async (trx) => {
      await sql`update bots set ${change} where id = ${botId}`.execute(trx);
      const entering = failure(enterSeen(version, { mode }));
      await untilWaiting(db, 1);
      return { call: entering };
    });
    expect((await call).message).toBe(message);
    expect((await owner.manualActions({ params: { id: botId } })).actions).toEqual([]);
    await sql`update bots set mode = 'paper', exchange_id = 'sandbox', status = 'active', archived_at = null where id = ${botId}`.execute(
      db,
    );
  });

  test('is for the owner and admins; a live bot asks for the password again', async () => {
    for (const role of ['trader', 'operator', 'investor'] as const) {
      const person = await server.signedIn(role);
      expect(await refused(enter(person))).toBe('403 You do not have access to this bot');
      expect(await refused(person.manualActions({ params: { id: botId } }))).toBe('403 You do not have access to this bot');
    }
    const admin = await server.signedIn('admin');
    await sql`update bots set mode = 'live' where id = ${botId}`.execute(db);
    server.pass(11 * minuteMs);
    expect(await refused(enter(admin))).toBe('403 Enter your current password to continue.');
    await admin.confirmPassword({ body: { password } });
    await enter(admin);
    await sql`update bots set mode = 'paper' where id = ${botId}`.execute(db);
  });
});

describe('what is asked of an open trade', () => {
  const asks = {
    addToTrade: (person: Person, id: string) => person.addToTrade({ params: { id }, body: { stake: 10 } }),
    takeOutOfTrade: (person: Person, id: string) => person.takeOutOfTrade({ params: { id }, body: { share: 0.25 } }),
    moveStop: (person: Person, id: string) => person.moveStop({ params: { id }, body: { price: null } }),
  };

  test.each([
    ['addToTrade', 'add-by-hand', { kind: 'add', stake: 10 }],
    ['takeOutOfTrade', 'take-out-by-hand', { kind: 'take-out', share: 0.25 }],
    ['moveStop', 'move-stop', { kind: 'move-stop', stop_price: null }],
  ] as const)('%s is stored, shown with the trade, and in the audit log', async (call, action, stored) => {
    const id = await entered({ symbol: 'ETH/USDT' });
    const { action_id } = await asks[call](owner, id);
    expect((await owner.tradeOrders({ params: { id }, query: {} })).by_hand).toMatchObject([
      { action_id, trade_id: id, state: 'waiting', ...stored },
    ]);
    const { lines } = await listAudit(db, { action }, 10);
    expect(lines.filter(({ target }) => target === id)).toMatchObject([
      { result: 'ok', detail: { bot: 'Momentum', symbol: 'ETH/USDT', kind: stored.kind } },
    ]);
  });

  test.each(Object.keys(asks) as (keyof typeof asks)[])(
    '%s is for the owner and admins, of an open trade, and asks for the password where it is live',
    async (call) => {
      const id = await entered();
      for (const role of ['trader', 'operator', 'investor'] as const)
        expect(await refused(asks[call](await server.signedIn(role), id))).toBe('403 You do not have access to this bot');
      expect(await refused(asks[call](owner, '00000000-0000-4000-8000-00000000dead'))).toBe('404 Trade not found');
      expect(await refused(asks[call](owner, await entered({ status: 'closed', closedAt: new Date() })))).toBe('409 The trade is not open');
      const admin = await server.signedIn('admin');
      const live = await entered({ mode: 'testnet', symbol: 'ETH/USDT' });
      server.pass(11 * minuteMs);
      expect(await refused(asks[call](admin, live))).toBe('403 Enter your current password to continue.');
      await asks[call](admin, id);
      await admin.confirmPassword({ body: { password } });
      await asks[call](admin, live);
      expect(await refused(asks[call](admin, live))).toBe('409 Another order by hand of this pair has not ended yet. Wait a moment.');
    },
  );

  test.each([
    [0, '400 The part must be between 0 and 100 %'],
    [1, '400 The part must be between 0 and 100 %'],
    ['0.5', '400 Invalid request'],
  ])('a part of %j is refused', async (share, message) => {
    const id = await entered();
    expect(await refused(owner.takeOutOfTrade({ params: { id }, body: { share: share as number } }))).toBe(message);
  });

  test('a trade says where its stop was moved to, and whether by hand', async () => {
    const trade = aTradeRow(botId, { stopPrice: 90, initialStopPrice: 90 });
    await writeTrades(db, [{ trade, orders: [], fills: [] }]);
    await writeTrades(db, [
      { trade: { ...trade, stopPrice: 95, engineState: JSON.stringify({ stopByHand: true }) }, orders: [], fills: [] },
    ]);
    expect(await owner.tradeOrders({ params: { id: trade.id }, query: {} })).toMatchObject({
      stop_price: 95,
      stop_by_hand: true,
      stop_moves: [{ price: 95 }],
    });
  });
});
