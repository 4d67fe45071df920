import { fromText, plus, toText, zero } from '#engine/market/decimal.ts';
import { type BotSettings, botSettingsOf, changeBotSettings } from '#storage/bots/bot-settings.ts';
import { findBot } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { linesOf } from '../../../test/support/pdf-lines.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

let now = new Date('2026-11-30T23:55:00Z');
const server = await startTestServer({ now: () => now });
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let other: Person;
let admin: Person;
let operator: Person;
let investor: Person;
let botId = '';
let otherBot = '';

interface Closed {
  bot?: string;
  mode?: string;
  symbol?: string;
  fees?: string;
  funding?: string;
  tag?: string | null;
  reason?: string | null;
  version?: number | null;
  on?: Database;
}
const close = (closedAt: string, profit: string, of: Closed = {}) =>
  sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit, fees, funding, entry_price,
      exit_price, entry_tag, exit_reason, strategy_version)
    values (gen_random_uuid(), ${of.bot ?? botId}, ${of.symbol ?? 'BTC/USDT'}, 'long', ${of.mode ?? 'paper'}, 'closed',
      ${closedAt}::timestamptz - interval '1 hour', ${closedAt}, 1, 100, 1, ${profit}, ${of.fees ?? '0'}, ${of.funding ?? '0'}, 100, 101,
      ${of.tag ?? null}, ${of.reason ?? null}, ${of.version ?? null})`.execute(of.on ?? db);

beforeAll(async () => {
  owner = await server.signedIn('trader');
  other = await server.signedIn('trader');
  admin = await server.signedIn('admin');
  operator = await server.signedIn('operator');
  investor = await server.signedIn('investor');
  botId = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'Dip Buyer', owner: owner.email });
  otherBot = await addTestBot(db, { strategy: 'EmaCross', nickname: 'Cross', owner: other.email });
});
beforeEach(async () => {
  now = new Date('2026-11-30T23:55:00Z');
  await sql`truncate trades cascade`.execute(db);
  await sql`delete from bot_vitals`.execute(db);
  await sql`update bots set mode = 'paper', api_key_id = null`.execute(db);
});

describe('GET /profits', () => {
  test('OP-05 counts the bots that the caller sees: traders their own, the others all', async () => {
    await close('2026-11-03T10:00:00Z', '5');
    await close('2026-11-04T10:00:00Z', '-2', { bot: otherBot });
    const profitFor = async (person: Person) => (await person.profits({ query: {} })).ledgers.map(({ figures }) => figures.profit);
    expect(await Promise.all([owner, other, admin, operator, investor].map(profitFor))).toEqual([['5'], ['-2'], ['3'], ['3'], ['3']]);
    expect((await failure(server.browser().profits({ query: {} }))).status).toBe(401);
  });

  test('keeps modes and currencies apart, real money first; fees, funding and open trades are named apart', async () => {
    await close('2026-11-03T10:00:00Z', '5.000000000000000001', { fees: '0.1', funding: '-0.05' });
    await close('2026-11-03T11:00:00Z', '0.3', { symbol: 'ETH/BTC' });
    await close('2026-11-03T12:00:00Z', '-1', { mode: 'testnet' });
    await close('2026-11-03T13:00:00Z', '2', { mode: 'live' });
    await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage, entry_price)
      values (gen_random_uuid(), ${botId}, 'SOL/USDT', 'long', 'paper', 'open', now(), 1, 1, 1, 10)`.execute(db);
    await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl) values (${botId}, now(), 1, -0.75)`.execute(db);
    const { ledgers } = await owner.profits({ query: { group: 'pair' } });
    expect(ledgers.map(({ mode, currency, figures }) => [mode, currency, figures.profit])).toEqual([
      ['live', 'USDT', '2'],
      ['testnet', 'USDT', '-1'],
      ['paper', 'BTC', '0.3'],
      ['paper', 'USDT', '5.000000000000000001'],
    ]);
    expect(ledgers.map(({ groups }) => groups.map(({ key, profit }) => [key, profit]))).toEqual([
      [['BTC/USDT', '2']],
      [['BTC/USDT', '-1']],
      [['ETH/BTC', '0.3']],
      [['BTC/USDT', '5.000000000000000001']],
    ]);
    expect(ledgers[3]).toMatchObject({ figures: { fees: '0.1', funding: '-0.05' }, unrealized: '-0.75', open_trades: 1 });
    expect(ledgers[0]).toMatchObject({ unrealized: '0', open_trades: 0 });
  });

  test('OP-05 a trader does not read what the open trades of others would bring', async () => {
    for (const id of [botId, otherBot]) {
      await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage, entry_price)
        values (gen_random_uuid(), ${id}, 'SOL/USDT', 'long', 'paper', 'open', now(), 1, 1, 1, 10)`.execute(db);
      await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl) values (${id}, now(), 1, ${id === botId ? 2 : 40})`.execute(
        db,
      );
    }
    const openFor = async (person: Person) =>
      (await person.profits({ query: {} })).ledgers.map((ledger) => [ledger.open_trades, ledger.unrealized]);
    expect(await Promise.all([owner, other, admin].map(openFor))).toEqual([[[1, '2']], [[1, '40']], [[2, '42']]]);
  });

  test('has a ledger also of what has open trades alone', async () => {
    await close('2026-11-03T13:00:00Z', '2', { mode: 'live' });
    await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage, entry_price)
      values (gen_random_uuid(), ${botId}, 'SOL/USDT', 'long', 'paper', 'open', now(), 1, 1, 1, 10)`.execute(db);
    await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl) values (${botId}, now(), 1, -0.75)`.execute(db);
    expect((await owner.profits({ query: {} })).ledgers).toMatchObject([
      { mode: 'live', figures: { trades: 1, profit: '2' }, open_trades: 0 },
      { mode: 'paper', currency: 'USDT', figures: { trades: 0, profit: '0' }, unrealized: '-0.75', open_trades: 1, days: [], groups: [] },
    ]);
  });

  test('has in the days of a ledger those of its mode and its currency', async () => {
    await close('2026-11-03T10:00:00Z', '5');
    await close('2026-11-03T11:00:00Z', '0.3', { symbol: 'ETH/BTC' });
    await close('2026-11-04T12:00:00Z', '-1', { mode: 'testnet' });
    const { ledgers } = await owner.profits({ query: {} });
    expect(ledgers.map(({ mode, currency, days }) => [mode, currency, days.map(({ day, profit }) => [day, profit])])).toEqual([
      ['testnet', 'USDT', [['2026-11-04', '-1']]],
      ['paper', 'BTC', [['2026-11-03', '0.3']]],
      ['paper', 'USDT', [['2026-11-03', '5']]],
    ]);
  });

  test('has each trade once in the figures, the days and the groups, whatever they are', async () => {
    for (let i = 0; i < 40; i++) {
      await close(
        `2026-${String((i % 12) + 1).padStart(2, '0')}-${String((i % 27) + 1).padStart(2, '0')}T23:59:59.999Z`,
        `${i - 17}.00000001`,
        {
          bot: i % 3 === 0 ? otherBot : botId,
          symbol: i % 2 === 0 ? 'BTC/USDT' : 'ETH/USDT',
          tag: i % 4 === 0 ? null : `tag ${i % 4}`,
          reason: i % 5 === 0 ? null : 'roi',
          version: i % 2 === 0 ? 1 : null,
        },
      );
    }
    const groupings = ['bot', 'pair', 'strategy', 'version', 'tag', 'reason', 'account', 'day', 'week', 'month', 'year'] as const;
    const sum = (all: readonly { profit: string }[]): string =>
      toText(all.reduce((total: typeof zero, { profit }) => plus(total, fromText(profit)), zero));
    for (const group of groupings) {
      for (const range of [{}, { from: '2026-02-28', to: '2026-09-30' }]) {
        const { ledgers } = await admin.profits({ query: { group, ...range } });
        const [ledger] = ledgers;
        expect([ledgers.length, sum(ledger?.groups ?? []), sum(ledger?.days ?? [])], group).toEqual([
          1,
          ledger?.figures.profit,
          ledger?.figures.profit,
        ]);
      }
    }
  });

  test('names groups as the caller may read them', async () => {
    await sql`delete from api_keys`.execute(db);
    const { rows } = await sql<{ id: string }>`
      insert into api_keys (user_id, exchange_id, label, key_hint, sealed) values (${owner.userId}, 'sandbox', 'Main', '9f3c', '{}') returning id`.execute(
      db,
    );
    await sql`update bots set mode = 'live', exchange_id = 'sandbox', api_key_id = ${rows[0]?.id} where id = ${botId}`.execute(db);
    await close('2026-11-03T10:00:00Z', '5', { mode: 'testnet', version: 3, tag: 'dip' });
    const group = async (person: Person, by: 'account' | 'bot' | 'version' | 'tag' | 'reason') =>
      (await person.profits({ query: { group: by } })).ledgers[0]?.groups[0];
    expect(await group(owner, 'account')).toMatchObject({ name: 'Main', detail: expect.stringMatching(/^Sandbox \*{4}9f3c$/iu) });
    expect(await group(admin, 'account')).toMatchObject({ name: 'Main', detail: expect.stringMatching(/^Sandbox \*{4}9f3c$/iu) });
    for (const person of [investor, operator]) {
      const account = await group(person, 'account');
      expect(account).toMatchObject({ name: expect.stringMatching(/^Sandbox, account [0-9a-f]{6}$/iu), detail: null });
      expect(JSON.stringify(account)).not.toMatch(new RegExp(`${rows[0]?.id}|9f3c|Main`, 'u'));
    }
    expect(await group(owner, 'bot')).toMatchObject({ key: botId, name: 'Dip Buyer', detail: null });
    expect(await group(admin, 'bot')).toMatchObject({ name: 'Dip Buyer', detail: owner.email });
    expect(await group(investor, 'bot')).toMatchObject({ name: 'Dip Buyer', detail: null });
    expect(await group(owner, 'version')).toMatchObject({ name: 'RSI reversal', detail: 'version 3' });
    expect(await group(owner, 'tag')).toMatchObject({ key: 'dip', name: 'dip' });
    expect(await group(owner, 'reason')).toMatchObject({ key: '', name: 'No reason recorded' });
  });

  test('answers ranges of any length and time, and refuses one that is upside down', async () => {
    await close('2026-11-03T10:00:00Z', '5');
    const count = async (from?: string, to?: string) =>
      (await owner.profits({ query: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) } })).ledgers.length;
    expect(await count('2016-11-03', '2026-11-03')).toBe(1);
    expect(await count('0001-01-01', '9999-12-31')).toBe(1);
    expect(await count('2026-11-03', '2026-11-03')).toBe(1);
    expect(await count('2026-11-04')).toBe(0);
    expect(await count(undefined, '2026-11-02')).toBe(0);
    expect(await count('2090-01-01', '2090-12-31')).toBe(0);
    expect((await failure(owner.profits({ query: { from: '2026-11-04', to: '2026-11-03' } }))).message).toBe(
      '400 Start date must be before end date',
    );
    expect((await failure(owner.profits({ query: { from: '2026-02-30' } }))).message).toBe('400 Invalid date');
    expect((await failure(owner.profits({ query: { group: 'moon' as never } }))).message).toBe('400 Invalid request');
  });
});

describe('GET /profits/statement', () => {
  const lines = async (person: Person, month = '2026-11'): Promise<string[]> => {
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await server.app.inject({ url: `/api/profits/statement?month=${month}`, headers: { host: 'localhost:3000', cookie } });
    if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${reply.json<{ detail: string }>().detail}`);
    expect([reply.headers['content-type'], reply.headers['content-disposition']]).toEqual([
      'application/pdf',
      `attachment; filename="statement_${month}.pdf"`,
    ]);
    return linesOf(reply.rawPayload);
  };
  const after = (all: readonly string[], name: string): string | undefined => all[all.indexOf(name) + 1];

  test('has the sums of a trader’s bots by bot and pair, the trades of the month and what is open at its end', async () => {
    await close('2026-10-31T23:59:59.999Z', '1000');
    await close('2026-11-01T00:00:00Z', '5', { fees: '0.2', funding: '-0.1' });
    await close('2026-11-20T10:00:00Z', '-8.5', { symbol: 'ETH/USDT', mode: 'live' });
    await close('2026-11-21T10:00:00Z', '77', { bot: otherBot });
    await close('2026-12-01T00:00:00Z', '3000');
    await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage, entry_price)
      values (gen_random_uuid(), ${botId}, 'SOL/USDT', 'short', 'paper', 'open', '2026-11-22', 2.5, 50, 1, 20),
        (gen_random_uuid(), ${otherBot}, 'ADA/USDT', 'long', 'paper', 'open', '2026-11-22', 2.5, 50, 1, 20)`.execute(db);
    const all = await lines(owner);
    expect(all[0]).toContain('Statement 2026-11');
    const text = all.join('\n');
    expect(text).toContain(`Trades of the bots of ${owner.email}, 2026-11-01 to 2026-11-30 (UTC): the month is still running.`);
    expect(text).toContain('LIVE, real money, USDT');
    expect(text).toContain('PAPER, simulated money, USDT');
    expect(text.indexOf('LIVE,')).toBeLessThan(text.indexOf('PAPER,'));
    expect([text.includes('-$8.50'), text.includes('+$5.00'), text.includes('$0.20'), text.includes('-$0.10')]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    for (const word of ['1000', '3000', '77', 'Cross', 'ADA']) expect(text, word).not.toContain(word); // of other months, and of others
    expect(after(all, 'Open Now')).toBe('Opened (UTC)');
    expect(text).toContain('SOL/USDT');
    // After the month the same position is what was open at its end; at the end of October it was not.
    now = new Date('2026-12-01T00:01:00Z');
    expect(await lines(owner)).toContain('Open at the End of the Month');
    const october = (await lines(owner, '2026-10')).join('\n');
    expect([october.includes('+$1000.00'), october.includes('SOL/USDT')]).toEqual([true, false]);
    expect(await lines(owner, '2025-01')).toEqual(expect.arrayContaining(['No trade was closed in this month.', 'No position was open.']));
  });

  test('names under each mode the bots and pairs of that mode alone', async () => {
    await close('2026-11-01T10:00:00Z', '5', { symbol: 'BTC/USDT' });
    await close('2026-11-20T10:00:00Z', '-8.5', { symbol: 'ETH/USDT', mode: 'live' });
    const all = await lines(owner);
    const [live, paper, trades] = ['LIVE, real money, USDT', 'PAPER, simulated money, USDT', 'Trades Closed in the Month'].map((title) =>
      all.indexOf(title),
    );
    const named = (from = 0, to = 0) => all.slice(from, to).filter((line) => /^(?:Dip Buyer|\w+\/USDT)$/u.test(line));
    expect(named(live, paper)).toEqual(['Dip Buyer', 'ETH/USDT']);
    expect(named(paper, trades)).toEqual(['Dip Buyer', 'BTC/USDT']);
  });

  test('lists as many trades as it says, and counts the others', async () => {
    await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit, entry_price)
      select gen_random_uuid(), ${botId}, 'BTC/USDT', 'long', 'paper', 'closed', '2026-11-01', '2026-11-02'::timestamptz + n * interval '1 minute', 1, 1, 1, 1, 100
      from generate_series(1, 512) n`.execute(db);
    const all = await lines(owner);
    expect(all.filter((line) => line.startsWith('2026-11-02 '))).toHaveLength(500);
    expect(all.join('\n')).toContain('and 12 more, which count in the sums above: the first 500 are listed');
    expect(all.join('\n')).toContain('+$512.00');
    expect(all.filter((line) => /^Page \d+$/u.test(line)).length).toBeGreaterThan(8);
  });

  test('of the fund has start, change and end by mode for investors, and names nobody', async () => {
    await sql`update bots set starting_balance = 300, stake_currency = 'USDT'`.execute(db);
    await close('2026-09-03T10:00:00Z', '20', { mode: 'live' });
    await close('2026-11-03T10:00:00Z', '-5', { mode: 'live', fees: '1.5' });
    await close('2026-11-04T10:00:00Z', '11', { mode: 'live', bot: otherBot }); // its first trade
    await close('2026-12-04T10:00:00Z', '500', { mode: 'live', bot: otherBot });
    const all = await lines(investor);
    const text = all.join('\n');
    expect([after(all, 'Start'), after(all, 'Change'), after(all, 'End'), after(all, 'Added')]).toEqual([
      '$320.00',
      '+$6.00',
      '$626.00',
      '$300.00',
    ]);
    expect(after(all, 'Return')).toBe('0.97%');
    for (const person of [investor, operator, admin]) {
      expect((await person.fundMonth({ query: { month: '2026-11' } })).ledgers).toEqual([
        {
          mode: 'live',
          currency: 'USDT',
          start: '320',
          added: '300',
          profit: '6',
          fees: '1.5',
          funding: '0',
          end: '626',
          returned: expect.closeTo(6 / 620, 10),
          trades: 2,
          wins: 1,
        },
      ]);
    }
    expect((await failure(owner.fundMonth({ query: { month: '2026-11' } }))).message).toBe(
      '403 The month of the fund is for investors, operators and admins',
    );
    expect(after(all, 'Fees paid')).toBe('$1.50');
    expect(text).not.toMatch(/Dip Buyer|Cross|@|[0-9a-f]{8}-[0-9a-f]{4}|PAPER/u);
    expect((await lines(investor, '2025-01')).join('\n')).toContain('No bot had traded by the end of this month.');
  });

  test('of the fund is of one moment: a first trade that is closed while it is read is in none of its figures', async () => {
    const read = async () => (await admin.fundMonth({ query: { month: '2026-11' } })).ledgers;
    await close('2026-11-03T10:00:00Z', '5');
    const before = await read();
    expect(before).toMatchObject([{ profit: '5', trades: 1 }]);
    let reading: ReturnType<typeof read> = Promise.resolve([]);
    await db.transaction().execute(async (trx) => {
      await sql`lock table profit_sums`.execute(trx); // the capital has been read by then, and the profits have not
      reading = read();
      await untilWaiting(db, 1);
      await close('2026-11-04T10:00:00Z', '11', { bot: otherBot, on: trx });
    });
    expect(await reading).toEqual(before);
    expect(await read()).toMatchObject([{ profit: '16', trades: 2 }]);
  });

  describe('of the fund, what bots were given is what it was then', () => {
    const usd = { mode: 'paper', currency: 'USDT' };
    const ledgers = async (month: string) => (await admin.fundMonth({ query: { month } })).ledgers;
    const change = async (id: string, time: string, changes: Partial<BotSettings>) =>
      db.transaction().execute(async (trx) => {
        const bot = await findBot(trx, id);
        if (bot === null) throw new Error('The bot does not exist');
        await changeBotSettings(trx, bot, { ...botSettingsOf(bot), ...changes }, owner.userId, new Date(time));
      });
    /** A closed trade with the figures of its bot, as the runner keeps them: only a bot that has closed one keeps its capital. */
    const closeBy = async (bot: string, closedAt: string, profit: string, symbol = 'BTC/USDT') => {
      await close(closedAt, profit, { bot, symbol });
      await sql`insert into bot_figures (bot_id, mode, trades, realized_pnl, peak_balance) values (${bot}, 'paper', 1, ${profit}, 0)
        on conflict (bot_id, mode) do update set trades = bot_figures.trades + 1`.execute(db);
    };
    const aBot = async (): Promise<string> => {
      const id = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'changing', owner: owner.email });
      await sql`update bots set created_at = '2026-08-01' where id = ${id}`.execute(db);
      return id;
    };

    test('a month that is over stays what it was when a bot gets more, and the next begins where it ended', async () => {
      const bot = await aBot(); // 300
      await change(bot, '2026-08-05T00:00:00Z', { stakeAmount: '200' }); // 600
      await change(bot, '2026-08-06T00:00:00Z', { stakeAmount: '50' }); // 150: it had not closed a trade
      await closeBy(bot, '2026-09-03T10:00:00Z', '20');
      const [august, september, october] = [await ledgers('2026-08'), await ledgers('2026-09'), await ledgers('2026-10')];
      expect([august, september, october]).toMatchObject([
        [],
        [{ ...usd, start: '0', added: '150', end: '170' }],
        [{ ...usd, start: '170', added: '0', end: '170' }],
      ]);
      await change(bot, '2026-11-02T10:00:00Z', { stakeAmount: '1000' }); // 3,000
      await change(bot, '2026-11-03T10:00:00Z', { stakeAmount: '10' }); // its capital stays
      await closeBy(bot, '2026-11-04T10:00:00Z', '-5');
      expect((await findBot(db, bot))?.startingBalance).toBe('3000.000000000000000000');
      expect([await ledgers('2026-08'), await ledgers('2026-09'), await ledgers('2026-10')]).toEqual([august, september, october]);
      expect(await ledgers('2026-11')).toMatchObject([{ ...usd, start: '170', added: '2850', profit: '-5', end: '3015' }]);
    });

    test('also when it gets another currency', async () => {
      const bot = await aBot();
      await closeBy(bot, '2026-09-03T10:00:00Z', '20');
      const september = await ledgers('2026-09');
      expect(september).toMatchObject([{ ...usd, start: '0', added: '300', end: '320' }]);
      await change(bot, '2026-11-02T10:00:00Z', { stakeCurrency: 'BTC', stakeAmount: '0.1' });
      await closeBy(bot, '2026-11-04T10:00:00Z', '0.01', 'ETH/BTC');
      await change(bot, '2026-11-05T10:00:00Z', { stakeAmount: '0.05' }); // its capital stays
      expect(await ledgers('2026-09')).toEqual(september);
      expect(await ledgers('2026-11')).toMatchObject([
        { mode: 'paper', currency: 'BTC', start: '0', added: '0.3', profit: '0.01', end: '0.31' },
        { ...usd, start: '320', added: '-300', profit: '0', end: '20' },
      ]);
    });

    test('the return is by all that worked in the month, also what was taken out in it', async () => {
      const [bot, more] = [await aBot(), await aBot()];
      const dollars = async () => (await ledgers('2026-11')).filter(({ currency }) => currency === 'USDT');
      await closeBy(bot, '2026-09-03T10:00:00Z', '20');
      await closeBy(bot, '2026-11-01T10:00:00Z', '20');
      await change(bot, '2026-11-02T10:00:00Z', { stakeCurrency: 'BTC', stakeAmount: '0.1' });
      expect(await dollars()).toMatchObject([{ ...usd, start: '320', added: '-300', profit: '20', end: '40', returned: 20 / 320 }]);
      await closeBy(more, '2026-09-03T10:00:00Z', '-20');
      await change(more, '2026-11-02T10:00:00Z', { stakeAmount: '200' });
      expect(await dollars()).toMatchObject([{ ...usd, start: '600', added: '0', profit: '20', end: '620', returned: 20 / 900 }]);
    });
  });

  test('of a month that is to come, or is none, is refused', async () => {
    await expect(lines(owner, '2027-01')).rejects.toThrow('400 This month has not begun yet');
    for (const month of ['2026-13', '2026-00', '0000-01', '2026-1', 'november', ''])
      await expect(lines(owner, month), month).rejects.toThrow('400 Month must be like 2026-11');
    expect((await failure(server.browser().profitStatement({ query: { month: '2026-11' } }))).status).toBe(401);
  });
});
