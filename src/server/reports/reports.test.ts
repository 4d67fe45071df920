import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let other: Person;
let botId = '';
const noData = '404 No report data available for the date.';
const add = (
  closedAt: string,
  profit: number,
  sets: { id?: string; entry?: number; first?: number | null; stop?: number; confidence?: number; mode?: string; symbol?: string } = {},
) =>
  sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit, entry_price, initial_stop_price, stop_price, confidence)
    values (gen_random_uuid(), ${sets.id ?? botId}, ${sets.symbol ?? 'BTC/USDT'}, 'long', ${sets.mode ?? 'paper'}, 'closed', '2026-03-01', ${closedAt}, 1, 1, 1, ${String(profit)},
      ${sets.entry ?? 100}, ${sets.first ?? null}, ${sets.stop ?? null}, ${sets.confidence ?? null})`.execute(db);

beforeAll(async () => {
  owner = await server.signedIn('trader');
  other = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email });
});

test('API-50, DATA-30, OP-64, OP-70 the trades of a UTC day, from midnight to before the next, in all modes', async () => {
  await add('2026-03-09T23:59:59.999Z', 1000);
  await add('2026-03-10T00:00:00Z', 10, { first: 90, stop: 99, confidence: 0.5 });
  await add('2026-03-10T08:00:00Z', -30, { first: 95, mode: 'live' });
  await add('2026-03-10T09:00:00Z', 5, { stop: 80, confidence: 0.75 });
  await add('2026-03-10T23:59:59.999Z', -1);
  await add('2026-03-11T00:00:00Z', 1000);
  for (const person of [owner, await server.signedIn('admin'), await server.signedIn('operator'), await server.signedIn('investor')]) {
    const report = await person.report({ params: { id: '2026-03-10' } });
    expect(report).toEqual({
      total_trades: 4,
      net_pnl: -16,
      win_rate: 0.5,
      max_drawdown: 30,
      avg_stop_size: expect.closeTo((10 + 5 + 20) / 3, 10),
      leaves_out: false,
      average_confidence: 0.625,
    });
  }
});

test('OP-64 a day without a trade of a visible bot has no report', async () => {
  expect((await failure(owner.report({ params: { id: '2026-03-12' } }))).message).toBe(noData);
  expect((await failure(other.report({ params: { id: '2026-03-10' } }))).message).toBe(noData);
  for (const id of ['2026-02-30', '0000-01-01', '0000-12-31']) {
    expect((await failure(owner.report({ params: { id } }))).message, id).toBe('400 Invalid date');
    expect((await failure(owner.reportTrades({ params: { id } }))).message, id).toBe('400 Invalid date');
  }
  expect((await failure(owner.report({ params: { id: '0001-01-01' } }))).message).toBe(noData);
});

test('of many files that one person asks for at once some wait for each other, and the rest are refused', async () => {
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = () => server.app.inject({ url: '/api/reports/2026-03-10/pdf', headers: { host: 'localhost:3000', cookie } });
  const statuses = (await Promise.all(Array.from({ length: 20 }, ask))).map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect((await ask()).statusCode).toBe(200);
});

test('REP-06 a trade is listed in the currency it was settled in, whatever its bot stakes by now', async () => {
  const id = await addTestBot(db, { strategy: 'RsiReversal', owner: other.email });
  await sql`update bots set stake_currency = 'BTC' where id = ${id}`.execute(db);
  await add('2026-04-02T10:00:00Z', 12.3, { id });
  expect(await other.report({ params: { id: '2026-04-02' } })).toMatchObject({ total_trades: 1, net_pnl: 12.3 });
  const { trades } = await other.reportTrades({ params: { id: '2026-04-02' } });
  expect(trades).toMatchObject([{ pnl: 12.3, stake_currency: 'USDT' }]);
});

test('REP-06 without a confidence there is none, without a stop its size is 0, and other currencies are no dollars', async () => {
  const inBitcoin = await addTestBot(db, { strategy: 'RsiReversal', owner: other.email });
  await sql`update bots set stake_currency = 'BTC' where id = ${inBitcoin}`.execute(db);
  await add('2026-04-01T10:00:00Z', 0.5, { id: inBitcoin, symbol: 'ETH/BTC' });
  expect(await other.report({ params: { id: '2026-04-01' } })).toEqual({
    total_trades: 1,
    net_pnl: 0,
    win_rate: 1,
    max_drawdown: 0,
    avg_stop_size: 0,
    leaves_out: true,
  });
});

test('REP-06, OP-70 a day says that it leaves out amounts in other currencies, whatever its bots stake by now, in each mode by itself', async () => {
  const id = await addTestBot(db, { strategy: 'RsiReversal', owner: other.email }); // it stakes dollars again
  await add('2026-04-05T10:00:00Z', -0.2, { id, symbol: 'ETH/BTC', mode: 'live' });
  await add('2026-04-05T11:00:00Z', 5, { id });
  await sql`update bots set status = 'stopped', archived_at = now() where id = ${id}`.execute(db);
  const day = { params: { id: '2026-04-05' } };
  expect(await other.report(day)).toMatchObject({ total_trades: 2, net_pnl: 5, leaves_out: true });
  const { modes } = await other.reportTrades(day);
  expect(modes.map(({ mode, figures }) => [mode, figures.net_pnl, figures.leaves_out])).toEqual([
    ['live', 0, true],
    ['paper', 5, false],
  ]);
});

test('REP-06 a trade that came to nothing was not won', async () => {
  const id = await addTestBot(db, { strategy: 'RsiReversal', owner: other.email });
  await add('2026-04-04T10:00:00Z', 0, { id });
  await add('2026-04-04T11:00:00Z', 5, { id });
  expect(await other.report({ params: { id: '2026-04-04' } })).toMatchObject({ total_trades: 2, net_pnl: 5, win_rate: 0.5 });
});

test('ADD-report-trades what was settled in another currency is listed in it, and is not a dollar in the curve', async () => {
  const id = await addTestBot(db, { strategy: 'RsiReversal', owner: other.email });
  await add('2026-04-03T10:00:00Z', 12, { id });
  await add('2026-04-03T11:00:00Z', 0.5, { id, symbol: 'ETH/BTC' });
  const { modes, trades } = await other.reportTrades({ params: { id: '2026-04-03' } });
  expect(modes).toMatchObject([
    { figures: { total_trades: 2, net_pnl: 12 }, curve: [{ time: Date.parse('2026-04-03T10:00:00Z'), pnl: 12 }] },
  ]);
  expect(trades.map(({ pnl, stake_currency: currency }) => [pnl, currency])).toEqual([
    [0.5, 'BTC'],
    [12, 'USDT'],
  ]);
});

test('API-51, OP-64, OP-65, REP-04 the same day as a PDF file, with its type and name; a day without trades has none', async () => {
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = (day: string, headers: Record<string, string> = { cookie }) =>
    server.app.inject({
      method: 'GET',
      url: `/api/reports/${day}/pdf`,
      headers: { host: 'localhost:3000', 'accept-encoding': 'gzip', ...headers },
    });
  const reply = await ask('2026-03-10');
  expect(reply.statusCode).toBe(200);
  expect(reply.headers['content-type']).toBe('application/pdf');
  expect(reply.headers['content-disposition']).toBe('attachment; filename="report_2026-03-10.pdf"');
  expect(reply.headers['content-encoding']).toBeUndefined();
  expect(reply.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
  expect(reply.rawPayload.toString('latin1')).toMatch(/%%EOF\s*$/u);
  const none = await ask('2026-03-12');
  expect([none.statusCode, none.json()]).toEqual([404, { detail: 'No report data available for the date.' }]);
  expect((await ask('2026-02-30')).json()).toEqual({ detail: 'Invalid date' });
  const stranger = [...other.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  expect((await ask('2026-03-10', { cookie: stranger })).statusCode).toBe(404);
  expect((await ask('2026-03-10', {})).statusCode).toBe(401);
});

test('ADD-report-trades the day by mode, real money first, and its trades one by one, newest first', async () => {
  const { modes, trades } = await owner.reportTrades({ params: { id: '2026-03-10' } });
  expect(modes).toEqual([
    {
      mode: 'live',
      figures: {
        total_trades: 1,
        net_pnl: -30,
        win_rate: 0,
        max_drawdown: 30,
        avg_stop_size: expect.closeTo(5, 10),
        leaves_out: false,
      },
      curve: [{ time: Date.parse('2026-03-10T08:00:00Z'), pnl: -30 }],
    },
    {
      mode: 'paper',
      figures: {
        total_trades: 3,
        net_pnl: 14,
        win_rate: expect.closeTo(2 / 3, 10),
        max_drawdown: 1,
        avg_stop_size: expect.closeTo(15, 10),
        leaves_out: false,
        average_confidence: 0.625,
      },
      curve: [
        { time: Date.parse('2026-03-10T00:00:00Z'), pnl: 10 },
        { time: Date.parse('2026-03-10T09:00:00Z'), pnl: 15 },
        { time: Date.parse('2026-03-10T23:59:59.999Z'), pnl: 14 },
      ],
    },
  ]);
  expect(trades.map(({ closed_at, mode, pnl }) => [closed_at, mode, pnl])).toEqual([
    ['2026-03-10T23:59:59.999Z', 'paper', -1],
    ['2026-03-10T09:00:00.000Z', 'paper', 5],
    ['2026-03-10T08:00:00.000Z', 'live', -30],
    ['2026-03-10T00:00:00.000Z', 'paper', 10],
  ]);
  expect(trades[0]).toMatchObject({ symbol: 'BTC/USDT', direction: 'long', entry_price: 100, exit_price: null, stake_currency: 'USDT' });
  expect((await failure(other.reportTrades({ params: { id: '2026-03-10' } }))).message).toBe(noData);
  expect((await failure(owner.reportTrades({ params: { id: '2026-02-30' } }))).message).toBe('400 Invalid date');
});

test('ADD-report-trades of a day with thousands of trades the newest thousand are listed, the figures are of all, the curve is thinned', async () => {
  const busy = await server.signedIn('trader');
  const id = await addTestBot(db, { strategy: 'RsiReversal', owner: busy.email });
  await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit, entry_price)
    select gen_random_uuid(), ${id}, 'BTC/USDT', 'long', 'paper', 'closed', '2026-03-01', timestamptz '2026-05-02 00:00Z' + n * interval '10 seconds', 1, 1, 1, 1, 100
    from generate_series(1, 2500) n`.execute(db);
  const { modes, trades } = await busy.reportTrades({ params: { id: '2026-05-02' } });
  expect(trades).toHaveLength(1_000);
  expect(trades.at(-1)?.closed_at).toBe(new Date(Date.parse('2026-05-02') + 1_501 * 10_000).toISOString());
  expect(modes.map(({ figures }) => figures.total_trades)).toEqual([2_500]);
  expect(modes[0]?.curve.length).toBeLessThanOrEqual(1_000);
  expect(modes[0]?.curve.at(-1)).toEqual({ time: Date.parse('2026-05-02') + 2_500 * 10_000, pnl: 2_500 });
});
