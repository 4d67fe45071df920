import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { texts } from '#contract/errors.ts';
import { hasNoVersions, notTheNewest, runsItAlready } from '#contract/strategy-files.ts';
import { enterFileStrategy } from '#storage/strategies/strategies.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { noteStrategyFile } from '#storage/strategies/strategy-files.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { startMarket } from '../../../test/support/market.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect() });
const { db } = server.dependencies;
const admin = await server.signedIn('admin');
const owner = await server.signedIn('trader');
const other = await server.signedIn('trader');
let strategyId = '';
let botId = '';
let othersBot = '';
let builtIn = '';

const defaults = {
  timeframe: '5m',
  stoploss: -0.05,
  minimalRoi: { 0: 0.04 },
  trailingStop: false,
  trailingStopPositive: null,
  trailingStopPositiveOffset: null,
  trailingOnlyOffsetIsReached: false,
};
const described = (period: number) => ({
  exportName: 'default',
  name: 'Mine',
  title: 'My own',
  description: 'Buys rises.',
  losesWhen: 'It loses sideways.',
  kind: 'trend',
  canShort: false,
  startupCandles: 20,
  defaults,
  parameters: { period: { default: period, min: 2, max: 50, step: 1, meaning: 'Candles of the average.' } },
  callbacks: ['customExit'],
  stopAfterFill: false,
  series: [{ timeframe: '1h', startupCandles: 4 }],
});
const keep = (text: string, period = 10) =>
  keepCode(db, {
    strategyId,
    hash: text,
    file: 'mine.ts',
    exportName: 'default',
    files: { 'mine.ts': text },
    description: described(period),
    madeBy: null,
  });
const noted = (path: string, state: 'ready' | 'refused', strategies: string[], faults: string[] = []) =>
  noteStrategyFile(db, { path, state, faults, hash: null, strategies, computeMs: 4.1, memoryMb: 44, checkedAt: new Date() });
const take = (version: number, person = owner, id = botId) => person.takeVersion({ params: { id }, body: { version } });

beforeAll(async () => {
  builtIn = await addTestBot(db, { strategy: 'EmaCross', owner: owner.email, nickname: 'Built in' });
  botId = await addTestBot(db, { strategy: 'EmaCross', owner: owner.email, nickname: 'Swing' });
  othersBot = await addTestBot(db, { strategy: 'EmaCross', owner: other.email, nickname: 'Foreign' });
  const { minimalRoi, timeframe, trailingStopPositiveOffset, ...rest } = defaults;
  const entered = await enterFileStrategy(db, {
    ...rest,
    trailingStopPositiveOffset,
    className: 'Mine',
    name: 'My own',
    description: 'Buys rises.',
    supportedExchanges: ['sandbox'],
    defaultTimeframe: timeframe,
    minimalRoi,
    position: 1_000,
  });
  strategyId = entered?.id ?? '';
  const first = await keep('one');
  await db.updateTable('bots').set({ strategyId, codeId: first.id }).where('id', 'in', [botId, othersBot]).execute();
  await noted('mine.ts', 'ready', ['Mine']);
  await noted('night.ts', 'refused', [], ['night.ts cannot be loaded: Unexpected token (line 3)']);
});

describe('the files of strategies', () => {
  test('admins see folder, paths and faults; traders the strategies and who of their own bots runs which version', async () => {
    const seen = await admin.listStrategyFiles({});
    expect(seen.folder).toBe('/srv/flotilla/strategies');
    expect(seen.files).toMatchObject([
      {
        path: 'mine.ts',
        state: 'ready',
        compute_ms: 4.1,
        memory_mb: 44,
        strategies: [{ id: strategyId, name: 'My own', version: 1, bots: [{ nickname: 'Foreign' }, { nickname: 'Swing', version: 1 }] }],
      },
      { path: 'night.ts', state: 'refused', faults: ['night.ts cannot be loaded: Unexpected token (line 3)'], strategies: [] },
    ]);
    const own = await owner.listStrategyFiles({});
    expect(own.folder).toBeNull();
    expect(own.files).toMatchObject([{ path: null, faults: [], strategies: [{ name: 'My own', bots: [{ nickname: 'Swing' }] }] }]);
    expect(own.files[0]?.strategies[0]?.bots).toHaveLength(1);
    expect((await owner.listStrategies({})).strategies.find(({ id }) => id === strategyId)).toMatchObject({
      kind: 'file',
      code_version: 1,
    });
  });

  test('a file that breaks keeps its strategy in its row', async () => {
    await noted('mine.ts', 'refused', [], ['mine.ts: no']);
    expect((await admin.listStrategyFiles({})).files[0]).toMatchObject({
      state: 'refused',
      faults: ['mine.ts: no'],
      strategies: [{ version: 1 }],
    });
    expect((await owner.listStrategyFiles({})).files).toMatchObject([{ state: 'refused', faults: [], strategies: [{ version: 1 }] }]);
    await noted('mine.ts', 'ready', ['Mine']);
  });

  test('a version says what it is; its texts are for admins', async () => {
    const of = { params: { id: strategyId, version: 1 } };
    expect(await admin.strategyCode(of)).toMatchObject({
      file: 'mine.ts',
      files: { 'mine.ts': 'one' },
      stoploss: -0.05,
      callbacks: ['customExit'],
    });
    expect(await owner.strategyCode(of)).toMatchObject({ file: null, files: null, title: 'My own', startup_candles: 60 });
    expect((await owner.strategyCode(of)).series).toEqual([{ symbol: null, timeframe: '1h', startup_candles: 4 }]);
    expect((await failure(admin.strategyCode({ params: { id: strategyId, version: 9 } }))).message).toBe('404 Version not found');
  });
});

describe('a newer version', () => {
  test('is taken by nobody by itself, and by one bot with one press; its history and the audit log name both', async () => {
    await keep('two', 12);
    expect(await owner.getBot({ params: { id: botId } })).toMatchObject({ code_version: 1, newest_code_version: 2, version: 1 });
    const before = await db.selectFrom('bots').select(['signalsFrom', 'updatedAt']).where('id', '=', botId).executeTakeFirstOrThrow();
    let taking: Promise<unknown> = Promise.resolve();
    const turn = await db.transaction().execute(async (trx) => {
      await sql`select from bots where id = ${botId} for update`.execute(trx);
      taking = take(2);
      await untilWaiting(db, 1);
      server.pass(60_000);
      return server.dependencies.now().getTime();
    });
    expect(await taking).toMatchObject({ code_version: 2, newest_code_version: 2, version: 2 });
    const after = await db.selectFrom('bots').select(['signalsFrom', 'updatedAt']).where('id', '=', botId).executeTakeFirstOrThrow();
    expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime()); // so its runner reads it again
    // Each candle is decided by one of the two: those that closed before its turn by the version of before.
    expect(after.signalsFrom?.getTime()).toBeGreaterThanOrEqual(turn - 60_000);
    const [newest] = await owner.listBotVersions({ params: { id: botId } });
    expect(newest?.changes).toEqual([{ field: 'code_version', from: '1', to: '2' }]);
    expect((await listAudit(db, { action: 'take-version' }, 1)).lines).toMatchObject([{ target: botId, detail: { from: 1, to: 2 } }]);
    expect(await other.getBot({ params: { id: othersBot } })).toMatchObject({ code_version: 1 });
  });

  test('is the newest that the person has seen, and not one that the bot runs', async () => {
    expect((await failure(take(1))).message).toBe(`409 ${notTheNewest}`);
    expect((await failure(take(2))).message).toBe(`409 ${runsItAlready}`);
    expect((await failure(take(1, owner, builtIn))).message).toBe(`409 ${hasNoVersions}`);
    expect((await failure(take(2, other))).message).toBe(`403 ${texts.noAccessToBot}`);
  });

  test('stays when earlier settings of the bot are restored', async () => {
    const of = { params: { id: botId } };
    const restored = { params: { id: botId, version: 1 } };
    // Version 2 has the settings of version 1, and other code: to restore them changes nothing, and makes no version.
    expect(await owner.restoreBotVersion(restored)).toMatchObject({ code_version: 2, version: 2 });
    expect(await owner.getBot(of)).toMatchObject({ code_version: 2, version: 2 });
    expect(await owner.updateBot({ ...of, body: { stake_amount: 70 } })).toMatchObject({ stake_amount: 70, version: 3 });
    expect(await owner.restoreBotVersion(restored)).toMatchObject({ code_version: 2, version: 4 });
    expect(await owner.getBot(of)).toMatchObject({ code_version: 2, version: 4, stake_amount: 100 });
    await keep('three');
    expect(await take(3, admin)).toMatchObject({ code_version: 3 }); // an admin may for everybody
  });

  test('takes the password where the bot is live', async () => {
    await keep('four');
    await db.updateTable('bots').set({ mode: 'live' }).where('id', '=', othersBot).execute();
    await db
      .updateTable('sessions')
      .set({ authenticatedAt: new Date(Date.now() - 11 * 60_000) })
      .where('userId', '=', other.userId)
      .execute();
    expect((await failure(take(4, other, othersBot))).message).toBe(`403 ${texts.passwordNeeded}`);
    await db.updateTable('bots').set({ mode: 'paper' }).where('id', '=', othersBot).execute();
    expect(await take(4, other, othersBot)).toMatchObject({ code_version: 4 });
  });

  test('is not taken by a bot whose settings are others than the person has seen', async () => {
    const seen = (version: number) => ({ headers: { 'if-match': `"${version}"` } });
    const takeSeen = (version: number) => owner.takeVersion({ params: { id: botId }, body: { version: 4 } }, seen(version));
    const { version: shown } = await owner.getBot({ params: { id: botId } });
    const { version } = await owner.updateBot({ params: { id: botId }, body: { stake_amount: 90 } });
    expect((await failure(takeSeen(shown))).message).toBe(`409 ${texts.changedMeanwhile}`);
    expect(await owner.getBot({ params: { id: botId } })).toMatchObject({ code_version: 3, version });
    expect(await takeSeen(version)).toMatchObject({ code_version: 4 });
  });

  test('is taken by no live bot where it looks ahead', async () => {
    const lookAhead = 'Mine looks ahead: it reads the close of a later candle.';
    const python = { unannounced: [], readsAccount: false, lookAhead, remarks: [] };
    await keepCode(db, {
      strategyId,
      hash: 'ahead',
      file: 'mine.py',
      exportName: 'Mine',
      files: { 'mine.py': 'ahead' },
      description: { ...described(10), python },
      madeBy: null,
    });
    const mode = (to: 'live' | 'paper') => db.updateTable('bots').set({ mode: to }).where('id', '=', botId).execute();
    await mode('live');
    const { newest_code_version: newest } = await owner.getBot({ params: { id: botId } });
    await owner.confirmPassword({ body: { password } });
    const refused = `400 The strategy cannot run here: ${lookAhead}`;
    expect((await failure(take(newest ?? 0))).message).toBe(refused);
    // On paper it may run; from there no way leads to real orders.
    await mode('paper');
    expect(await take(newest ?? 0)).toMatchObject({ code_version: newest });
    expect((await failure(owner.changeBotMode({ params: { id: botId }, query: { mode: 'live' } }))).message).toBe(refused);
    await mode('live');
    await db.updateTable('bots').set({ status: 'paused' }).where('id', '=', botId).execute();
    expect((await failure(owner.toggleBot({ params: { id: botId }, query: { status: 'active' } }))).message).toBe(refused);
    await mode('paper');
    const body = {
      strategy_id: strategyId,
      user_email: owner.email,
      exchange_id: 'sandbox',
      margin_mode: 'spot' as const,
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 1,
      leverage: 1,
      leverage_mode: 'isolated' as const,
      trading_pairs: ['BTC/USDT'],
      mode: 'live' as const,
    };
    expect((await failure(owner.createBot({ body }))).message).toBe(refused);
  });
});
