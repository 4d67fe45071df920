import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { migrate, migrations } from '../migrate.ts';
import { capitalOfMonth } from '../profits/month-rows.ts';

const { db } = await freshDatabase('template0');
await migrate(db, Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0083')));

/** A bot as versions before left it: with what it staked from which day on, three slots each, and the days on which it closed a trade. */
async function aBot(given: {
  name: string;
  mode: 'paper' | 'live';
  capital: number;
  stakes: [day: string, stake: number, currency?: string][];
  closed: [day: string, mode: 'paper' | 'testnet', symbol?: string][];
}): Promise<string> {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: given.name });
  await sql`delete from bot_versions where bot_id = ${id}`.execute(db);
  const [, stake, currency = 'USDT'] = given.stakes.at(-1) ?? ['', 100];
  await sql`update bots set mode = ${given.mode}, starting_balance = ${given.capital}, stake_amount = ${stake}, stake_currency = ${currency}
    where id = ${id}`.execute(db);
  for (const [i, [day, stakeAmount, stakeCurrency = 'USDT']] of given.stakes.entries()) {
    const settings = JSON.stringify({ stakeAmount: String(stakeAmount), maxOpenTrades: 3, stakeCurrency });
    await sql`insert into bot_versions (bot_id, version, changed_at, settings) values (${id}, ${i + 1}, ${new Date(day)}, ${settings}::jsonb)`.execute(
      db,
    );
  }
  for (const [day, mode, symbol = 'BTC/USDT'] of given.closed) {
    await sql`
      insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
      values (gen_random_uuid(), ${id}, ${symbol}, 'long', ${mode}, 'closed', ${new Date(day)}, ${new Date(day)}, 1, 10, 1, 5)`.execute(db);
    await sql`insert into bot_figures (bot_id, mode, trades, realized_pnl, peak_balance) values (${id}, ${mode}, 1, 5, ${given.capital + 5})
      on conflict do nothing`.execute(db);
  }
  return id;
}

test('capital of before the modes were kept apart stays in past months; what a bot has in its mode is its own from now on', async () => {
  const ids = {
    // Large on paper, then live and small, without a trade and with one.
    fresh: await aBot({
      name: 'fresh',
      mode: 'live',
      capital: 30_000,
      stakes: [
        ['2026-01-01', 100],
        ['2026-01-10', 10_000],
        ['2026-02-10', 10],
      ],
      closed: [['2026-01-20', 'paper']],
    }),
    traded: await aBot({
      name: 'traded',
      mode: 'live',
      capital: 30_000,
      stakes: [
        ['2026-01-01', 10_000],
        ['2026-02-10', 10],
        ['2026-02-20', 20],
      ],
      closed: [
        ['2026-01-20', 'paper'],
        ['2026-02-15', 'testnet'],
      ],
    }),
    same: await aBot({
      name: 'same',
      mode: 'paper',
      capital: 600,
      stakes: [
        ['2026-01-01', 200],
        ['2026-02-10', 10],
      ],
      closed: [['2026-01-20', 'paper']],
    }),
    other: await aBot({
      name: 'other',
      mode: 'paper',
      capital: 0.3,
      stakes: [
        ['2026-01-01', 200],
        ['2026-02-10', 0.1, 'BTC'],
      ],
      closed: [
        ['2026-01-20', 'paper'],
        ['2026-02-20', 'paper', 'ETH/BTC'],
      ],
    }),
    // The clock was set back between two versions, and two are of one moment.
    back: await aBot({
      name: 'back',
      mode: 'paper',
      capital: 900,
      stakes: [
        ['2026-01-01', 100],
        ['2026-02-10', 200],
        ['2026-02-09', 300],
        ['2026-02-09', 250],
      ],
      closed: [['2026-01-20', 'paper']],
    }),
    // It has only a trade that is open, which was opened with more than it stakes now.
    holding: await aBot({
      name: 'holding',
      mode: 'live',
      capital: 30_000,
      stakes: [
        ['2026-01-01', 10_000],
        ['2026-02-10', 20],
        ['2026-02-20', 10],
      ],
      closed: [['2026-01-20', 'paper']],
    }),
    old: await aBot({ name: 'old', mode: 'paper', capital: 300, stakes: [], closed: [['2026-01-20', 'paper']] }),
  };

  await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage, entry_price)
    values (gen_random_uuid(), ${ids.holding}, 'BTC/USDT', 'long', 'testnet', 'open', '2026-02-15', 1, 10, 1, 10)`.execute(db);

  await migrate(db);

  const names = Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name]));
  const { rows } = await sql<{ id: string; mode: string; since: string; currency: string; capital: string }>`
    select bot_id as id, mode, case when since = '-infinity' then '' when since > '2026-03-01' then 'now' else to_char(since at time zone 'UTC', 'YYYY-MM-DD') end as since,
      currency, trim_scale(capital)::text as capital
    from bot_capitals order by bot_id, mode, bot_capitals.since`.execute(db);
  const kept = (name: string): string[] =>
    rows.filter(({ id }) => names[id] === name).map(({ mode, since, currency, capital }) => `${mode} ${since} ${capital} ${currency}`);
  expect(kept('fresh')).toEqual([
    'paper  300 USDT',
    'paper 2026-01-10 30000 USDT',
    'testnet  300 USDT',
    'testnet 2026-01-10 30000 USDT',
    'testnet now 30 USDT',
  ]);
  expect(kept('traded')).toEqual(['paper  30000 USDT', 'testnet  30000 USDT', 'testnet now 60 USDT']);
  expect(kept('same')).toEqual(['paper  600 USDT']);
  expect(kept('other')).toEqual(['paper  600 USDT', 'paper 2026-02-10 0.3 BTC']);
  expect(kept('back')).toEqual(['paper  300 USDT', 'paper 2026-02-10 600 USDT', 'paper 2026-02-10 900 USDT']);
  expect(kept('holding')).toEqual(['paper  30000 USDT', 'testnet  30000 USDT', 'testnet now 60 USDT']);
  expect(kept('old')).toEqual(['paper  300 USDT']);

  const { rows: bots } = await sql<{ name: string; capital: string }>`
    select nickname as name, trim_scale(starting_balance)::text as capital from bots order by nickname`.execute(db);
  expect(Object.fromEntries(bots.map(({ name, capital }) => [name, capital]))).toEqual({
    back: '900',
    fresh: '30',
    holding: '60',
    old: '300',
    other: '0.3',
    same: '600',
    traded: '60',
  });
  const { rows: peaks } = await sql<{ peak: string }>`
    select b.nickname || ' ' || f.mode || ' ' || trim_scale(f.peak_balance) as peak from bot_figures f join bots b on b.id = f.bot_id order by 1`.execute(
    db,
  );
  expect(peaks.map(({ peak }) => peak)).toEqual([
    'back paper 905',
    'fresh paper 30005',
    'holding paper 30005',
    'old paper 305',
    'other paper 5.3',
    'same paper 605',
    'traded paper 30005',
    'traded testnet 65',
  ]);

  const ofMonth = await capitalOfMonth(db, { start: new Date('2026-02-01'), end: new Date('2026-03-01') });
  expect(ofMonth.map((each) => `${each.mode} ${each.before} ${each.added} ${each.currency}`).toSorted()).toEqual([
    'paper 0 0.3 BTC',
    'paper 91800 0 USDT', // as it was given out before
    'testnet 0 60000 USDT',
  ]);
});
