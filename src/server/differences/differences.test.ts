import { minuteMs } from '#engine/market/durations.ts';
import { listAlarms } from '#storage/alarms/alarms.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { endDifference, expectedHoldings, noteDifference } from '#storage/differences/differences.ts';
import { lockDifference } from '#storage/differences/found-differences.ts';
import { heldElsewhereFill } from '#storage/differences/held-elsewhere.ts';
import { removeFact, writeFact } from '#storage/installation/facts.ts';
import { missingAmounts } from '#storage/differences/missing-amounts.ts';
import { aFillRow, anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import type { TradeRow } from '#storage/trades/trade-writes.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { resolveDifference } from './resolve-difference.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let admin: Person;
let made = 0;
const symbol = 'BTC/USDT:USDT';

/** A live bot whose account holds `actual`, while its trade says `expected`. */
async function differing(expected: number, actual: number, given: Partial<TradeRow> = {}) {
  const nickname = `bot ${made++}`;
  const botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname, marketType: 'futures', symbols: [symbol] });
  const apiKeyId = await goLive(db, botId);
  const trade = aTradeRow(botId, {
    symbol,
    mode: 'live',
    direction: expected < 0 ? 'short' : 'long',
    amount: Math.abs(expected),
    engineState: JSON.stringify({ amountStep: 0.001, contractSize: 1 }),
    ...given,
  });
  if (expected !== 0) await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  await noteDifference(db, { botId, symbol, expected, actual });
  const find = async (person = owner) => (await person.listDifferences({})).open.find((each) => each.bot_id === botId);
  const found = await find();
  const resolve = (how: 'adopt' | 'ignore' | 'close', person = owner, seen = { expected, actual }) =>
    person.resolveDifference({ params: { id: found?.id ?? '' }, body: { how, ...seen } });
  const wish = async () => {
    const { rows } = await sql<{ missing: number | null; isToClose: boolean }>`
      select held_elsewhere::float8 as missing, close_asked_at is not null as is_to_close from trades where id = ${trade.id}`.execute(db);
    return rows[0] ?? { missing: null, isToClose: false };
  };
  const ignored = async () => (await expectedHoldings(db, apiKeyId, 'futures')).find((each) => each.symbol === symbol)?.ignored;
  const records = async () =>
    (await listAudit(db, { action: 'resolve-difference' }, 100)).lines.filter(({ target }) => target === `bot ${botId}`);
  const isDone = async () => (await owner.listDifferences({})).ended.filter((each) => each.bot_id === botId).map(({ is_done }) => is_done);
  /** The bot books 0.5 of its trade as left outside, as it was asked to. */
  const bookHalf = async () => {
    const { rows } = await sql<{ id: string }>`select ${heldElsewhereFill} as id from trades t where t.id = ${trade.id}`.execute(db);
    const booked = anOrderRow(trade, { side: 'sell', status: 'filled', filled: 0.5 });
    const fill = aFillRow(booked, { exchangeFillId: rows[0]?.id ?? '' });
    await writeTrades(db, [{ trade: { ...trade, amount: Number(trade.amount) - 0.5 }, orders: [booked], fills: [fill] }]);
  };
  const alarms = async () => (await listAlarms(db, null)).filter(({ kind, targetId }) => kind === 'difference' && targetId === botId);
  /** Its entry was filled so many seconds ago. */
  const hold = async (seconds: number): Promise<Date> => {
    const filledAt = new Date(Date.now() - seconds * 1_000);
    await sql`delete from orders where trade_id = ${trade.id}`.execute(db);
    const entry = anOrderRow(trade, { status: 'filled', filled: Math.abs(expected) });
    await writeTrades(db, [{ trade, orders: [entry], fills: [aFillRow(entry, { filledAt })] }]);
    return filledAt;
  };
  return { hold, nickname, botId, tradeId: trade.id, id: found?.id ?? '', find, resolve, wish, ignored, records, alarms, isDone, bookHalf };
}

beforeAll(async () => {
  owner = await server.signedIn('trader');
  admin = await server.signedIn('admin');
});

describe('ADD-differences', () => {
  test('the owner sees what the account holds, what the trades say, since when, and what each choice would do', async () => {
    const { nickname, botId, tradeId, find } = await differing(2, 1.5);
    const found = await find();
    expect(found).toMatchObject({ nickname, bot_id: botId, exchange_id: 'sandbox', owner: null, symbol, expected: 2, actual: 1.5 });
    expect(found?.trade).toEqual({ id: tradeId, direction: 'long', amount: 2 });
    expect(Date.now() - Date.parse(found?.found_at ?? '')).toBeLessThan(60_000);
    expect(found?.choices.find(({ how }) => how === 'ignore')).toEqual({
      how: 'ignore',
      may: false,
      text: 'The account holds less than the trade, so its exit would be refused: adopt what is left, or close it.',
    });
  });

  test.each([
    ['more is there', 2, 2.5, 'Its exits and stops continue.'],
    ['nothing is there', 2, 0, 'It makes no exit and no stop for the trade: nothing of it is in the account.'],
    ['less is there', -2, -1.5, 'Its exits and stops are for what the account holds for the trade, and no more.'],
  ])('it says what the bot does until then: %s', async (_, expected, actual, text) => {
    expect((await (await differing(expected, actual)).find())?.exits).toBe(text);
  });

  test('after a restore it says that profits wait, as long as the bot is paused', async () => {
    const { botId, find } = await differing(2, 1.5, { openedAt: new Date(1_000) });
    await writeFact(db, 'restored_at', new Date(2_000).toISOString());
    await sql`update bots set status = 'paused' where id = ${botId}`.execute(db);
    expect((await find())?.exits).toBe(
      'After the restore only stops leave the trade, for what the account holds for the trade, and no more; profits wait for you.',
    );
    await removeFact(db, 'restored_at');
  });

  test('an admin sees those of all with their owners; nobody else sees them', async () => {
    const { botId, find } = await differing(0, 0.05);
    expect(await find(admin)).toMatchObject({ owner: owner.email, trade: null, expected: 0, actual: 0.05 });
    for (const role of ['trader', 'operator', 'investor'] as const) expect(await find(await server.signedIn(role)), role).toBeUndefined();
    expect((await find())?.choices.find(({ how }) => how === 'ignore')?.text).toBe(
      '0.05 BTC belong to no bot from now on. No bot counts, protects or closes them. While they are there, no bot with this API key goes short in this pair.',
    );
    await endDifference(db, botId, symbol);
    expect(await find()).toBeUndefined();
    expect((await owner.listDifferences({})).ended[0]).toMatchObject({ bot_id: botId, outcome: 'gone' });
  });

  test('open trades without a confirmed stop are named with since when, until they are closed', async () => {
    const { botId, tradeId, hold } = await differing(-2, -1.5);
    const mine = async (person = owner) => (await person.listDifferences({})).unprotected.filter((each) => each.bot_id === botId);
    expect(await mine()).toEqual([]);
    await hold(9);
    expect(await mine()).toEqual([]);
    const since = await hold(11);
    expect(await mine()).toMatchObject([
      { trade_id: tradeId, symbol, direction: 'short', amount: 2, since: since.toISOString(), close_asked_at: null },
    ]);
    expect((await owner.tradeOrders({ params: { id: tradeId }, query: {} })).no_stop?.since).toBe(since.toISOString());
    expect(await mine(admin)).toHaveLength(1);
    expect(await mine(await server.signedIn('trader'))).toEqual([]);
    await owner.closeTrade({ params: { id: tradeId } });
    expect((await mine())[0]?.close_asked_at).not.toBeNull();
    await sql`update trades set status = 'closed', closed_at = now() where id = ${tradeId}`.execute(db);
    expect(await mine()).toEqual([]);
    expect((await owner.tradeOrders({ params: { id: tradeId }, query: {} })).no_stop).toBeNull();
  });

  test('of those that have ended the newest 20 are shown', async () => {
    const { botId } = await differing(1, 0);
    await endDifference(db, botId, symbol);
    for (let i = 0; i < 25; i += 1) {
      await noteDifference(db, { botId, symbol, expected: 1, actual: i / 100 });
      await endDifference(db, botId, symbol);
    }
    const { ended } = await owner.listDifferences({});
    expect(ended.map(({ actual }) => actual)).toEqual(Array.from({ length: 20 }, (_, i) => (24 - i) / 100));
  });
});

describe('ADD-resolve-difference', () => {
  test('what is ignored belongs to no bot: the difference and its alarm end, with one record in the audit log', async () => {
    const { nickname, resolve, ignored, records, alarms, find } = await differing(2, 2.3);
    expect(await alarms()).toHaveLength(1);
    expect(await resolve('ignore')).toEqual({ outcome: 'ignored' });
    expect(await resolve('ignore', admin)).toEqual({ outcome: 'ignored' }); // asked twice is once
    expect(await ignored()).toBe(0.3);
    expect(await alarms()).toEqual([]);
    expect(await find()).toBeUndefined();
    expect(await records()).toMatchObject([
      { actorId: owner.userId, result: 'ok', detail: { bot: nickname, symbol, how: 'ignore', expected: 2, actual: 2.3 } },
    ]);
  });

  test.each([
    ['long', 1],
    ['short', -1],
  ])('what is ignored beside a %s twice adds up, also where something is missing', async (_, sign) => {
    const expected = sign * 2;
    const { botId, resolve, ignored, find } = await differing(expected, sign * 2.3);
    await resolve('ignore');
    await noteDifference(db, { botId, symbol, expected, actual: sign * 1.9 });
    const again = await find(); // somebody has closed 0.1 of what belongs to no bot
    expect(again?.choices.find(({ how }) => how === 'ignore')).toMatchObject({
      may: true,
      text: 'The trades stay as they are. From now on the account may hold 0.1 BTC less than before.',
    });
    await owner.resolveDifference({ params: { id: again?.id ?? '' }, body: { how: 'ignore', expected, actual: sign * 1.9 } });
    expect(await ignored()).toBe(sign * 0.2);
    await noteDifference(db, { botId, symbol, expected, actual: sign * 1.7 }); // and now some of the trade's
    const body = { how: 'ignore', expected, actual: sign * 1.7 } as const;
    const id = (await find())?.id ?? '';
    expect((await failure(owner.resolveDifference({ params: { id }, body }))).message).toBe(
      '400 The account holds less than the trade, so its exit would be refused: adopt what is left, or close it.',
    );
    expect(await ignored()).toBe(sign * 0.2);
  });

  test.each([
    ['long', 2, 1.9, -0.3],
    ['short', -2, -1.9, 0.3],
    // Its owner has closed his own: nothing of the trade is left at the exchange.
    ['long', 2, 22, -22],
    ['short', -2, -22, 22],
  ])('what lies against a %s and belongs to no bot makes up for nothing that is missing of it', async (_, expected, actual, against) => {
    const { botId, resolve, ignored } = await differing(expected, actual);
    await sql`insert into ignored_holdings (api_key_id, market_type, symbol, amount)
      select api_key_id, market_type, ${symbol}, ${against} from bots where id = ${botId}`.execute(db);
    expect((await failure(resolve('ignore'))).message).toBe(
      '400 The account holds less than the trade, so its exit would be refused: adopt what is left, or close it.',
    );
    expect(await ignored()).toBe(against);
  });

  test('what is missing of a trade cannot be ignored: its exit would be refused for ever', async () => {
    for (const [expected, actual] of [
      [2, 1.5],
      [-2, -1.5],
      [2, 0],
    ] as const) {
      const { resolve, ignored, find } = await differing(expected, actual);
      expect((await failure(resolve('ignore'))).message).toBe(
        '400 The account holds less than the trade, so its exit would be refused: adopt what is left, or close it.',
      );
      expect([await ignored(), (await find())?.actual]).toEqual([0, actual]);
    }
  });

  test('two people at once: it is done once', async () => {
    const { resolve, ignored, records } = await differing(2, 2.3);
    const all = await Promise.all([resolve('ignore'), resolve('ignore', admin), resolve('ignore'), resolve('ignore', admin)]);
    expect(all).toEqual(Array.from({ length: 4 }, () => ({ outcome: 'ignored' })));
    expect(await ignored()).toBe(0.3);
    expect(await records()).toHaveLength(1);
  });

  test.each(['adopt', 'ignore', 'close'] as const)(
    'what a stop without a record has sold since the amounts were looked at is not decided about: %s',
    async (how) => {
      const { botId, resolve, ignored, find } = await differing(0, 0.002);
      await sql`
      insert into unrecorded_orders (client_order_id, bot_id, api_key_id, market_type, exchange_order_id, symbol, side, type, state, requested, filled, net, made_at)
      select 'fl-stop-' || id, id, api_key_id, 'futures', '7', ${symbol}, 'sell', 'stop', 'filled', 0.002, 0.002, -0.002, now() from bots where id = ${botId}`.execute(
        db,
      );
      expect((await failure(resolve(how))).message).toBe('409 The amounts have changed meanwhile. Look at the new ones and decide again.');
      expect([await ignored(), (await find())?.actual]).toEqual([0, 0.002]);
      // The next comparison still finds it: it is something else.
      await noteDifference(db, { botId, symbol, expected: 0, actual: 0.002 });
      if (how === 'ignore') {
        await resolve(how);
        expect(await ignored()).toBe(0.002);
      }
    },
  );

  test('amounts that have changed since they were seen are refused, also while the check writes them', async () => {
    const { botId, resolve, ignored, records, find } = await differing(2, 2.3);
    const changed = '409 The amounts have changed meanwhile. Look at the new ones and decide again.';
    expect((await failure(resolve('ignore', owner, { expected: 2, actual: 2.5 }))).message).toBe(changed);
    expect((await failure(resolve('ignore', owner, { expected: 1, actual: 2.3 }))).message).toBe(changed);
    // The check holds the row; whoever asks meanwhile decides about what it has written.
    const { asked } = await db.transaction().execute(async (trx) => {
      await noteDifference(trx, { botId, symbol, expected: 2, actual: 2.4 });
      const waiting = failure(resolve('ignore'));
      const waits = async () => (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`.execute(db)).rows.length;
      await expect.poll(waits).toBeGreaterThan(0);
      return { asked: waiting };
    });
    expect((await asked).message).toBe(changed);
    expect([await ignored(), await records(), (await find())?.actual]).toEqual([0, [], 2.4]);
  });

  test.each([
    [
      2,
      1.5,
      0.5,
      '0.5 BTC of the trade are booked as sold outside at what the account was paid, or else at the newest price. The trade continues with 1.5 BTC, and its stop follows. Nothing is ordered at the exchange.',
    ],
    [
      -2,
      -0.3,
      1.7,
      '1.7 BTC of the trade are booked as bought back outside at what the account was paid, or else at the newest price. The trade continues with 0.3 BTC, and its stop follows. Nothing is ordered at the exchange.',
    ],
    [
      2,
      0,
      2,
      '2 BTC of the trade are booked as sold outside at what the account was paid, or else at the newest price. The trade is closed with it. Nothing is ordered at the exchange.',
    ],
    [
      2,
      -1,
      2,
      '2 BTC of the trade are booked as sold outside at what the account was paid, or else at the newest price. The trade is closed with it. Nothing is ordered at the exchange. The other 1 BTC are decided about after it.',
    ],
    [
      -2,
      0.5,
      2,
      '2 BTC of the trade are booked as bought back outside at what the account was paid, or else at the newest price. The trade is closed with it. Nothing is ordered at the exchange. The other 0.5 BTC are decided about after it.',
    ],
  ])('what is missing is adopted: of %d the account holds %d', async (expected, actual, missing, text) => {
    const { resolve, wish, alarms, find, ignored, records, botId } = await differing(expected, actual);
    expect((await find())?.choices.find(({ how }) => how === 'adopt')).toEqual({ how: 'adopt', may: true, text });
    const all = await Promise.all([resolve('adopt'), resolve('adopt', admin), resolve('adopt')]);
    expect(all).toEqual([{ outcome: 'adopted' }, { outcome: 'adopted' }, { outcome: 'adopted' }]);
    expect(await wish()).toEqual({ missing, isToClose: false });
    expect([await alarms(), await ignored(), await find()]).toEqual([[], 0, undefined]);
    expect(await records()).toHaveLength(1);
    // Until the bot has booked it the check leaves the symbol alone.
    const moving = async () => {
      const { rows } = await sql<{ id: string }>`select api_key_id as id from bots where id = ${botId}`.execute(db);
      return (await expectedHoldings(db, rows[0]?.id ?? '', 'futures')).map(({ isMoving }) => isMoving);
    };
    expect(await moving()).toEqual([true]);
    expect((await failure(resolve('ignore'))).message).toBe('409 This difference has ended already');
  });

  test.each([
    ['more than the trade says', 2, 2.5],
    ['something that no trade covers', 0, 1],
  ])('%s cannot be adopted', async (_, expected, actual) => {
    const { resolve, wish, find, records } = await differing(expected, actual);
    const adopting = (await find())?.choices.find(({ how }) => how === 'adopt');
    expect(adopting).toMatchObject({ may: false, text: 'Only a trade of which the account holds less can be corrected.' });
    expect((await failure(resolve('adopt'))).message).toBe(`400 ${adopting?.text}`);
    expect([await wish(), await records()]).toEqual([{ missing: null, isToClose: false }, []]);
  });

  test('what is missing is booked, and what is left is closed', async () => {
    const { resolve, wish, find, alarms, isDone, tradeId, bookHalf } = await differing(2, 1.5);
    expect((await find())?.choices.find(({ how }) => how === 'close')?.text).toBe(
      '0.5 BTC are booked as sold outside at what the account was paid, or else at the newest price, then the other 1.5 BTC are sold at market.',
    );
    expect([await resolve('close'), await resolve('close', admin)]).toEqual([{ outcome: 'closed' }, { outcome: 'closed' }]);
    expect([await wish(), await alarms(), await find()]).toEqual([{ missing: 0.5, isToClose: true }, [], undefined]);
    // It is decided, and done when the bot has booked the one and sold the other.
    expect(await isDone()).toEqual([false]);
    await bookHalf();
    expect(await isDone()).toEqual([false]);
    await sql`update trades set status = 'closed' where id = ${tradeId}`.execute(db);
    expect(await isDone()).toEqual([true]);
  });

  test('a correction is done when the bot has booked it; what is ignored or gone is done at once', async () => {
    const { resolve, isDone, bookHalf, botId } = await differing(2, 1.5);
    await resolve('adopt');
    expect(await isDone()).toEqual([false]);
    await bookHalf();
    expect(await isDone()).toEqual([true]);
    // The next decision about the symbol waits alone.
    await noteDifference(db, { botId, symbol, expected: 1.5, actual: 1 });
    const next = (await owner.listDifferences({})).open.find((each) => each.bot_id === botId);
    await owner.resolveDifference({ params: { id: next?.id ?? '' }, body: { how: 'adopt', expected: 1.5, actual: 1 } });
    expect(await isDone()).toEqual([false, true]);
    const other = await differing(2, 2.5);
    await other.resolve('ignore');
    expect(await other.isDone()).toEqual([true]);
  });

  test('of more than the trade says only the trade is closed; the difference stays until the account agrees', async () => {
    const { resolve, wish, find, records } = await differing(2, 2.5);
    expect((await find())?.choices.find(({ how }) => how === 'close')?.text).toBe(
      "The trade's 2 BTC are sold at market. The 0.5 BTC beyond it stay: close them at the exchange, or ignore them.",
    );
    expect([await resolve('close'), await resolve('close')]).toEqual([{ outcome: null }, { outcome: null }]);
    expect([await wish(), (await find())?.actual]).toEqual([{ missing: null, isToClose: true }, 2.5]);
    expect(await records()).toHaveLength(1);
  });

  test('what no trade covers cannot be closed from here', async () => {
    const { resolve, find } = await differing(0, 1);
    const closing = (await find())?.choices.find(({ how }) => how === 'close');
    expect(closing).toMatchObject({ may: false, text: 'No trade of this bot covers it: close it at the exchange, or ignore it.' });
    expect((await failure(resolve('close'))).message).toBe(`400 ${closing?.text}`);
  });

  test.each(['adopt', 'close'] as const)('a trade that has changed since the account was compared is refused: %s', async (how) => {
    const { resolve, tradeId, wish, find } = await differing(2, 1.5);
    await sql`update trades set amount = 1.8 where id = ${tradeId}`.execute(db);
    expect((await failure(resolve(how))).message).toMatch(/^409 The amounts have changed meanwhile/u);
    expect([await wish(), (await find())?.id]).toEqual([{ missing: null, isToClose: false }, expect.any(String)]);
  });

  test.each(['adopt', 'close'] as const)('a trade that changes between the look at it and the decision is refused: %s', async (how) => {
    const { id, tradeId, wish } = await differing(2, 1.5);
    const resolving = db.transaction().execute(async (trx) => {
      const found = await lockDifference(trx, id);
      if (found === null) throw new Error('The difference is gone');
      await sql`update trades set amount = 1.8 where id = ${tradeId}`.execute(db); // another connection: an exit is filled
      return resolveDifference(trx, found, { how, expected: 2, actual: 1.5 }, new Date());
    });
    await expect(resolving).rejects.toThrow('The amounts have changed meanwhile. Look at the new ones and decide again.');
    expect(await wish()).toEqual({ missing: null, isToClose: false });
  });

  test('an exit that is filled meanwhile changes both amounts; what is missing stays, and can be decided to the end', async () => {
    const { tradeId, find, id, wish } = await differing(2, 1.5);
    await sql`update trades set amount = 0.8 where id = ${tradeId}`.execute(db);
    expect(await find()).toMatchObject({ expected: 0.8, actual: 0.3, trade: { amount: 0.8 } });
    await sql`update trades set amount = 0.4 where id = ${tradeId}`.execute(db); // more was sold than was there
    const found = await find();
    expect(found).toMatchObject({ expected: 0.4, actual: -0.1 });
    expect(found?.choices.find(({ how }) => how === 'ignore')?.may).toBe(false);
    const body = { how: 'adopt', expected: 0.4, actual: -0.1 } as const;
    expect(await owner.resolveDifference({ params: { id }, body })).toEqual({ outcome: 'adopted' });
    expect(await wish()).toEqual({ missing: 0.4, isToClose: false });
  });

  test.each([
    ['long', 'closed', 'close', 2, 0.5],
    ['short', 'closed', 'close', -2, -0.5],
    ['long', 'adopted', 'adopt', 2, 0.5],
    ['short', 'adopted', 'adopt', -2, -0.5],
  ] as const)(
    'what is missing beyond the %s of a bot is a difference of the next one with the key at once when that is %s',
    async (direction, outcome, how, expected, actual) => {
      const { botId, resolve, wish, find, alarms } = await differing(expected, actual, { amount: 1 });
      const other = await addTestBot(db, {
        strategy: 'RsiReversal',
        owner: owner.email,
        nickname: 'the other',
        marketType: 'futures',
        symbols: [symbol],
      });
      await sql`update bots set mode = 'live', api_key_id = (select api_key_id from bots where id = ${botId}) where id = ${other}`.execute(
        db,
      );
      const trade = aTradeRow(other, { symbol, mode: 'live', direction, amount: 1 });
      await writeTrades(db, [{ trade, orders: [], fills: [] }]);
      expect((await find())?.choices.map(({ how, may }) => [how, may])).toEqual([
        ['adopt', true],
        ['ignore', false],
        ['close', true],
      ]);
      expect(await resolve(how)).toEqual({ outcome });
      expect([await wish(), await find(), await alarms()]).toEqual([{ missing: 1, isToClose: how === 'close' }, undefined, []]);
      const open = (await owner.listDifferences({})).open.find((each) => each.bot_id === other);
      expect(open?.trade?.id).toBe(trade.id);
      expect(await missingAmounts(db, { botId: other })).toMatchObject([{ tradeId: trade.id, missing: 0.5 }]);
    },
  );

  test.each([
    ['long', 2, 1.5],
    ['short', -2, -1.5],
  ] as const)(
    'what is missing of a %s of another bot with the key cannot be ignored for a bot without a trade',
    async (_, expected, actual) => {
      const { botId, tradeId, resolve, ignored, find } = await differing(expected, actual);
      const nickname = `holder ${botId}`;
      const other = await addTestBot(db, {
        strategy: 'RsiReversal',
        owner: owner.email,
        nickname,
        marketType: 'futures',
        symbols: [symbol],
      });
      await sql`update bots set mode = 'live', api_key_id = (select api_key_id from bots where id = ${botId}) where id = ${other}`.execute(
        db,
      );
      await sql`update trades set bot_id = ${other} where id = ${tradeId}`.execute(db);
      expect(await find()).toMatchObject({ trade: null, expected, actual });
      const text =
        'The account holds less than the trade of another bot with this API key. Within minutes this is a difference of that bot: decide there.';
      expect((await find())?.choices.find(({ how }) => how === 'ignore')).toEqual({ how: 'ignore', may: false, text });
      expect((await failure(resolve('ignore'))).message).toBe(`400 ${text}`);
      expect([await ignored(), (await find())?.actual]).toEqual([0, actual]);
      // What is there beyond it may be.
      await noteDifference(db, { botId, symbol, expected, actual: expected * 2 });
      expect(await resolve('ignore', owner, { expected, actual: expected * 2 })).toEqual({ outcome: 'ignored' });
      expect(await ignored()).toBe(expected);
    },
  );

  test('one that has ended by itself cannot be decided', async () => {
    const { botId, resolve, records } = await differing(2, 2.3);
    await endDifference(db, botId, symbol);
    expect((await failure(resolve('ignore'))).message).toBe('409 This difference has ended already');
    expect(await records()).toEqual([]);
  });

  test('it is for the owner and admins, with a password that was entered lately', async () => {
    const { id, resolve, ignored } = await differing(2, 2.3);
    for (const role of ['trader', 'operator', 'investor'] as const)
      expect((await failure(resolve('ignore', await server.signedIn(role)))).message).toBe('403 You do not have access to this bot');
    const body = { how: 'ignore', expected: 2, actual: 2.3 } as const;
    expect((await failure(owner.resolveDifference({ params: { id: '00000000-0000-4000-8000-00000000dead' }, body }))).message).toBe(
      '404 Difference not found',
    );
    server.pass(11 * minuteMs);
    expect((await failure(owner.resolveDifference({ params: { id }, body }))).message).toBe('403 Enter your current password to continue.');
    expect(await ignored()).toBe(0);
    await owner.confirmPassword({ body: { password } });
    await admin.confirmPassword({ body: { password } });
    expect(await resolve('ignore')).toEqual({ outcome: 'ignored' });
  });
});
