import { addPnlSnapshots } from '#storage/bots/pnl-snapshots.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import type { TradeRow } from '#storage/trades/trade-writes.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let owner: Person;
let others: Person[];
let botId = '';
const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute));
const add = async (id: string, given: Partial<TradeRow> = {}) => {
  const row = aTradeRow(id, given);
  await db
    .insertInto('trades')
    .values({ ...row, engineState: JSON.stringify(row.engineState), stopMoves: '[]' })
    .execute();
  return row.id;
};

beforeAll(async () => {
  admin = await server.signedIn('admin');
  owner = await server.signedIn('trader');
  others = [await server.signedIn('trader'), await server.signedIn('operator'), await server.signedIn('investor')];
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email });
});

describe('the trades of a bot', () => {
  test('API-37, DATA-24, OP-38, OP-70 are all of its current mode, newest first; what is open has no profit yet', async () => {
    const open = await add(botId, { symbol: 'ETH/USDT', openedAt: at(3), amount: '0.123456789012345678', entryPrice: '100.5' });
    const short = await add(botId, {
      symbol: 'BTC/USDT',
      direction: 'short',
      status: 'closed',
      openedAt: at(1),
      closedAt: at(2),
      exitPrice: '90.25',
      profit: '-12.345',
    });
    await sql`update trades set note = 'too early' where id = ${short}`.execute(db);
    await add(botId, { mode: 'live', status: 'closed', openedAt: at(9), closedAt: at(10), profit: '1' });
    await add(botId, { status: 'cancelled', openedAt: at(0), entryPrice: null });
    for (const person of [owner, admin]) {
      const trades = await person.botTrades({ params: { id: botId } });
      expect(trades.map(({ status }) => status)).toEqual(['open', 'closed', 'cancelled']);
      expect(trades[0]).toEqual({
        trade_id: open,
        symbol: 'ETH/USDT',
        side: 'buy',
        entry_price: 100.5,
        exit_price: null,
        volume: 0.12345678901234568,
        pnl: null,
        entry_time: '2026-03-01T12:03:00.000Z',
        exit_time: null,
        status: 'open',
        note: null,
        pnl_ratio: null,
        exit_reason: null,
        price_tick: null,
        imported_from: null,
      });
      expect(trades[1]).toMatchObject({ side: 'sell', exit_price: 90.25, pnl: -12.345, exit_time: at(2).toISOString(), note: 'too early' });
      expect(trades[2]).toMatchObject({ entry_price: null, pnl: null });
    }
    await sql`update bots set mode = 'live', exchange_id = 'binance' where id = ${botId}`.execute(db);
    expect(await owner.botTrades({ params: { id: botId } })).toHaveLength(1);
    await sql`update bots set mode = 'paper', exchange_id = 'sandbox' where id = ${botId}`.execute(db);
  });

  test('API-37, API-38 are for its owner and admins', async () => {
    for (const person of others) {
      expect((await failure(person.botTrades({ params: { id: botId } }))).message).toBe('403 You do not have access to this bot');
      expect((await failure(person.botPnl({ params: { id: botId } }))).message).toBe('403 You do not have access to this bot');
    }
    const missing = '00000000-0000-4000-8000-00000000dead';
    expect((await failure(owner.botTrades({ params: { id: missing } }))).message).toBe('404 Bot not found');
    expect((await failure(owner.botPnl({ params: { id: missing } }))).message).toBe('404 Bot not found');
  });

  test('OP-38 at most the newest thousand', async () => {
    const many = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email });
    await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
      select gen_random_uuid(), ${many}, 'BTC/USDT', 'long', 'paper', 'closed', ${at(0)}::timestamptz + n * interval '1 minute', now(), 1, 1, 1, 1
      from generate_series(0, 1000) n`.execute(db);
    const trades = await owner.botTrades({ params: { id: many } });
    expect([trades.length, trades.at(-1)?.entry_time]).toEqual([1000, at(1).toISOString()]);
    await sql`delete from trades where bot_id = ${many}`.execute(db);
  });
});

test('API-38, DATA-25, OP-72 the balances of a bot, newest first, in its current mode; none without a snapshot', async () => {
  expect(await owner.botPnl({ params: { id: botId } })).toEqual([]);
  const earlier = (minutes: number) => new Date(Math.floor(Date.now() / 60_000 - minutes) * 60_000);
  const figures = {
    netPnlPct: '3.5',
    unrealizedPnl: '1',
    realizedPnl: '9.5',
    totalFees: '0.25',
    winRate: '0.625',
    currentBalance: '309.5',
  };
  await addPnlSnapshots(db, [
    { botId, mode: 'paper', takenAt: earlier(9), netPnl: '10.5', ...figures },
    { botId, mode: 'paper', takenAt: earlier(5), netPnl: '-2', ...figures },
    { botId, mode: 'testnet', takenAt: earlier(2), netPnl: '7', ...figures },
  ]);
  const snapshots = await owner.botPnl({ params: { id: botId } });
  expect(snapshots.map(({ net_pnl }) => net_pnl)).toEqual([-2, 10.5]);
  expect(new Date(snapshots[1]?.timestamp ?? '').getTime()).toBeLessThan(new Date(snapshots[0]?.timestamp ?? '').getTime());
  expect(snapshots[1]).toEqual({
    timestamp: snapshots[1]?.timestamp,
    net_pnl: 10.5,
    net_pnl_pct: 3.5,
    unrealized_pnl: 1,
    realized_pnl: 9.5,
    total_fees: 0.25,
    win_rate: 0.625,
    current_balance: 309.5,
  });
});

describe('the trades of all bots', () => {
  test('API-48, DATA-31, OP-66, PAPER-09 with their outcome and note, newest first, in one mode or in all', async () => {
    await sql`delete from trades`.execute(db);
    const closed = { status: 'closed', closedAt: at(50) } as const;
    await add(botId, { ...closed, openedAt: at(1), profit: '5', confidence: '0.75' });
    await add(botId, { ...closed, openedAt: at(2), profit: '-5', direction: 'short' });
    await add(botId, { ...closed, openedAt: at(3), profit: '0' });
    await add(botId, { openedAt: at(4) });
    await add(botId, { openedAt: at(5), mode: 'testnet' });
    const paper = await admin.listTrades({ query: { mode: 'paper' } });
    expect(paper.map(({ outcome, pnl, direction }) => [outcome, pnl, direction])).toEqual([
      ['neutral', null, 'long'],
      ['neutral', 0, 'long'],
      ['loss', -5, 'short'],
      ['win', 5, 'long'],
    ]);
    expect(paper.at(-1)).toMatchObject({ bot_id: botId, confidence: 0.75, comment: null, mode: 'paper', timestamp: at(1).toISOString() });
    expect((await admin.listTrades({ query: {} })).map(({ mode }) => mode)).toEqual(['testnet', 'paper', 'paper', 'paper', 'paper']);
    expect((await failure(admin.listTrades({ query: { mode: 'real' as never } }))).message).toBe('400 Mode must be paper, live or testnet');
  });

  test('API-49, ROLE-07, VALID-46, OP-66 a note is set by an admin, shown in both tables, replaced, emptied and in the audit log', async () => {
    const id = await add(botId, { openedAt: at(6) });
    const noteOf = async () => {
      const inReview = (await admin.listTrades({ query: { mode: 'paper' } })).find(({ trade_id }) => trade_id === id)?.comment;
      const inBot = (await owner.botTrades({ params: { id: botId } })).find(({ trade_id }) => trade_id === id)?.note;
      expect(inReview).toEqual(inBot);
      return inBot;
    };
    const set = (note: string, person = admin) => person.addTradeNote({ params: { id }, body: { note } });
    const odd = '=HYPERLINK("x") <b>ß</b> 𝄞\n{{ }} %s';
    expect(await set(odd)).toEqual({ trade_id: id, note: odd });
    expect(await noteOf()).toBe(odd);
    await set('');
    expect(await noteOf()).toBeNull();
    for (const person of [owner, ...others])
      expect((await failure(set('mine', person))).message).toBe('403 Only admins can save trade notes');
    expect(await noteOf()).toBeNull();
    expect((await failure(set('x'.repeat(2001)))).message).toBe('400 Note must be at most 2000 characters');
    await set('x'.repeat(2000));
    expect((await failure(admin.addTradeNote({ params: { id: botId }, body: { note: 'x' } }))).message).toBe('404 Trade not found');
    const { lines } = await listAudit(db, { action: 'trade-note' }, 10);
    expect(lines.map(({ target, actorId }) => [target, actorId])).toEqual(Array.from({ length: 3 }, () => [id, admin.userId]));
  });
});
