import type { OrderState } from '#engine/account/order-life.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import type { Step } from '../bots/running-bots.ts';
import { writeStep, writeStepsTogether } from '../bots/running-bots.ts';
import { renewLease } from '../bots/runners.ts';
import { endDifference, noteDifference } from '../differences/differences.ts';
import { askToAdopt } from '../differences/adopted-holdings.ts';
import { noteUnrecorded } from '../differences/unrecorded-orders.ts';
import type { SendPermit } from '../orders/order-outbox.ts';
import { entryRefusal, markSent, readOrders } from '../orders/order-outbox.ts';
import { setSwitch } from '../trading/trading-states.ts';
import { anEntryStep } from '../testing/an-entry-step.ts';
import type { TradeRow } from '../trades/trade-writes.ts';
import { Opposed, opposedAmong, OtherLeverage } from './opposed-entries.ts';

// Two bots of one account in the same perpetual: the account has one position for both.

const { db } = await freshDatabase();
const { meets } = twoConnections(db);
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
const symbol = 'BTC/USDT:USDT';
const now = new Date();

interface Account {
  apiKeyId?: string; // of another bot; a key of its own, when it is left out
  marketType?: 'spot' | 'futures';
}

/** A step of a new live bot that enters the perpetual. */
async function entering(direction: 'long' | 'short', { apiKeyId, marketType = 'futures' }: Account = {}, given: Partial<TradeRow> = {}) {
  const { holder, mode, writes } = await anEntryStep(db, runnerId, now);
  const leverage = marketType === 'futures' ? 10 : 1; // what its own limit allows
  await sql`update bots set mode = 'paper', market_type = ${marketType}, leverage = ${leverage} where id = ${holder.id}`.execute(db);
  const key = apiKeyId ?? (await goLive(db, holder.id));
  await sql`update bots set mode = 'live', api_key_id = ${key} where id = ${holder.id}`.execute(db);
  const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', holder.id).executeTakeFirstOrThrow();
  const trades = writes.trades.map((rows) => ({ ...rows, trade: { ...rows.trade, symbol, direction, ...given } }));
  const step: Step = { holder: { ...holder, updatedAt }, mode, writes: { ...writes, trades } };
  return { step, apiKeyId: key, botId: holder.id, tradeId: trades[0]?.trade.id ?? '', orderId: writes.entries?.[0]?.clientOrderId ?? '' };
}
type Entering = Awaited<ReturnType<typeof entering>>;

/** The same step of its bot as it is now. */
async function renewed(of: Entering): Promise<Entering> {
  const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', of.botId).executeTakeFirstOrThrow();
  return { ...of, step: { ...of.step, holder: { ...of.step.holder, updatedAt } } };
}

const write = ({ step }: Entering, on = db): Promise<void> => writeStep(on, step.holder, step.mode, step.writes);
const send = ({ step, orderId }: Entering): Promise<SendPermit> =>
  markSent(db, { holder: step.holder, clientOrderId: orderId, isEntry: true, expiryMs: 2_000 });
const tradesOf = async ({ botId }: Entering): Promise<number> =>
  (await db.selectFrom('trades').select('id').where('botId', '=', botId).execute()).length;
const end = async ({ tradeId }: Entering, status: 'closed' | 'cancelled', ...orderStates: OrderState[]): Promise<void> => {
  await sql`update trades set status = ${status}, closed_at = now() where id = ${tradeId}`.execute(db);
  for (const state of orderStates) await sql`update orders set status = ${state} where trade_id = ${tradeId}`.execute(db);
};

beforeEach(async () => {
  await sql`truncate trades, api_keys cascade`.execute(db);
  await sql`delete from bots`.execute(db);
});

describe('an entry in a perpetual that another bot of the account holds the other way', () => {
  test.each([
    ['long', 'short'],
    ['short', 'long'],
  ] as const)('is refused while the trade or its entry is there: first %s, then %s', async (held, wanted) => {
    const holding = await entering(held);
    await write(holding);
    const opposed = await entering(wanted, holding);
    const failure = await write(opposed).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Opposed);
    expect(failure).toMatchObject({ gate: 'opposite-position' });
    expect(await tradesOf(opposed)).toBe(0);
    await end(holding, 'closed', 'sent', 'open', 'filled');
    await write(opposed);
    expect(await send(opposed)).toMatchObject({ kind: 'sent' });
  });

  test('is refused also where the other bot was stopped and archived with its trade', async () => {
    const holding = await entering('long');
    await write(holding);
    await sql`update bots set status = 'stopped', archived_at = now() where id = ${holding.botId}`.execute(db);
    const opposed = await entering('short', holding);
    await expect(write(opposed)).rejects.toThrow(Opposed);
  });

  test('is refused while an entry of a trade that is over may still be filled', async () => {
    const former = await entering('long');
    await write(former);
    await end(former, 'cancelled', 'sent', 'unknown');
    const opposed = await entering('short', former);
    await expect(write(opposed)).rejects.toThrow(Opposed);
    await end(former, 'cancelled', 'open', 'cancelled');
    await write(opposed);
  });

  test('is refused while an entry of a trade that is over is being cancelled: it may be filled first', async () => {
    const former = await entering('long');
    await write(former);
    await end(former, 'closed', 'sent', 'open', 'cancel-pending');
    const opposed = await entering('short', former);
    await expect(write(opposed)).rejects.toThrow(Opposed);
    await end(former, 'closed', 'cancelled');
    await write(opposed);
  });

  test.each([
    ['long', 'short', 'buy', '1'],
    ['short', 'long', 'sell', '-1'],
  ] as const)(
    'OP-85 is refused while what the other bot has is known by an order without a record only: %s, then %s',
    async (_held, wanted, side, net) => {
      const other = await entering('long');
      const account = { apiKeyId: other.apiKeyId, marketType: 'futures' };
      const lost = { botId: other.botId, symbol, type: 'market', state: 'filled', requested: 1, filled: 1, price: null } as const;
      await noteUnrecorded(db, account, [
        { ...lost, clientOrderId: 'lost', exchangeOrderId: '1', side, net, averagePrice: '100', feeQuote: '0', madeAt: now },
      ]);
      const opposed = await entering(wanted, other);
      await expect(write(opposed)).rejects.toThrow(Opposed);
      await endDifference(db, other.botId, symbol); // a person has decided
      await write(opposed);
      expect(await send(opposed)).toMatchObject({ kind: 'sent' });
    },
  );

  test('OP-85 is not refused on the side of a trade that an order without a record has left', async () => {
    const other = await entering('long');
    await write(other);
    await sql`update trades set amount = 1, entry_price = 100 where id = ${other.tradeId}`.execute(db);
    await sql`update orders set status = 'open' where trade_id = ${other.tradeId} and status = 'sent'`.execute(db);
    const account = { apiKeyId: other.apiKeyId, marketType: 'futures' };
    const lost = { botId: other.botId, symbol, type: 'market', state: 'filled', requested: 1, filled: 1, price: null } as const;
    await noteUnrecorded(db, account, [
      { ...lost, clientOrderId: 'lost', exchangeOrderId: '1', side: 'sell', net: '-1', averagePrice: '100', feeQuote: '0', madeAt: now },
    ]);
    const second = await entering('long', other);
    await write(second); // the position is gone, and no short one
    expect(await tradesOf(second)).toBe(1);
  });

  test('is refused while the other bot is to take over a holding', async () => {
    const other = await entering('long');
    const holding = { direction: 'long', amount: 1, price: 100, fee: 0 } as const;
    await askToAdopt(db, { botId: other.botId, symbol }, holding, { closes: false, now });
    const opposed = await entering('short', other);
    await expect(write(opposed)).rejects.toThrow(Opposed);
    await sql`update adopted_holdings set done_at = now()`.execute(db);
    await write(opposed);
  });

  test('is known before anything is set for it at the exchange, as is what else forbids it', async () => {
    const one = await entering('long');
    await write(one);
    const refusal = () => entryRefusal(db, one.botId, one.orderId);
    expect(await refusal()).toBeNull();
    const other = await entering('short');
    await askToAdopt(db, { botId: other.botId, symbol }, { direction: 'short', amount: 1, price: 100, fee: 0 }, { closes: false, now });
    expect(await refusal()).toBeNull(); // of another account
    await sql`update bots set api_key_id = ${one.apiKeyId} where id = ${other.botId}`.execute(db);
    expect(await refusal()).toEqual({ kind: 'opposed', why: expect.stringContaining('in the opposite direction') as string });
    await sql`update adopted_holdings set done_at = now()`.execute(db);
    expect(await refusal()).toBeNull();
    await setSwitch(db, { level: 'bot', id: one.botId }, { state: 'reducing', setBy: null, isImposed: false, reason: 'difference' });
    expect(await refusal()).toEqual({ kind: 'forbidden' });
    await setSwitch(db, { level: 'bot', id: one.botId }, { state: 'active', setBy: null, isImposed: false });
    await sql`insert into pair_locks (level, bot_id, pair, direction, reason, ends_at)
      values ('bot', ${one.botId}, 'BTC', 'long', 'too wild', now() + interval '1 day')`.execute(db);
    expect(await refusal()).toEqual({ kind: 'forbidden' });
  });

  test('is not sent either where both are there already: neither makes it worse', async () => {
    const one = await entering('long');
    await write(one);
    const other = await entering('short'); // with a key of its own
    await write(other);
    await sql`alter table bots disable trigger bots_account`.execute(db);
    await sql`update bots set api_key_id = ${one.apiKeyId} where id = ${other.botId}`.execute(db);
    await sql`alter table bots enable trigger bots_account`.execute(db);
    expect([await send(one), await send(other)]).toEqual(
      ['long', 'short'].map(() => ({ kind: 'opposed', why: expect.stringContaining('in the opposite direction') as string })),
    );
  });

  test.each([
    ['in the same direction', 'long', {}, {}],
    ['in another perpetual', 'short', {}, { symbol: 'ETH/USDT:USDT' }],
  ] as const)('is another matter %s', async (_, direction, account, given) => {
    const holding = await entering('long');
    await write(holding);
    const other = await entering(direction, { apiKeyId: holding.apiKeyId, ...account }, given);
    await write(other);
    expect(await send(other)).toMatchObject({ kind: 'sent' });
  });

  test.each([
    ['long', -20],
    ['short', 20],
  ] as const)(
    'OP-85 is refused also where that belongs to no bot, because people have decided to ignore it: %s',
    async (direction, amount) => {
      const opposed = await entering(direction);
      await sql`insert into ignored_holdings (api_key_id, market_type, symbol, amount)
        values (${opposed.apiKeyId}, 'futures', ${symbol}, ${amount})`.execute(db);
      await expect(write(opposed)).rejects.toThrow(Opposed);
      // It is in the way of no other market, perpetual, direction or account.
      await sql`update ignored_holdings set symbol = 'ETH/USDT:USDT'`.execute(db);
      await write(opposed);
      await sql`update ignored_holdings set symbol = ${symbol}, market_type = 'spot'`.execute(db);
      expect(await entryRefusal(db, opposed.botId, opposed.orderId)).toBeNull();
      await sql`update ignored_holdings set market_type = 'futures', amount = -amount`.execute(db);
      expect(await entryRefusal(db, opposed.botId, opposed.orderId)).toBeNull();
      await sql`update ignored_holdings set amount = -amount`.execute(db);
      expect(await send(opposed)).toMatchObject({ kind: 'opposed' });
      await end(opposed, 'cancelled', 'cancelled');
      await write(await entering(direction));
    },
  );

  test.each([
    ['long', -20],
    ['short', 20],
  ] as const)(
    'OP-85 is refused also where that was found and nobody has decided about it, with whichever bot: %s',
    async (direction, actual) => {
      const finder = await entering(direction);
      const opposed = await entering(direction, finder);
      await noteDifference(db, { botId: finder.botId, symbol, expected: 0, actual });
      await sql`delete from trading_states`.execute(db); // a person lets it enter again
      for (const each of [opposed, finder]) await expect(write(await renewed(each))).rejects.toThrow(Opposed);
      await sql`update differences set actual = -actual`.execute(db);
      await write(await renewed(opposed));
      await sql`update differences set actual = -actual`.execute(db);
      expect(await send(opposed)).toMatchObject({ kind: 'opposed' });
      await sql`update differences set ended_at = now(), outcome = 'gone'`.execute(db);
      expect(await entryRefusal(db, opposed.botId, opposed.orderId)).toBeNull();
      // What is in the way in one account is not in another.
      await noteDifference(db, { botId: finder.botId, symbol, expected: 0, actual });
      const elsewhere = await entering(direction);
      await write(elsewhere);
      expect(await send(elsewhere)).toMatchObject({ kind: 'sent' });
    },
  );

  test('is another matter with another key', async () => {
    await write(await entering('long'));
    const other = await entering('short');
    await write(other);
    expect(await send(other)).toMatchObject({ kind: 'sent' });
  });

  test('of two at once exactly one is made; the other has waited for it', async () => {
    const one = await entering('long');
    const other = await entering('short', one);
    const second = await meets(
      (trx) => write(one, trx),
      () => write(other),
    );
    expect(second).toEqual({ hasWaited: true, error: expect.any(Opposed) as Opposed });
    expect([await tradesOf(one), await tradesOf(other)]).toEqual([1, 0]);
    expect(await send(one)).toMatchObject({ kind: 'sent' });
  });

  test('of two that are written together none is: each is tried alone then', async () => {
    const one = await entering('long');
    const other = await entering('short', one);
    expect([...(await writeStepsTogether(db, [one.step, other.step]).catch(() => []))]).toEqual([]);
    await write(one);
    await expect(write(other)).rejects.toThrow(Opposed);
  });
});

describe('an entry in a perpetual that another bot of the account holds with another leverage', () => {
  test('is refused while the trade or its entry is there: the position would have it, too', async () => {
    const holding = await entering('long', {}, { leverage: 3 });
    await write(holding);
    const other = await entering('long', holding, { leverage: 5 });
    const failure = await write(other).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OtherLeverage);
    expect(failure).toMatchObject({ gate: 'other-leverage', message: expect.stringContaining('with another leverage') as string });
    expect(await tradesOf(other)).toBe(0);
    await end(holding, 'closed', 'sent', 'open', 'filled');
    await write(other);
    expect(await send(other)).toMatchObject({ kind: 'sent' });
  });

  test('is refused while an entry of a trade that is over may still be filled', async () => {
    const former = await entering('short', {}, { leverage: 3 });
    await write(former);
    await end(former, 'cancelled', 'sent', 'unknown');
    await expect(write(await entering('short', former, { leverage: 5 }))).rejects.toThrow(OtherLeverage);
  });

  test('is called the opposite where it is that, too; with the same leverage, with another key and in another perpetual it is made', async () => {
    const holding = await entering('long', {}, { leverage: 3 });
    await write(holding);
    await expect(write(await entering('short', holding, { leverage: 5 }))).rejects.toThrow(Opposed);
    for (const [account, given] of [
      [holding, { leverage: 3 }],
      [{}, { leverage: 5 }],
      [holding, { leverage: 5, symbol: 'ETH/USDT:USDT' }],
    ] as const)
      await write(await entering('long', account, given));
  });

  test('or margin mode is refused, too, and so is one where the other bot is to take over a holding with its own', async () => {
    const holding = await entering('long', {}, { leverage: 3 });
    const cross = await entering('long', holding, { leverage: 3 });
    await sql`update bots set leverage_mode = 'cross' where id = ${cross.botId}`.execute(db);
    await write(holding);
    await expect(write(await renewed(cross))).rejects.toThrow(OtherLeverage);
    await end(holding, 'closed', 'sent', 'open', 'filled');
    await sql`update bots set leverage_mode = 'isolated' where id = ${cross.botId}`.execute(db);
    const found = { direction: 'long', amount: 1, price: 100, fee: 0 } as const;
    await askToAdopt(db, { botId: holding.botId, symbol }, found, { closes: false, now }); // with leverage 10, as its bot is set
    await expect(write(await renewed(cross))).rejects.toThrow(OtherLeverage);
    await sql`update bots set leverage = 3 where id = ${holding.botId}`.execute(db);
    await write(await renewed(cross));
  });

  test('or margin mode is that of the position, whatever the other bot was set to since', async () => {
    const holding = await entering('long', {}, { leverage: 3, engineState: '{"marginMode": "isolated"}' });
    await write(holding);
    await sql`update bots set leverage_mode = 'cross' where id = ${holding.botId}`.execute(db);
    const cross = await entering('long', holding, { leverage: 3 });
    await sql`update bots set leverage_mode = 'cross' where id = ${cross.botId}`.execute(db);
    await expect(write(await renewed(cross))).rejects.toThrow(OtherLeverage);
    await write(await entering('long', holding, { leverage: 3 })); // isolated, as the position is
    // A further entry of a trade has its own, though its bot is set to another mode since.
    expect((await readOrders(db, holding.botId, [], { now: Date.now, pace: 1 })).map(({ marginMode }) => marginMode)).toEqual(['isolated']);
  });

  test('is another matter on spot, where the mode means nothing', async () => {
    const holding = await entering('long', { marketType: 'spot' });
    await write(holding);
    await sql`update bots set leverage_mode = 'cross' where id = ${holding.botId}`.execute(db);
    const other = await entering('long', { ...holding, marketType: 'spot' });
    await write(other);
    expect(await send(other)).toMatchObject({ kind: 'sent' });
    expect(await entryRefusal(db, other.botId, other.orderId)).toBeNull();
  });

  test('is refused beside what orders without a record have left there, with the leverage of their bot', async () => {
    const other = await entering('long');
    await sql`update bots set leverage = 3 where id = ${other.botId}`.execute(db);
    const lost = { botId: other.botId, symbol, type: 'market', state: 'filled', requested: 1, filled: 1, price: null } as const;
    await noteUnrecorded(db, { apiKeyId: other.apiKeyId, marketType: 'futures' }, [
      { ...lost, clientOrderId: 'lost', exchangeOrderId: '1', side: 'buy', net: '1', averagePrice: '100', feeQuote: '0', madeAt: now },
    ]);
    await expect(write(await entering('long', other, { leverage: 5 }))).rejects.toThrow(OtherLeverage);
    await write(await entering('long', other, { leverage: 3 }));
  });

  test('is not sent either', async () => {
    const one = await entering('long', {}, { leverage: 3 });
    await write(one);
    const other = await entering('long', {}, { leverage: 5 }); // with a key of its own
    await write(other);
    await sql`alter table bots disable trigger bots_account`.execute(db);
    await sql`update bots set api_key_id = ${one.apiKeyId} where id = ${other.botId}`.execute(db);
    await sql`alter table bots enable trigger bots_account`.execute(db);
    expect(await send(other)).toEqual({ kind: 'opposed', why: expect.stringContaining('with another leverage') as string });
  });
});

test('the bots of the account are looked up by their key, and not among all bots: other entries wait meanwhile', async () => {
  const one = await entering('long');
  const columns = await sql<{ list: string }>`
    select string_agg(quote_ident(column_name), ', ') as list from information_schema.columns
    where table_name = 'bots' and column_name not in ('id', 'nickname', 'api_key_id', 'mode') and is_generated = 'NEVER'`.execute(db);
  const list = sql.raw(columns.rows[0]?.list ?? '');
  await sql`insert into bots (nickname, mode, ${list}) select 'many ' || n, 'paper', ${list} from bots, generate_series(1, 5000) n where id = ${one.botId}`.execute(
    db,
  );
  await sql`analyze bots`.execute(db);
  const plan = await sql<Record<string, string>>`explain ${opposedAmong([one.orderId])}`.execute(db);
  const lines = plan.rows.flatMap((line) => Object.values(line));
  expect(lines.filter((line) => line.includes('on bots c'))).toEqual(Array(4).fill(expect.stringContaining('using bots_api_key'))); // for other bots and for what belongs to none, where it is asked, and what it is
});
