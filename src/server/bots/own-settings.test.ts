import { trailingOffsetTooLow, trailingPositiveMissing } from '#contract/strategies.ts';
import { texts } from '#contract/errors.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { defaultExchanges } from '#exchange/default-exchanges.ts';
import { createMarketData } from '#exchange/market-data.ts';
import { Markets } from '#feeds/markets.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());
// Kraken is the market simulator here, with the timeframes that Kraken has.
const kraken = ['1m', '5m', '15m', '30m', '1h', '4h', '1d'] as const;
const server = await startTestServer({
  markets: new Markets(defaultExchanges, async (exchangeId, marketType) => {
    const data = createMarketData({ exchangeId: 'sandbox', marketType, sandboxUrl: sandbox.url, now: Date.now });
    return exchangeId === 'kraken' ? { ...data, timeframes: kraken } : data;
  }),
});
const { db } = server.dependencies;
await enterBuiltInStrategies(db);
const strategies = await listStrategies(db);
const emaCross = strategies.find(({ className }) => className === 'EmaCross')?.id ?? '';
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
const admin = await server.signedIn('admin');
const other = await server.signedIn('trader');

beforeEach(async () => {
  owner = await server.signedIn('trader');
  await sql`update strategies set stoploss = -0.05, default_timeframe = '5m', signals_from = null where id = ${emaCross}`.execute(db);
});

const create = (changes: object = {}) =>
  owner.createBot({
    body: {
      strategy_id: emaCross,
      exchange_id: 'sandbox',
      margin_mode: 'spot',
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 3,
      leverage: 1,
      trading_pairs: ['BTC/USDT'],
      user_email: owner.email,
      mode: 'paper',
      leverage_mode: 'isolated',
      ...changes,
    },
  });
const update = (id: string, own_settings: unknown, version?: number) =>
  owner.updateBot(
    { params: { id }, body: { own_settings: own_settings as object } },
    version === undefined ? undefined : { headers: { 'if-match': `"${version}"` } },
  );
const trailing = (changes: object = {}) => ({
  trailing_stop: true,
  trailing_stop_positive: 0.01,
  trailing_stop_positive_offset: 0.02,
  trailing_only_offset_is_reached: true,
  ...changes,
});
const all = {
  timeframe: '1h',
  stoploss: -0.02,
  trailing: trailing(),
  max_consecutive_losses: 3,
  risk_reward_ratio: 2,
  minimal_roi: { 0: 0.04, 60: 0.01 },
  order_types: { entry: 'market' },
  order_time_in_force: { exit: 'IOC' },
  parameters: { fastPeriod: 8, filterPeriod: 120 },
} as const;
const signalsFromOf = async (id: string): Promise<number | undefined> =>
  (await db.selectFrom('bots').select('signalsFrom').where('id', '=', id).executeTakeFirstOrThrow()).signalsFrom?.getTime();

describe('OP-32 own settings of a bot', () => {
  test('a new bot inherits everything; one made with its own has them, and trades with them', async () => {
    expect(await create()).toMatchObject({ own_settings: {}, own_settings_ignored: [], stoploss: -0.05, timeframe: '5m' });
    expect(await create({ own_settings: all })).toMatchObject({
      own_settings: all,
      timeframe: '1h',
      stoploss: -0.02,
      trailing_stop: true,
      max_consecutive_losses: 3,
      minimal_roi: { 0: 0.04, 60: 0.01 },
      version: 1,
    });
  });

  test('each is set and given back by itself; what a change does not name stays, and each change is a version', async () => {
    const bot = await create();
    expect((await update(bot.id, { stoploss: -0.02 })).own_settings).toEqual({ stoploss: -0.02 });
    expect((await update(bot.id, { ...all, stoploss: undefined })).own_settings).toEqual(all);
    const given: [object, object][] = [
      [{ stoploss: null }, { ...all, stoploss: undefined }],
      [{ order_types: { exit: 'limit' } }, { ...all, stoploss: undefined, order_types: { entry: 'market', exit: 'limit' } }],
      [{ order_types: { entry: null, exit: null } }, { ...all, stoploss: undefined, order_types: undefined }],
      [
        { parameters: { fastPeriod: null, slowPeriod: 30 } },
        { ...all, stoploss: undefined, order_types: undefined, parameters: { filterPeriod: 120, slowPeriod: 30 } },
      ],
      [
        { trailing: null, timeframe: null, minimal_roi: null, order_time_in_force: null },
        { max_consecutive_losses: 3, risk_reward_ratio: 2, parameters: { filterPeriod: 120, slowPeriod: 30 } },
      ],
      [{ risk_reward_ratio: 0 }, { max_consecutive_losses: 3, risk_reward_ratio: 0, parameters: { filterPeriod: 120, slowPeriod: 30 } }],
      [{ risk_reward_ratio: null, parameters: null, max_consecutive_losses: null }, {}],
    ];
    for (const [change, left] of given) expect((await update(bot.id, change)).own_settings).toEqual(JSON.parse(JSON.stringify(left)));
    expect(await owner.getBot({ params: { id: bot.id } })).toMatchObject({ own_settings: {}, stoploss: -0.05, version: 10 });
  });

  test('follows its strategy in what it inherits, and in nothing else', async () => {
    const bot = await create({ own_settings: { stoploss: -0.02 } });
    await admin.updateStrategy({ params: { id: emaCross }, body: { stoploss: -0.11, default_timeframe: '15m' } });
    expect(await owner.getBot({ params: { id: bot.id } })).toMatchObject({ stoploss: -0.02, timeframe: '15m', effective_stoploss: -0.02 });
    expect((await update(bot.id, { stoploss: null })).stoploss).toBe(-0.11);
  });

  test.each([
    [[], 'Invalid request'],
    [null, 'Invalid request'],
    ['all', 'Invalid request'],
    [{ stop: -0.1 }, 'Unknown field: stop'],
    [{ timeframe: '2m' }, 'Invalid timeframe'],
    [{ timeframe: 5 }, 'Invalid request'],
    [{ stoploss: 0.1 }, 'Stop loss must be a negative fraction'],
    [{ stoploss: 0 }, 'Stop loss must be a negative fraction'],
    [{ stoploss: -1.01 }, 'Stop loss must be a negative fraction'],
    [{ stoploss: '-0.1' }, 'Invalid request'],
    [{ trailing: true }, 'Invalid request'],
    [{ trailing: { trailing_stop: true } }, 'Trailing stop must be a positive fraction'],
    [{ trailing: trailing({ trailing_stop_positive: 1 }) }, 'Trailing stop must be a positive fraction'],
    [{ trailing: trailing({ trailing_stop_positive: 0.03 }) }, trailingOffsetTooLow],
    [{ trailing: trailing({ trailing_stop_positive: 0 }) }, trailingPositiveMissing],
    [{ trailing: trailing({ distance: 1 }) }, 'Unknown field: distance'],
    [{ max_consecutive_losses: 11 }, 'Max consecutive losses must be between 1 and 10'],
    [{ max_consecutive_losses: 2.5 }, 'Max consecutive losses must be between 1 and 10'],
    [{ risk_reward_ratio: 0.05 }, 'Risk reward ratio must be at least 0.1'],
    [{ minimal_roi: {} }, 'ROI must have 1 to 3 entries'],
    [{ minimal_roi: { soon: 0.1 } }, 'Invalid ROI entry'],
    [{ minimal_roi: { 0: 0.01, 60: 0.05 } }, 'ROI must not rise with time'],
    [{ minimal_roi: [0.1] }, 'Invalid request'],
    [{ order_types: { entry: 'stop' } }, 'Invalid order type'],
    [{ order_types: { opening: 'limit' } }, 'Invalid order type'],
    [{ order_time_in_force: { entry: 'DAY' } }, 'Invalid time in force'],
    [{ parameters: { fastPeriod: '8' } }, 'Invalid request'],
    [{ parameters: { fastPeriod: 26 } }, 'Parameter fastPeriod must be from 5 to 25 in steps of 1'],
    [{ parameters: { fastPeriod: 8.5 } }, 'Parameter fastPeriod must be from 5 to 25 in steps of 1'],
    [{ parameters: { period: 8 } }, 'Unknown parameter: period'],
    [{ parameters: { constructor: 1 } }, 'Unknown parameter: constructor'],
  ])('API-34, API-33 %j: %s; nothing is changed', async (own, text) => {
    const bot = await create({ own_settings: { stoploss: -0.03 } });
    expect((await failure(update(bot.id, own))).message).toBe(`400 ${text}`);
    expect((await failure(create({ own_settings: own }))).message).toBe(`400 ${text}`);
    const asked = owner.botHindsight({ params: { id: bot.id }, body: { own_settings: own as object } });
    expect((await failure(asked)).message).toBe(`400 ${text}`);
    expect(await owner.getBot({ params: { id: bot.id } })).toMatchObject({ own_settings: { stoploss: -0.03 }, version: 1 });
  });

  test('API-34 a timeframe must be one of the exchange, also of one that the bot moves to', async () => {
    await sql`update strategies set supported_exchanges = '{kraken}' where id = ${emaCross}`.execute(db);
    const refused = '400 Timeframe not offered by this exchange: 3m';
    expect((await failure(create({ exchange_id: 'kraken', own_settings: { timeframe: '3m' } }))).message).toBe(refused);
    const bot = await create({ own_settings: { timeframe: '3m' } });
    expect((await failure(owner.updateBot({ params: { id: bot.id }, body: { exchange_id: 'kraken' } }))).message).toBe(refused);
    const body = { exchange_id: 'kraken', own_settings: { timeframe: null } } as const;
    expect(await owner.updateBot({ params: { id: bot.id }, body })).toMatchObject({ exchange_id: 'kraken', timeframe: '5m' });
    expect((await failure(update(bot.id, { timeframe: '3m' }))).message).toBe(refused);
    expect((await update(bot.id, { timeframe: '30m' })).timeframe).toBe('30m');
  });

  test('API-34, API-39 nor may the timeframe of its strategy be one that the exchange does not have, where the bot has none of its own', async () => {
    const refused = '400 Timeframe not offered by this exchange: 3m';
    const setDefault = (timeframe: '3m' | '5m' | '30m') =>
      admin.updateStrategy({ params: { id: emaCross }, body: { default_timeframe: timeframe } });
    await sql`update strategies set supported_exchanges = '{kraken}', default_timeframe = '3m' where id = ${emaCross}`.execute(db);
    expect((await failure(create({ exchange_id: 'kraken' }))).message).toBe(refused);
    const ofItsOwn = await create({ exchange_id: 'kraken', own_settings: { timeframe: '5m' } });
    expect((await failure(update(ofItsOwn.id, { timeframe: null }))).message).toBe(refused);
    const inherits = await create();
    expect((await failure(owner.updateBot({ params: { id: inherits.id }, body: { exchange_id: 'kraken' } }))).message).toBe(refused);
    const asked = owner.botHindsight({ params: { id: inherits.id }, body: { exchange_id: 'kraken' } });
    expect((await failure(asked)).message).toBe(refused);
    // What is not offered is refused for those that follow the strategy, and for nobody else.
    await setDefault('5m');
    await setDefault('3m');
    await setDefault('5m');
    await owner.updateBot({ params: { id: inherits.id }, body: { exchange_id: 'kraken' } });
    const there = '400 Bots of this strategy trade at an exchange without this timeframe: Kraken';
    expect((await failure(setDefault('3m'))).message).toBe(there);
    const versions = await admin.listStrategyVersions({ params: { id: emaCross } });
    const before = versions.find(({ changes }) => changes.some(({ field, to }) => field === 'default_timeframe' && to === '3m'));
    const restore = admin.restoreStrategyVersion({ params: { id: emaCross, version: before?.version ?? 0 } });
    expect((await failure(restore)).message).toBe(there);
    await setDefault('30m');
    await sql`update bots set archived_at = now(), status = 'stopped' where id = ${inherits.id}`.execute(db);
    expect(await setDefault('3m')).toMatchObject({ default_timeframe: '3m' });
    // Nobody was asked about the one in the archive: it comes back, and is not started on candles that are not there.
    const about = { params: { id: inherits.id } };
    await owner.bringBackBot(about);
    for (const start of [
      owner.toggleBot({ ...about, query: { status: 'active' } }),
      admin.setBotStatus({ ...about, body: { status: 'active' } }),
    ])
      expect((await failure(start)).message).toBe(refused);
    await update(inherits.id, { timeframe: '5m' });
    expect(await owner.toggleBot({ ...about, query: { status: 'active' } })).toMatchObject({ status: 'active' });
  });

  test('a parameter that its strategy no longer has or allows is inherited, named, and can be given back', async () => {
    const bot = await create({ own_settings: { parameters: { fastPeriod: 8 } } });
    await sql`update bots set own_settings = '{"parameters": {"fastPeriod": 8, "gone": 3, "slowPeriod": 99}}' where id = ${bot.id}`.execute(
      db,
    );
    expect(await owner.getBot({ params: { id: bot.id } })).toMatchObject({
      own_settings: { parameters: { fastPeriod: 8, gone: 3, slowPeriod: 99 } },
      own_settings_ignored: ['gone', 'slowPeriod'],
    });
    // Changing something else loses nothing of it.
    expect((await update(bot.id, { stoploss: -0.01 })).own_settings.parameters).toEqual({ fastPeriod: 8, gone: 3, slowPeriod: 99 });
    expect(await update(bot.id, { parameters: { gone: null, slowPeriod: 30 } })).toMatchObject({
      own_settings: { parameters: { fastPeriod: 8, slowPeriod: 30 } },
      own_settings_ignored: [],
    });
  });

  test('OP-26 the list shows them to the owner and to admins alone, with archived bots too', async () => {
    const { id } = await create({ own_settings: { ...all, timeframe: '15m', stoploss: -0.0123 } });
    await sql`update bots set own_settings = jsonb_set(own_settings, '{parameters,gone}', '3') where id = ${id}`.execute(db);
    const people = [owner, admin, other, await server.signedIn('operator'), await server.signedIn('investor')];
    const shown = async () =>
      Promise.all(
        people.map(async (person) => {
          const bots = [...(await person.listBots({})), ...(await person.listArchivedBots({}))];
          return bots.find((bot) => bot.id === id);
        }),
      );
    const seen = { own_settings: { stoploss: -0.0123, parameters: { gone: 3 } }, own_settings_ignored: ['gone'] };
    const hidden = { own_settings: {}, own_settings_ignored: [], timeframe: '15m', stoploss: -0.0123 }; // what every list has stays
    const expectShown = async () => {
      const [own, byAdmin, ...byOthers] = await shown();
      expect([own, byAdmin]).toMatchObject([seen, seen]);
      expect(byOthers).toHaveLength(3);
      for (const bot of byOthers) {
        expect(bot).toMatchObject(hidden);
        expect([bot?.own_settings, bot?.own_settings_ignored]).toEqual([{}, []]);
      }
    };
    await expectShown();
    await owner.toggleBot({ params: { id }, query: { status: 'stopped' } });
    await owner.archiveBot({ params: { id } });
    await expectShown();
  });

  test('the history names each, a restore brings them back, and a version of before they were kept leaves them', async () => {
    const bot = await create();
    await update(bot.id, all);
    await update(bot.id, { ...all, stoploss: null, risk_reward_ratio: 0, trailing: trailing({ trailing_stop: false }), parameters: null });
    const changesOf = async () => (await owner.listBotVersions({ params: { id: bot.id } })).map(({ changes }) => changes);
    expect((await changesOf()).slice(0, 2)).toEqual([
      [
        { field: 'own.stoploss', from: '-0.02', to: 'inherited' },
        { field: 'own.risk_reward_ratio', from: '2', to: 'none' },
        { field: 'own.trailing', from: '0.01 from a profit of 0.02, not below', to: 'off' },
        { field: 'own.parameters.fastPeriod', from: '8', to: 'inherited' },
        { field: 'own.parameters.filterPeriod', from: '120', to: 'inherited' },
      ],
      [
        { field: 'own.timeframe', from: 'inherited', to: '1h' },
        { field: 'own.stoploss', from: 'inherited', to: '-0.02' },
        { field: 'own.max_consecutive_losses', from: 'inherited', to: '3' },
        { field: 'own.risk_reward_ratio', from: 'inherited', to: '2' },
        { field: 'own.trailing', from: 'inherited', to: '0.01 from a profit of 0.02, not below' },
        { field: 'own.minimal_roi', from: 'inherited', to: '0: 0.04, 60: 0.01' },
        { field: 'own.order_types.entry', from: 'inherited', to: 'market' },
        { field: 'own.order_time_in_force.exit', from: 'inherited', to: 'IOC' },
        { field: 'own.parameters.fastPeriod', from: 'inherited', to: '8' },
        { field: 'own.parameters.filterPeriod', from: 'inherited', to: '120' },
      ],
    ]);
    const { lines } = await listAudit(db, { action: 'change-bot' }, 1);
    expect(lines[0]).toMatchObject({ target: bot.id, detail: { 'own.stoploss': { from: '-0.02', to: 'inherited' } } });
    const restore = (version: number) => owner.restoreBotVersion({ params: { id: bot.id, version } });
    expect((await restore(2)).own_settings).toEqual(all);
    expect((await restore(1)).own_settings).toEqual({});
    await update(bot.id, { stoploss: -0.09 });
    await sql`update bot_versions set settings = settings - 'ownSettings' where bot_id = ${bot.id} and version = 2`.execute(db);
    expect((await restore(2)).own_settings).toEqual({ stoploss: -0.09 });
    expect((await changesOf())[0]).toEqual([{ field: 'own.stoploss', from: 'inherited', to: '-0.09' }]); // nothing has changed since
  });

  test('of two people who save at once one is refused', async () => {
    const bot = await create();
    await update(bot.id, { stoploss: -0.02 }, 1);
    expect((await failure(update(bot.id, { stoploss: -0.9 }, 1))).message).toBe(`409 ${texts.changedMeanwhile}`);
    const made = await Promise.allSettled(Array.from({ length: 5 }, (_, i) => update(bot.id, { max_consecutive_losses: 1 + i }, 2)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await owner.getBot({ params: { id: bot.id } })).own_settings.stoploss).toBe(-0.02);
  });

  test('OP-05 are for the owner and admins to set', async () => {
    const bot = await create();
    const body = { own_settings: { stoploss: -0.5 } };
    expect((await failure(other.updateBot({ params: { id: bot.id }, body }))).message).toBe('403 You do not have access to this bot');
    expect((await admin.updateBot({ params: { id: bot.id }, body })).stoploss).toBe(-0.5);
  });
});

describe('which candles count after a change', () => {
  const before = (reply: { last_updated: string }, ms: number): number => Date.parse(reply.last_updated) - ms;

  test('other parameters decide from the next candle that closes; what changes no signal leaves it', async () => {
    const bot = await create({ own_settings: { stoploss: -0.02 } });
    await update(bot.id, { stoploss: -0.03, minimal_roi: { 0: 0.1 }, order_types: { entry: 'market' } });
    await update(bot.id, { parameters: { fastPeriod: 12 } }); // what it inherits anyway
    expect(await signalsFromOf(bot.id)).toBeUndefined();
    const first = before(await update(bot.id, { parameters: { fastPeriod: 8 } }), 5 * minuteMs);
    expect(await signalsFromOf(bot.id)).toBe(first);
    server.pass(minuteMs);
    await update(bot.id, { max_consecutive_losses: 2 });
    expect(await signalsFromOf(bot.id)).toBe(first);
    const second = before(await update(bot.id, { parameters: null }), 5 * minuteMs);
    expect(await signalsFromOf(bot.id)).toBe(second);
    expect(second).toBeGreaterThan(first);
  });

  test('a longer timeframe counts from a candle that holds none that was decided, and a later change never brings earlier ones back', async () => {
    const bot = await create();
    const first = before(await update(bot.id, { timeframe: '4h' }), 5 * minuteMs);
    expect(await signalsFromOf(bot.id)).toBe(first);
    await update(bot.id, { parameters: { fastPeriod: 8 } }); // by itself this would be four hours ago
    expect(await signalsFromOf(bot.id)).toBe(first);
  });

  test('a candle that closed while the change waited for its turn is one of before: of a bot, and of a strategy', async () => {
    const bot = await create();
    const waiting = async (row: ReturnType<typeof sql>, change: () => Promise<unknown>): Promise<number> => {
      let changed: Promise<unknown> = Promise.resolve();
      let turn = 0;
      await db.transaction().execute(async (trx) => {
        await row.execute(trx);
        changed = change();
        await untilWaiting(db, 1);
        server.pass(minuteMs);
        turn = server.dependencies.now().getTime(); // before the change has the row: afterwards it may have gone on already
      });
      await changed;
      return turn - 5 * minuteMs;
    };
    const ofBot = await waiting(sql`select from bots where id = ${bot.id} for update`, () =>
      update(bot.id, { parameters: { fastPeriod: 8 } }),
    );
    expect(await signalsFromOf(bot.id)).toBeGreaterThanOrEqual(ofBot);
    const ofStrategy = await waiting(sql`select from strategies where id = ${emaCross} for update`, () =>
      admin.updateStrategy({ params: { id: emaCross }, body: { default_timeframe: '1h' } }),
    );
    const { signalsFrom } = await db.selectFrom('strategies').select('signalsFrom').where('id', '=', emaCross).executeTakeFirstOrThrow();
    expect(signalsFrom?.getTime()).toBeGreaterThanOrEqual(ofStrategy);
  });

  test('another timeframe of the strategy counts alike for the bots that inherit it', async () => {
    const ofStrategy = () =>
      db.selectFrom('strategies').select(['signalsFrom', 'updatedAt']).where('id', '=', emaCross).executeTakeFirstOrThrow();
    await admin.updateStrategy({ params: { id: emaCross }, body: { stoploss: -0.07 } });
    expect((await ofStrategy()).signalsFrom).toBeNull();
    await admin.updateStrategy({ params: { id: emaCross }, body: { default_timeframe: '1h' } });
    const { signalsFrom, updatedAt } = await ofStrategy();
    expect(signalsFrom?.getTime()).toBe(updatedAt.getTime() - 5 * minuteMs);
  });
});

test('OP-36 a live bot may always be made safer; all else of its own settings takes the password', async () => {
  const bot = await create({ own_settings: { stoploss: -0.04, max_consecutive_losses: 4 } });
  await sql`update bots set mode = 'live' where id = ${bot.id}`.execute(db);
  await sql`update strategies set trailing_stop = false where id = ${emaCross}`.execute(db);
  server.pass(11 * minuteMs);
  const safer = [
    { stoploss: -0.03 },
    { max_consecutive_losses: 3 },
    { trailing: trailing() },
    { parameters: { fastPeriod: 12 } }, // what it inherits anyway
    {},
  ];
  for (const own of safer) expect((await update(bot.id, own)).own_settings).toMatchObject(own);
  const others = [
    { stoploss: -0.031 },
    { stoploss: null },
    { max_consecutive_losses: 4 },
    { trailing: null },
    { trailing: trailing({ trailing_stop_positive: 0.011 }) },
    { timeframe: '1h' },
    { risk_reward_ratio: 2 },
    { minimal_roi: { 0: 0.5 } },
    { order_types: { entry: 'market' } },
    { order_time_in_force: { entry: 'IOC' } },
    { parameters: { fastPeriod: 8 } },
    { stoploss: -0.01, parameters: { fastPeriod: 8 } },
  ];
  for (const own of others) expect((await failure(update(bot.id, own))).message, JSON.stringify(own)).toBe(`403 ${texts.passwordNeeded}`);
  expect((await failure(owner.restoreBotVersion({ params: { id: bot.id, version: 1 } }))).message).toBe(`403 ${texts.passwordNeeded}`);
  await owner.confirmPassword({ body: { password } });
  for (const own of others) await update(bot.id, own);
});
