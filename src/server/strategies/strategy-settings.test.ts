import { noIntegrationAfterReset, trailingOffsetTooLow, trailingPositiveMissing } from '#contract/strategies.ts';
import { texts } from '#contract/errors.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { performanceOf } from '#engine/report/performance.ts';
import { settingsOf, valuesOf } from '#runner/bots/bot-settings.ts';
import { Markets } from '#feeds/markets.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { findBot } from '#storage/bots/bots.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const exchanges = ['sandbox', 'binance', 'kraken'].map((id) => ({ id, name: id }));
const server = await startTestServer({ markets: new Markets(exchanges, () => Promise.reject(new Error('no market in this test'))) });
const { db } = server.dependencies;
await enterBuiltInStrategies(db);
const admin = await server.signedIn('admin');
const others = [await server.signedIn('trader'), await server.signedIn('operator'), await server.signedIn('investor')];
const read = async (person = admin) =>
  (await person.listStrategies({})).strategies.find(({ strategy_class_name }) => strategy_class_name === 'RsiReversal');
let id = '';

beforeEach(async () => {
  await sql`delete from strategy_versions`.execute(db);
  await sql`update strategies set version = 1, webhook = null, sheets_key = null, trailing_stop = false, trailing_stop_positive = null,
    trailing_stop_positive_offset = null, trailing_only_offset_is_reached = false where class_name = 'RsiReversal'`.execute(db);
  id = (await read())?.id ?? '';
});
type Body = Parameters<typeof admin.updateStrategy>[0]['body'];
const update = (body: Body, person = admin, version?: number) =>
  person.updateStrategy({ params: { id }, body }, version === undefined ? undefined : { headers: { 'if-match': `"${version}"` } });

describe('OP-36 a change of a strategy that live bots trade by', () => {
  const changes: Body[] = [
    { stoploss: -0.5 },
    { trailing_stop: true },
    { max_consecutive_losses: 9 },
    { minimal_roi: { '0': 0.9 } },
    { order_types: { stoploss: 'limit' } },
    { default_timeframe: '1h' },
  ];
  test('takes the password, but for its name and description; one of paper bots does not', async () => {
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'live one' });
    const person = await server.signedIn('admin');
    await sql`update sessions set authenticated_at = authenticated_at - interval '11 minutes' where user_id = ${person.userId}`.execute(db);
    await update({ stoploss: -0.2 }, person); // on paper
    await sql`update bots set mode = 'live' where id = ${bot}`.execute(db);
    const before = await read();
    for (const body of changes)
      expect((await failure(update(body, person))).message, JSON.stringify(body)).toBe(`403 ${texts.passwordNeeded}`);
    expect(await read()).toEqual(before);
    const restored = failure(person.restoreStrategyVersion({ params: { id, version: 1 } }));
    expect((await restored).message).toBe(`403 ${texts.passwordNeeded}`);
    await update({ description: 'Other words', stoploss: -0.2 }, person); // nothing that trades depend on
    await person.confirmPassword({ body: { password } });
    await update({ stoploss: -0.5 }, person);
    await sql`delete from bots where id = ${bot}`.execute(db);
  });
});

describe('a change of a strategy', () => {
  test('API-39, STRAT-19 of some fields changes those, is kept as a version and leaves the rest', async () => {
    const before = await read();
    const body = {
      name: ' Reversal ',
      description: 'Buys what has fallen.',
      supported_exchanges: [' kraken ', '', 'kraken'],
      default_timeframe: '15m',
      stoploss: -0.08,
      trailing_stop: true,
      trailing_stop_positive: 0.01,
      trailing_stop_positive_offset: 0.03,
      trailing_only_offset_is_reached: true,
      max_consecutive_losses: 7,
      risk_reward_ratio: 2.5,
      minimal_roi: { '0': 0.05, '30': 0.01 },
      order_types: { entry: 'market', stoploss_on_exchange: 'limit' },
      order_time_in_force: { entry: 'IOC' },
    } as const;
    const changed = await update({ ...body, supported_exchanges: [...body.supported_exchanges] });
    expect(changed).toEqual({ ...before, ...body, name: 'Reversal', supported_exchanges: ['kraken'], version: 2 });
    expect(await read()).toEqual(changed);
    expect(await update({ stoploss: -0.2 })).toEqual({ ...changed, stoploss: -0.2, version: 3 });
    const versions = await admin.listStrategyVersions({ params: { id } });
    expect(versions.map(({ version, changed_by, changes }) => [version, changed_by, changes.length])).toEqual([
      [3, admin.email, 1],
      [2, admin.email, 14],
      [1, null, 0],
    ]);
    expect(versions[0]?.changes).toEqual([{ field: 'stoploss', from: '-0.08', to: '-0.2' }]);
    expect(versions[1]?.changes).toContainEqual({ field: 'minimal_roi', from: expect.any(String), to: '0: 0.05, 30: 0.01' });
  });

  test('OP-54 zero takes the risk reward ratio away, an empty text the integrations', async () => {
    await update({ risk_reward_ratio: 3, encrypted_webhook: 'https://discord.com/api/webhooks/1/a', encrypted_sheets_key: 'sheet-1' });
    expect(await update({ risk_reward_ratio: 0, encrypted_webhook: '', encrypted_sheets_key: '' })).toMatchObject({
      risk_reward_ratio: null,
      encrypted_webhook: null,
      encrypted_sheets_key: null,
    });
  });

  test('OP-58 setting an integration takes the password, and waits for a day after its reset; taking it away does neither', async () => {
    const person = await server.signedIn('admin');
    const set = { encrypted_webhook: 'https://discord.com/api/webhooks/1/a', encrypted_sheets_key: 'sheet-1' };
    const [webhook, sheet] = [{ encrypted_webhook: set.encrypted_webhook }, { encrypted_sheets_key: set.encrypted_sheets_key }];
    const taken = { encrypted_webhook: '', encrypted_sheets_key: '' };
    await update(set, person);
    await sql`update users set password_reset_at = ${server.dependencies.now()} where id = ${person.userId}`.execute(db);
    for (const body of [webhook, sheet])
      expect((await failure(update({ ...body, description: 'Not kept' }, person))).message).toBe(`403 ${noIntegrationAfterReset}`);
    await sql`update users set password_reset_at = null where id = ${person.userId}`.execute(db);
    await sql`update sessions set authenticated_at = authenticated_at - interval '11 minutes' where user_id = ${person.userId}`.execute(db);
    for (const body of [webhook, sheet])
      expect((await failure(update({ ...body, description: 'Not kept' }, person))).message).toBe(`403 ${texts.passwordNeeded}`);
    expect(await read()).toMatchObject({ ...set, description: expect.not.stringMatching('Not kept') as string });
    expect(await update(taken, person)).toMatchObject({ encrypted_webhook: null, encrypted_sheets_key: null });
    await update({ description: 'Other words' }, person);
  });

  test('OP-54 zero takes the positive trailing stop away, and bots of the strategy trail by the plain stop again', async () => {
    await update({ trailing_stop: true, trailing_stop_positive: 0.01, trailing_stop_positive_offset: 0.03 });
    expect((await update({ trailing_stop_positive: 0 })).trailing_stop_positive).toBeNull();
    expect((await read())?.trailing_stop_positive).toBeNull();
    const [bot, terms] = [await findBot(db, await addTestBot(db, { strategy: 'RsiReversal' })), await findStrategyById(db, id)];
    const values = valuesOf(bot!, terms!, { parameters: {} });
    expect(settingsOf(bot!, values, { canShort: false })).toMatchObject({ trailingStop: true, trailingStopPositive: null });
    const [newest] = await admin.listStrategyVersions({ params: { id } });
    expect(newest?.changes).toEqual([{ field: 'trailing_stop_positive', from: '0.01', to: 'none' }]);
    // Where the stop is to trail above the offset only, the distance is needed.
    await update({ trailing_stop_positive: 0.01, trailing_only_offset_is_reached: true });
    expect((await failure(update({ trailing_stop_positive: 0 }))).message).toBe(`400 ${trailingPositiveMissing}`);
  });

  test('DATA-20, OP-56 the integrations are sealed in the database, in clear for admins alone, and in no log or version', async () => {
    const webhook = 'https://discord.com/api/webhooks/1/canary-webhook';
    const changed = await update({ encrypted_webhook: webhook, encrypted_sheets_key: 'canary-sheet' });
    expect([changed.encrypted_webhook, changed.encrypted_sheets_key]).toEqual([webhook, 'canary-sheet']);
    expect((await read())?.encrypted_webhook).toBe(webhook);
    for (const person of others)
      expect([(await read(person))?.encrypted_webhook, (await read(person))?.encrypted_sheets_key]).toEqual([null, null]);
    for (const table of ['strategies', 'strategy_versions', 'audit_log', 'idempotency_keys']) {
      const { rows } = await sql<{ text: string }>`select coalesce(string_agg(t::text, ''), '') as text from ${sql.table(table)} t`.execute(
        db,
      );
      expect(rows[0]?.text, table).not.toContain('canary');
    }
    const { lines } = await listAudit(db, { action: 'change-strategy' }, 1);
    expect(lines[0]).toMatchObject({ target: id, detail: { webhook: 'set', sheetsKey: 'set' } });
    // Moved to another strategy it does not open, and the screen still works.
    await sql`update strategies set webhook = (select webhook from strategies where id = ${id}) where class_name = 'MacdTrend'`.execute(db);
    const { strategies } = await admin.listStrategies({});
    expect(strategies.find(({ strategy_class_name }) => strategy_class_name === 'MacdTrend')?.encrypted_webhook).toBeNull();
    await sql`update strategies set webhook = null where class_name = 'MacdTrend'`.execute(db);
  });

  test.each<[object, string]>([
    [{}, '400 No fields to update'],
    [{ strategy_class_name: 'X' }, '400 Unknown field: strategy_class_name'],
    [{ name: ' ' }, '400 Name is required'],
    [{ supported_exchanges: ['kraken', 'nowhere'] }, '400 Exchange not found: nowhere'],
    [{ default_timeframe: '7m' }, '400 Invalid timeframe'],
    [{ stoploss: 0.1 }, '400 Stop loss must be a negative fraction'],
    [{ trailing_stop_positive: -0.01 }, '400 Trailing stop must be a positive fraction'],
    [{ max_consecutive_losses: 11 }, '400 Max consecutive losses must be between 1 and 10'],
    [{ risk_reward_ratio: 0.05 }, '400 Risk reward ratio must be at least 0.1'],
    [{ minimal_roi: {} }, '400 ROI must have 1 to 3 entries'],
    [{ minimal_roi: { '0': 1, '1': 1, '2': 1, '3': 1 } }, '400 ROI must have 1 to 3 entries'],
    [{ minimal_roi: { soon: 1 } }, '400 Invalid ROI entry'],
    [{ order_types: { entry: 'stop' } }, '400 Invalid order type'],
    [{ order_time_in_force: { entry: 'DAY' } }, '400 Invalid time in force'],
    [{ encrypted_webhook: 'http://discord.com/x' }, '400 Invalid webhook URL'],
    [{ trailing_stop: true, trailing_stop_positive: 0.03, trailing_stop_positive_offset: 0.02 }, `400 ${trailingOffsetTooLow}`],
    [{ trailing_stop: true, trailing_only_offset_is_reached: true }, `400 ${trailingPositiveMissing}`],
  ])('API-39 %j: %s', async (body, text) => {
    const before = await read();
    expect((await failure(update(body))).message).toBe(text);
    expect(await read()).toEqual(before);
  });

  test('ROLE-06, OP-05, API-39 is for admins', async () => {
    for (const person of others) {
      expect((await failure(update({ stoploss: -0.5 }, person))).message).toBe('403 Admin access required');
      expect((await failure(person.listStrategyVersions({ params: { id } }))).message).toBe('403 Admin access required');
      expect((await failure(person.restoreStrategyVersion({ params: { id, version: 1 } }))).message).toBe('403 Admin access required');
    }
    id = '00000000-0000-4000-8000-00000000dead';
    expect((await failure(update({ stoploss: -0.5 }))).message).toBe('404 Strategy not found');
    expect((await failure(admin.listStrategyVersions({ params: { id } }))).message).toBe('404 Strategy not found');
  });

  test('of somebody who has not seen the newest version is refused, and of ten at once one is made', async () => {
    await update({ stoploss: -0.11 });
    expect((await failure(update({ stoploss: -0.12 }, admin, 1))).message).toBe(`409 ${texts.changedMeanwhile}`);
    const made = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => update({ stoploss: -0.2 - i / 100 }, admin, 2)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('OP-57 makes the runners read its bots again', async () => {
    const changedAt = async () =>
      (await db.selectFrom('strategies').select('updatedAt').where('id', '=', id).executeTakeFirstOrThrow()).updatedAt;
    const before = await changedAt();
    await update({ stoploss: -0.3 });
    expect((await changedAt()).getTime()).toBeGreaterThan(before.getTime());
  });
});

test('STRAT-09, STRAT-10 the figures are in dollars; trades in other currencies are counted only, as in the fund and the report', async () => {
  const all = await addTestBot(db, { strategy: 'MacdTrend', nickname: 'dollars' });
  const inYen = await addTestBot(db, { strategy: 'MacdTrend', nickname: 'yen', stakeAmount: 10_000 });
  await sql`update bots set stake_currency = 'JPY' where id = ${inYen}`.execute(db);
  for (const [botId, symbol, profit, day] of [
    [all, 'BTC/USDT', 50, 1],
    [inYen, 'BTC/JPY', 20_000, 2],
    [inYen, 'BTC/JPY', -9_000, 2],
    [all, 'BTC/USDT', -30, 3],
    [all, 'ETH/USDT', 24, 4],
  ] as const) {
    const row = aTradeRow(botId, { status: 'closed', closedAt: new Date(`2026-03-0${day}T10:00:00Z`), symbol, profit: String(profit) });
    await db
      .insertInto('trades')
      .values({ ...row, engineState: JSON.stringify(row.engineState), stopMoves: '[]' })
      .execute();
  }
  const { strategyId } = await db.selectFrom('bots').select('strategyId').where('id', '=', all).executeTakeFirstOrThrow();
  const days = [50, 0, -30, 24];
  expect(await admin.strategyPerformance({ params: { id: strategyId } })).toEqual({
    total_pnl: 44,
    win_rate: 0.6,
    total_trades: 5,
    winning_trades: 3,
    losing_trades: 2,
    max_drawdown: 30,
    // The balances are those of the bots in dollars.
    sharpe_ratio: performanceOf(
      days.map((profit, i) => ({ closeTime: i * 86_400_000, profit })),
      { startingBalance: 300, unrealizedPnl: 0 },
    ).sharpeRatio,
    daily_pnl: days.map((pnl, i) => ({ date: `2026-03-0${i + 1}`, pnl })),
    mode: 'paper',
    leaves_out: true,
    other_modes: [],
  });
});

test('API-40, DATA-21, OP-70 real, test network and simulated money are not added: the most real is shown, the others apart', async () => {
  const strategy = 'BollingerReversion';
  const bot = async (nickname: string, stakeAmount: number, sets: ReturnType<typeof sql>) => {
    const botId = await addTestBot(db, { strategy, nickname, stakeAmount });
    await sql`update bots set ${sets} where id = ${botId}`.execute(db);
    return botId;
  };
  const paper = await bot('simulated', 1_000, sql`mode = 'paper'`);
  const testnet = await bot('test network', 200, sql`mode = 'live', exchange_id = 'sandbox'`);
  const live = await bot('real', 100, sql`mode = 'live', exchange_id = 'binance'`);
  const { strategyId } = await db.selectFrom('bots').select('strategyId').where('id', '=', live).executeTakeFirstOrThrow();
  const ask = () => admin.strategyPerformance({ params: { id: strategyId } });
  const trade = async (botId: string, mode: 'live' | 'testnet' | 'paper', profit: number, day: number, symbol = 'BTC/USDT') => {
    const closedAt = new Date(`2026-03-0${day}T10:00:00Z`);
    const row = aTradeRow(botId, { status: 'closed', mode, closedAt, symbol, profit: String(profit) });
    await db
      .insertInto('trades')
      .values({ ...row, engineState: JSON.stringify(row.engineState), stopMoves: '[]' })
      .execute();
  };
  const none = await ask();
  expect(none).toMatchObject({ total_pnl: 0, total_trades: 0, max_drawdown: 0, daily_pnl: [], leaves_out: false, other_modes: [] });
  expect(none.mode).toBeUndefined();
  await trade(paper, 'paper', 500, 1);
  await trade(paper, 'paper', -90, 2);
  expect(await ask()).toMatchObject({ mode: 'paper', total_pnl: 410, total_trades: 2, other_modes: [] });
  await trade(testnet, 'testnet', 7, 1);
  await trade(testnet, 'testnet', 0.2, 2, 'ETH/BTC');
  await trade(live, 'live', -20, 1);
  await trade(live, 'live', 5, 2);
  await trade(live, 'paper', 1_000_000, 2); // of before it was live
  const sharpe = (profits: readonly number[], startingBalance: number) =>
    performanceOf(
      profits.map((profit, i) => ({ closeTime: i * 86_400_000, profit })),
      { startingBalance, unrealizedPnl: 0 },
    ).sharpeRatio;
  expect(await ask()).toEqual({
    mode: 'live',
    total_pnl: -15,
    sharpe_ratio: sharpe([-20, 5], 300),
    win_rate: 0.5,
    total_trades: 2,
    winning_trades: 1,
    losing_trades: 1,
    max_drawdown: 20,
    daily_pnl: [
      { date: '2026-03-01', pnl: -20 },
      { date: '2026-03-02', pnl: 5 },
    ],
    leaves_out: false,
    other_modes: [
      expect.objectContaining({ mode: 'testnet', total_pnl: 7, total_trades: 2, leaves_out: true, sharpe_ratio: sharpe([7, 0], 600) }),
      expect.objectContaining({
        mode: 'paper',
        total_pnl: 410,
        max_drawdown: 90,
        leaves_out: false,
        sharpe_ratio: sharpe([500, -90], 3_000),
      }),
    ],
  });
});

test('a version is restored as a new one without touching the integrations; what trades came to is by version', async () => {
  const first = await update({ stoploss: -0.1, name: 'First' });
  await update({ stoploss: -0.4, name: 'Second', encrypted_webhook: 'https://discord.com/api/webhooks/1/a' });
  const botId = await addTestBot(db, { strategy: 'RsiReversal' });
  for (const [version, profit, symbol] of [
    [2, 5, 'BTC/USDT'],
    [3, -20, 'BTC/USDT'],
    [3, -1, 'ETH/USDC:USDC'],
    [3, 20_000, 'BTC/JPY'], // counted only: amounts of two currencies are not added
  ] as const) {
    const row = aTradeRow(botId, { status: 'closed', closedAt: new Date(), symbol, profit: String(profit), strategyVersion: version });
    await db
      .insertInto('trades')
      .values({ ...row, engineState: JSON.stringify(row.engineState), stopMoves: '[]' })
      .execute();
  }
  expect(await admin.restoreStrategyVersion({ params: { id, version: 2 } })).toEqual({
    ...first,
    version: 4,
    encrypted_webhook: 'https://discord.com/api/webhooks/1/a',
  });
  expect((await admin.listStrategyVersions({ params: { id } })).map(({ version, trades, pnl }) => [version, trades, pnl])).toEqual([
    [4, 0, 0],
    [3, 3, -21],
    [2, 1, 5],
    [1, 0, 0],
  ]);
  expect((await failure(admin.restoreStrategyVersion({ params: { id, version: 99 } }))).message).toBe('404 Version not found');
});
