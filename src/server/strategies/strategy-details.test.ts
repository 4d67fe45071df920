import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { Markets } from '#feeds/markets.ts';
import { addBacktest, beginAttempt, failBacktest, finishBacktest } from '#storage/backtests/backtests.ts';
import { builtInStrategies } from '#strategies/built-in.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { anOutcome } from '../../../test/support/an-outcome.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const noMarket = () => Promise.reject(new Error('no market in this test'));
const server = await startTestServer({ markets: new Markets([{ id: 'sandbox', name: 'Sandbox' }], noMarket) });
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let trader: Person;
let admin: Person;
let ids: Map<string, string>;

beforeAll(async () => {
  await enterBuiltInStrategies(db);
  [trader, admin] = await Promise.all([server.signedIn('trader'), server.signedIn('admin')]);
  const { strategies } = await trader.listStrategies({});
  ids = new Map(strategies.map(({ id, strategy_class_name: name }) => [name, id]));
});
const detailsOf = (name: string, person = trader) => person.strategyDetails({ params: { id: ids.get(name) ?? '' } });

const outcome = { ...anOutcome(), metrics: { total_trades: 3, win_rate: 1 / 3, net_pnl: 25 } };

/** A backtest of a person that has ended, well or not. */
async function backtest(person: Person, name: string, ends: 'well' | 'badly'): Promise<string> {
  const id = await addBacktest(db, {
    userId: person.userId,
    strategyId: ids.get(name) ?? '',
    exchangeId: 'sandbox',
    symbol: 'ETH/USDT',
    tradingMode: 'spot',
    timeframe: '1h',
    days: 90,
    stakeAmount: 250,
    maxOpenTrades: 2,
    bot: null,
    codeId: null,
    plan: null,
  });
  const attempt = { id: id ?? '', attempt: 0 };
  await beginAttempt(db, attempt);
  await (ends === 'well' ? finishBacktest(db, attempt, outcome) : failBacktest(db, attempt, 'No candles'));
  return attempt.id;
}

test.each(builtInStrategies.map((strategy) => [strategy.name, strategy] as const))(
  '%s says of itself what its class declares',
  async (name, strategy) => {
    const details = await detailsOf(name);
    expect(details).toMatchObject({
      kind: strategy.kind,
      can_short: strategy.canShort,
      startup_candles: strategy.startupCandles,
      loses_when: strategy.losesWhen,
      last_backtest: null,
    });
    expect(details.parameters).toEqual(Object.entries(strategy.parameters).map(([key, parameter]) => ({ name: key, ...parameter })));
  },
);

test('the last backtest is the newest that ended well and that the caller may see: their own, of everybody for admins', async () => {
  expect((await detailsOf('EmaCross', admin)).last_backtest).toBeNull();
  const own = await backtest(trader, 'EmaCross', 'well');
  await backtest(trader, 'MacdTrend', 'well');
  await backtest(trader, 'EmaCross', 'badly');
  expect((await detailsOf('EmaCross')).last_backtest).toEqual({
    id: own,
    finished_at: expect.stringMatching(/^20/u),
    exchange: 'Sandbox',
    symbol: 'ETH/USDT',
    trading_mode: 'spot',
    timeframe: '1h',
    days: 90,
    net_pnl: 25,
    profit_ratio: 0.05,
    total_trades: 3,
    win_rate: 1 / 3,
    equity: outcome.equity,
  });
  const newer = await backtest(admin, 'EmaCross', 'well');
  expect((await detailsOf('EmaCross')).last_backtest?.id).toBe(own);
  expect((await detailsOf('EmaCross', admin)).last_backtest?.id).toBe(newer);
});

test('a backtest that this version cannot read, and a class that it does not have, leave the rest standing', async () => {
  await sql`update backtests set equity = '"old"' where user_id = ${admin.userId}`.execute(db);
  expect((await detailsOf('EmaCross', admin)).last_backtest).toBeNull();
  await sql`update strategies set class_name = 'Gone' where class_name = 'AlwaysFlat'`.execute(db);
  expect(await detailsOf('AlwaysFlat')).toMatchObject({ parameters: [], loses_when: '', last_backtest: null });
  expect((await failure(trader.strategyDetails({ params: { id: '00000000-0000-4000-8000-000000000000' } }))).message).toBe(
    '404 Strategy not found',
  );
});
