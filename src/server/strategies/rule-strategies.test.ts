import { any, compare, indicator, number } from '#engine/rules/pieces.ts';
import { faultsOf } from '#engine/rules/faults.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { rsiReversal } from '#engine/rules/templates/rsi-reversal.ts';
import type { Operand, RulesDocument } from '#engine/rules/document.ts';
import { faultyRules, notYourRules, rulesInUse, rulesTooLarge, tooManyRules, tradersOnly } from '#contract/rule-strategies.ts';
import { rulesDocument } from '#contract/rules.ts';
import { notSharedAnyMore } from '#contract/strategy-files.ts';
import { otherMode, rulesRemoved } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { setRemoved, setShared } from '#storage/strategies/rule-strategies.ts';
import { addBacktest } from '#storage/backtests/backtests.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import { newestCode } from '#storage/strategies/strategy-code.ts';
import { addStudy } from '#storage/studies/studies.ts';
import { aBacktest } from '#storage/testing/a-backtest.ts';
import { aStudy } from '#storage/testing/a-study.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { startMarket } from '../../../test/support/market.ts';
import { failure, origin, startTestServer } from '../../../test/support/test-server.ts';
import type { TestBrowser } from '../../../test/support/test-server.ts';
import { documentsOfVersions } from './documents-of-versions.ts';
import { codeOfRules } from './rules-to-keep.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect() });
const { db } = server.dependencies;
const [admin, operator, investor] = [await server.signedIn('admin'), await server.signedIn('operator'), await server.signedIn('investor')];
const [maker, other] = [await server.signedIn('trader'), await server.signedIn('trader')];

beforeEach(async () => {
  await sql`delete from bots`.execute(db);
  await sql`delete from strategies where kind = 'rules'`.execute(db);
});

const make = (document: RulesDocument = emaCross, by: TestBrowser = maker) => by.makeRules({ body: { document } });
const save = (id: string, document: RulesDocument, based_on: number, by: TestBrowser = maker) =>
  by.saveRules({ params: { id }, body: { document, based_on } });
const share = (id: string, is_shared: boolean, by: TestBrowser = maker) => by.shareRules({ params: { id }, body: { is_shared } });
const remove = (id: string, by: TestBrowser = maker) => by.removeRules({ params: { id }, body: {} });
const botOf = (strategy_id: string, user_email: string) => ({
  strategy_id,
  exchange_id: 'sandbox',
  margin_mode: 'spot' as const,
  stake_currency: 'USDT',
  stake_amount: 100,
  max_open_trades: 1,
  leverage: 1,
  trading_pairs: ['BTC/USDT'],
  user_email,
  mode: 'paper' as const,
  leverage_mode: 'isolated' as const,
});
const plan = {
  exchange: 'Sandbox',
  trading_mode: 'spot' as const,
  pairs: ['BTC/USDT', 'ETH/USDT'],
  from: '2026-01-01',
  to: '2026-01-10',
  timeframe: '1h' as const,
  detail_timeframe: null,
  max_open_trades: 2,
  starting_balance: 1_000,
  stake_amount: 100,
  leverage: 1,
  fee_ratio: null,
  slippage_ratio: 0,
  protections: [],
};
const makeBot = (id: string, by: TestBrowser & { email: string } = maker) => by.createBot({ body: botOf(id, by.email) });
const messageOf = async (call: Promise<unknown>): Promise<string> => (await failure(call)).message;

/** What of an id each call says that takes one, or lists it: null where it is not there for the caller. */
const seenBy = async (person: TestBrowser & { email: string }, id: string) => {
  const params = { id };
  const has = async (call: Promise<unknown>): Promise<boolean> => {
    try {
      await call;
      return true;
    } catch (error) {
      expect(String(error)).toMatch(/404 (Strategy not found|Version not found)/u);
      return false;
    }
  };
  return {
    list: (await person.listRules({})).rules.some((rules) => rules.id === id),
    strategies: (await person.listStrategies({})).strategies.some((strategy) => strategy.id === id),
    details: await has(person.strategyDetails({ params })),
    performance: await has(person.strategyPerformance({ params })),
    bots: await has(person.strategyBots({ params })),
    versions: await has(person.listRuleVersions({ params })),
    version: await has(person.ruleVersion({ params: { id, version: 1 } })),
    code: await has(person.strategyCode({ params: { id, version: 1 } })),
  };
};
const everywhere = {
  list: true,
  strategies: true,
  details: true,
  performance: true,
  bots: true,
  versions: true,
  version: true,
  code: true,
};
const nowhere = Object.fromEntries(Object.keys(everywhere).map((name) => [name, false]));

describe('making', () => {
  test('gives a strategy of its maker with its first version, the settings that the document suggests and a line in the audit log', async () => {
    const made = await make();
    expect(made).toMatchObject({
      name: 'EMA cross',
      owner: { id: maker.userId, email: maker.email },
      is_own: true,
      is_shared: false,
      version: 1,
      document: emaCross,
      bots: [],
    });
    const strategy = (await maker.listStrategies({})).strategies.find(({ id }) => id === made.id);
    const { timeframe, stoploss, minimalRoi } = emaCross.defaults;
    expect(strategy).toMatchObject({
      kind: 'rules',
      code_version: 1,
      default_timeframe: timeframe,
      stoploss,
      minimal_roi: minimalRoi,
      supported_exchanges: expect.arrayContaining(['sandbox', 'binance']) as string[],
    });
    expect(await maker.strategyDetails({ params: { id: made.id } })).toMatchObject({
      can_short: emaCross.enterShort.length > 0,
      loses_when: emaCross.losesWhen,
      parameters: expect.arrayContaining([expect.objectContaining({ name: 'fastPeriod' })]) as object[],
    });
    expect((await listAudit(db, { action: 'make-rules', search: 'ema cross' }, 1)).lines).toMatchObject([
      { target: made.id, targetName: 'EMA cross', detail: { name: 'EMA cross' } },
    ]);
  });

  test('is for traders and admins', async () => {
    for (const person of [operator, investor]) expect(await messageOf(make(emaCross, person))).toBe(`403 ${tradersOnly}`);
    expect(await make(emaCross, admin)).toMatchObject({ is_own: true });
  });

  test.each<[string, Partial<RulesDocument>, string]>([
    ['nothing enters', { enterLong: [], enterShort: [] }, faultyRules],
    ['its timeframe is none that a strategy may have', { defaults: { ...emaCross.defaults, timeframe: '2h' } }, 'Invalid timeframe'],
    [
      'its stops contradict each other',
      { defaults: { ...emaCross.defaults, trailingStop: true, trailingStopPositive: 0.02, trailingStopPositiveOffset: 0.01 } },
      'Trailing stop offset must be above the positive trailing stop',
    ],
  ])('refuses a document where %s, and keeps nothing', async (_, change, sentence) => {
    expect(await messageOf(make({ ...emaCross, ...change }))).toBe(`400 ${sentence}`);
    expect((await maker.listRules({})).rules).toEqual([]);
  });

  test('refuses what is not a document, or is too large, in the words of every call', async () => {
    for (const document of [{}, { ...emaCross, version: 2 }, { ...emaCross, more: 1 }, { ...emaCross, description: 'x'.repeat(300_000) }])
      expect(await messageOf(make(document as RulesDocument))).toMatch(/^4(00|13) Invalid request$/u);
  });

  test('ends at 200, also when two are made at once; what was removed does not count', async () => {
    const made = await make();
    await sql`insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
        trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position, kind, owner_id)
      select 'R' || n, 'R' || n, '', '{}', '5m', -0.1, false, false, '{}', '{}', '{}', 2000, 'rules', ${maker.userId} from generate_series(1, 198) n`.execute(
      db,
    );
    const both = await Promise.allSettled([make(), make()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await messageOf(make())).toBe(`409 ${tooManyRules}`);
    expect(await make(emaCross, other)).toMatchObject({ is_own: true }); // of each person
    await remove(made.id);
    expect(await make()).toMatchObject({ version: 1 });
  });
});

test('the description of the API names the form of a document, and does not write it out', async () => {
  const { body, statusCode } = await server.app.inject({ url: '/api/openapi.json', headers: { host: 'localhost:3000' } });
  expect(statusCode).toBe(200);
  expect(body.length).toBeLessThan(1_000_000);
  expect(body).toContain('A document of rules');
});

describe('saving', () => {
  test('makes a version; the same again makes none; what was changed meanwhile is not lost', async () => {
    const { id } = await make();
    expect(await save(id, { ...emaCross, title: 'Mine' }, 1)).toMatchObject({ version: 2, name: 'Mine' });
    // The database keeps fields in another sequence.
    expect(await save(id, JSON.parse(JSON.stringify({ ...emaCross, title: 'Mine' })) as RulesDocument, 2)).toMatchObject({ version: 2 });
    expect(await messageOf(save(id, { ...emaCross, title: 'Late' }, 1))).toBe(`409 ${texts.changedMeanwhile}`);
    expect((await maker.listRuleVersions({ params: { id } })).versions).toMatchObject([
      { version: 2, made_by: maker.email, document: { title: 'Mine' } },
      { version: 1, document: { title: 'EMA cross' } },
    ]);
    expect((await findStrategyById(db, id))?.name).toBe('Mine');
    expect((await listAudit(db, { action: 'save-rules' }, 5)).lines).toMatchObject([{ target: id, detail: { from: 1, to: 2 } }]);
    expect(await messageOf(maker.ruleVersion({ params: { id, version: 7 } }))).toBe('404 Version not found');
  });

  test('is for the maker and admins', async () => {
    const { id } = await make();
    expect(await messageOf(save(id, rsiReversal, 1, other))).toBe('404 Strategy not found');
    await share(id, true);
    expect(await messageOf(save(id, rsiReversal, 1, other))).toBe(`403 ${notYourRules}`);
    expect(await messageOf(share(id, false, other))).toBe(`403 ${notYourRules}`);
    expect(await messageOf(remove(id, other))).toBe(`403 ${notYourRules}`);
    expect(await save(id, rsiReversal, 1, admin)).toMatchObject({ version: 2, is_own: false, owner: { id: maker.userId } });
    // An admin's address is not for everybody.
    expect((await maker.listRuleVersions({ params: { id } })).versions.map(({ made_by }) => made_by)).toEqual([null, maker.email]);
    const builtIn = (await maker.listStrategies({})).strategies.find(({ kind }) => kind === 'built-in');
    if (builtIn !== undefined) expect(await messageOf(save(builtIn.id, emaCross, 1, admin))).toBe('404 Strategy not found');
  });

  const tighter: RulesDocument = {
    ...emaCross,
    defaults: { ...emaCross.defaults, timeframe: '15m', stoploss: -0.01, minimalRoi: { 0: 0.02 } },
  };
  const settingsOf = async (id: string) => {
    const strategy = await findStrategyById(db, id);
    return [strategy?.defaultTimeframe, Number(strategy?.stoploss), strategy?.minimalRoi];
  };

  test('moves the suggested settings of the strategy while no bot uses it and nobody has set others', async () => {
    const { id } = await make();
    await save(id, tighter, 1);
    expect(await settingsOf(id)).toEqual(['15m', -0.01, { 0: 0.02 }]);
    await admin.updateStrategy({ params: { id }, body: { stoploss: -0.3 } });
    await save(id, emaCross, 2);
    expect(await settingsOf(id)).toEqual(['15m', -0.3, { 0: 0.02 }]);
  });

  test.each([
    { minimal_roi: { 0: 0.5 } },
    { default_timeframe: '30m' as const },
    { trailing_stop: false, trailing_only_offset_is_reached: false },
    { trailing_stop_positive: 0.012 },
    { trailing_stop_positive_offset: 0.05 },
  ])('leaves what an administrator has set: %j', async (body) => {
    const { id } = await make();
    await admin.updateStrategy({ params: { id }, body });
    const before = await settingsOf(id);
    await save(id, tighter, 1);
    expect(await settingsOf(id)).toEqual(before);
  });

  test('leaves them where a bot uses it, and does not start its bots again', async () => {
    const { id } = await make();
    const before = await settingsOf(id);
    const bot = await makeBot(id);
    const updatedAt = async () => [
      (await findStrategyById(db, id))?.updatedAt,
      (await maker.getBot({ params: { id: bot.id } })).last_updated,
    ];
    const was = await updatedAt();
    await save(id, { ...tighter, title: 'Tighter' }, 1);
    expect(await settingsOf(id)).toEqual(before);
    expect(await updatedAt()).toEqual(was);
    expect(await maker.getBot({ params: { id: bot.id } })).toMatchObject({
      strategy_name: 'Tighter',
      code_version: 1,
      newest_code_version: 2,
    });
    // An archived bot does not trade.
    await maker.toggleBot({ params: { id: bot.id }, query: { status: 'stopped' } });
    await maker.archiveBot({ params: { id: bot.id } });
    await save(id, { ...emaCross, title: 'Again' }, 2);
    expect(await settingsOf(id)).toEqual(before);
    await save(id, { ...tighter, title: 'Once more' }, 3);
    expect(await settingsOf(id)).toEqual(['15m', -0.01, { 0: 0.02 }]);
  });

  test('keeps the newest hundred versions, and those that a bot, a backtest or a study has used', async () => {
    const { id } = await make();
    const [stays, moves] = [await makeBot(id), await makeBot(id)];
    for (let version = 1; version < 107; version++) {
      if (version % 50 === 1) server.pass(61_000); // changes are counted by the minute
      await save(id, { ...emaCross, title: `Version ${version + 1}` }, version);
      // One of the bots runs the third for a while and then the fifth: what it earned with the third is in its history.
      if (version === 2 || version === 4) await maker.takeVersion({ params: { id: moves.id }, body: { version: version + 1 } });
      const codeId = async () => (await newestCode(db, id))?.id ?? null;
      if (version === 1) await addBacktest(db, aBacktest({ userId: maker.userId, strategyId: id, codeId: await codeId() }));
      if (version === 3) await addStudy(db, aStudy({ userId: maker.userId, strategyId: id, codeId: await codeId() }));
    }
    const { rows } = await sql<{ number: number }>`select number from strategy_code where strategy_id = ${id} order by number`.execute(db);
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, ...Array.from({ length: 100 }, (_, i) => i + 8)]);
    expect((await maker.listRuleVersions({ params: { id } })).versions).toHaveLength(100);
    expect(await maker.ruleVersion({ params: { id, version: stays.code_version ?? 0 } })).toMatchObject({ version: 1 });
    expect(await maker.ruleVersion({ params: { id, version: 3 } })).toMatchObject({ version: 3 });
    for (const table of ['backtests', 'studies']) await sql`delete from ${sql.table(table)}`.execute(db);
  });
});

describe('who sees what', () => {
  test('rules that are not shared are there for their maker and for admins alone', async () => {
    const { id } = await make();
    expect(await seenBy(maker, id)).toEqual(everywhere);
    expect(await seenBy(admin, id)).toEqual(everywhere);
    for (const person of [other, operator, investor]) expect(await seenBy(person, id)).toEqual(nowhere);
    expect((await admin.listRules({})).rules).toMatchObject([{ id, is_own: false }]);
  });

  test('nobody else can make anything with them, by their id neither', async () => {
    const { id } = await make();
    const { user_email: _email, mode: _mode, ...trading } = botOf(id, other.email);
    const run = {
      exchange: 'Sandbox',
      symbol: 'BTC/USDT',
      trading_mode: 'spot',
      timeframe: '5m',
      days: 7,
      stake_amount: 100,
      max_open_trades: 1,
    } as const;
    for (const person of [other, operator, investor]) {
      if (person === other) expect(await messageOf(makeBot(id, other))).toBe('404 Strategy not found');
      expect(await messageOf(person.runBacktest({ body: { ...run, strategy_id: id } }))).toBe('404 Strategy not found');
      expect(await messageOf(person.backtestStrategy({ params: { id }, body: run }))).toBe('404 Strategy not found');
      expect(await messageOf(person.startPortfolio({ body: { strategy_id: id, plan } }))).toBe('404 Strategy not found');
    }
    expect(await messageOf(other.newBotHindsight({ body: trading }))).toBe('404 Strategy not found');
  });

  test('shared ones are there for everybody, and can be used by everybody', async () => {
    const { id } = await make();
    expect(await share(id, true)).toMatchObject({ is_shared: true });
    for (const person of [maker, other, operator, investor, admin]) expect(await seenBy(person, id)).toEqual(everywhere);
    expect((await other.listRules({})).rules).toMatchObject([
      { is_own: false, owner: { id: maker.userId, email: `${maker.email[0]}***@example.com` } },
    ]);
    expect(await makeBot(id, other)).toMatchObject({ code_version: 1 });
    expect((await listAudit(db, { action: 'share-rules' }, 1)).lines).toMatchObject([
      { target: id, detail: { from: 'private', to: 'shared' } },
    ]);
  });

  test('one sees the bots that one may see', async () => {
    const { id } = await make();
    await share(id, true);
    const [mine, theirs] = [await makeBot(id), await makeBot(id, other)];
    const botsOf = async (person: TestBrowser) => (await person.listRules({})).rules[0]?.bots.map((bot) => bot.id).toSorted();
    expect(await botsOf(maker)).toEqual([mine.id]);
    expect(await botsOf(other)).toEqual([theirs.id]);
    for (const person of [admin, operator, investor]) expect(await botsOf(person)).toEqual([mine.id, theirs.id].toSorted());
  });

  /** What a person reads that rules are called. */
  const namesOf = async (person: TestBrowser, id: string) => {
    const strategy = (await person.listStrategies({})).strategies.find((each) => each.id === id);
    const bots = (await person.listBots({})).filter((bot) => bot.strategy_id === id);
    return {
      rules: (await person.listRules({})).rules.find((each) => each.id === id)?.name,
      strategy: strategy === undefined ? undefined : [strategy.name, strategy.description],
      bots: bots.map((bot) => bot.strategy_name),
      watched: (await person.availableBots({})).data.flatMap((bot) => (bots.some((each) => each.id === bot.id) ? [bot.strategy_name] : [])),
    };
  };

  test('rules that are not shared any more are called to those who keep an earlier version what that is called, until they are shared again', async () => {
    server.pass(61_000); // changes are counted by the minute
    const { id } = await make();
    await share(id, true);
    const bot = await makeBot(id, other);
    await share(id, false);
    const secret = { ...emaCross, title: 'Secret', description: 'What only I know.' };
    await save(id, secret, 1);
    const old = { rules: 'EMA cross', strategy: ['EMA cross', emaCross.description], bots: ['EMA cross'], watched: ['EMA cross'] };
    expect(await namesOf(other, id)).toEqual(old);
    const readNames = async (): Promise<string> =>
      JSON.stringify([
        await other.getBot({ params: { id: bot.id } }),
        await other.availableBots({}),
        await other.strategyDetails({ params: { id } }),
        await investor.availableBots({}),
      ]);
    expect(await readNames()).not.toMatch(/Secret|only I know/u);
    expect((await findStrategyById(db, id))?.name).toBe('EMA cross'); // nor are figures, messages and alarms named by it
    for (const person of [maker, admin])
      expect(await namesOf(person, id)).toMatchObject({ rules: 'Secret', strategy: ['Secret', 'What only I know.'] });
    await share(id, true);
    const everybody = { rules: 'Secret', strategy: ['Secret', 'What only I know.'], bots: ['Secret'] };
    expect(await namesOf(other, id)).toEqual({ ...everybody, watched: ['Secret'] });
    expect(await namesOf(maker, id)).toEqual({ ...everybody, watched: [] }); // it is not the maker's bot
    // While they are shared everybody reads each version, and the name with it.
    await save(id, { ...secret, title: 'Open' }, 2);
    expect(await namesOf(other, id)).toMatchObject({ rules: 'Open', bots: ['Open'] });
    // What an admin has called them stays until the next version, to everybody.
    await admin.updateStrategy({ params: { id }, body: { name: 'House rules' } });
    await share(id, false);
    await share(id, true);
    for (const person of [maker, other, admin]) expect(await namesOf(person, id)).toMatchObject({ rules: 'House rules' });
  });

  test.each(['backtests', 'studies'] as const)(
    'nor does somebody who has one of the %s alone learn what they are called later',
    async (table) => {
      const { id } = await make();
      await share(id, true);
      const of = { userId: other.userId, strategyId: id, codeId: (await newestCode(db, id))?.id ?? null };
      if (table === 'backtests') await addBacktest(db, aBacktest(of));
      else await addStudy(db, aStudy(of));
      await share(id, false);
      await save(id, { ...emaCross, title: 'Secret' }, 1);
      const { results } = await other.backtestResults({ query: {} });
      expect(results.map((run) => run.strategy_name)).toEqual(table === 'backtests' ? ['EMA cross'] : []);
      expect((await findStrategyById(db, id))?.name).toBe('EMA cross');
      await sql`delete from ${sql.table(table)} where strategy_id = ${id}`.execute(db);
      await save(id, { ...emaCross, title: 'Mine alone' }, 2);
      expect((await findStrategyById(db, id))?.name).toBe('Mine alone');
    },
  );

  test('who may see a bot sees what it runs, and no version beyond', async () => {
    const { id } = await make();
    await makeBot(id);
    await save(id, { ...emaCross, title: 'Newer', losesWhen: 'Often.' }, 1);
    for (const person of [operator, investor]) {
      expect(await seenBy(person, id)).toEqual(everywhere);
      const [rules] = (await person.listRules({})).rules;
      expect(rules).toMatchObject({ name: 'EMA cross', version: 1, document: { title: 'EMA cross' } });
      const old = { rules: 'EMA cross', strategy: ['EMA cross', emaCross.description], bots: ['EMA cross'], watched: ['EMA cross'] };
      expect(await namesOf(person, id)).toEqual(old);
      expect((await person.listRuleVersions({ params: { id } })).versions.map(({ version }) => version)).toEqual([1]);
      expect(await messageOf(person.ruleVersion({ params: { id, version: 2 } }))).toBe('404 Version not found');
      expect(await messageOf(person.strategyCode({ params: { id, version: 2 } }))).toBe('404 Version not found');
      expect((await person.strategyDetails({ params: { id } })).loses_when).toBe(emaCross.losesWhen);
      expect((await person.listStrategies({})).strategies.find((each) => each.id === id)?.code_version).toBe(1);
    }
    // Seeing is not using.
    expect(
      await messageOf(
        investor.backtestStrategy({
          params: { id },
          body: {
            exchange: 'Sandbox',
            symbol: 'BTC/USDT',
            trading_mode: 'spot',
            timeframe: '5m',
            days: 7,
            stake_amount: 1,
            max_open_trades: 1,
          },
        }),
      ),
    ).toBe('404 Strategy not found');
    expect(await seenBy(other, id)).toEqual(nowhere);
  });

  test('in the shared list of bots those of others have no name of their rules', async () => {
    const { id } = await make();
    const bot = await makeBot(id);
    const named = async (person: TestBrowser) => (await person.listBots({})).find((each) => each.id === bot.id)?.strategy_name;
    expect([await named(maker), await named(admin), await named(investor), await named(other)]).toEqual([
      'EMA cross',
      'EMA cross',
      'EMA cross',
      'Private rules',
    ]);
    expect(bot.nickname).toBe('Rules sandbox'); // the name that it gets by itself does not say it either
    await share(id, true);
    expect(await named(other)).toBe('EMA cross');
  });

  test('rules that are unshared stay with the bots that use them, in their version; nobody else can use them any more', async () => {
    const { id } = await make();
    await share(id, true);
    const bot = await makeBot(id, other);
    await share(id, false);
    await save(id, { ...emaCross, title: 'Secret' }, 1);
    expect(await other.getBot({ params: { id: bot.id } })).toMatchObject({ code_version: 1, newest_code_version: 1 });
    expect((await other.listRules({})).rules).toMatchObject([{ id, version: 1, document: { title: 'EMA cross' } }]);
    const take = (by: TestBrowser) => by.takeVersion({ params: { id: bot.id }, body: { version: 2 } });
    expect(await messageOf(take(other))).toBe(`403 ${notSharedAnyMore}`);
    expect(await messageOf(makeBot(id, other))).toBe('404 Strategy not found');
    // It can be changed, put away and brought back.
    expect(await other.updateBot({ params: { id: bot.id }, body: { own_settings: { timeframe: '15m' } } })).toMatchObject({
      timeframe: '15m',
    });
    await other.toggleBot({ params: { id: bot.id }, query: { status: 'stopped' } });
    await other.archiveBot({ params: { id: bot.id } });
    expect(await other.bringBackBot({ params: { id: bot.id } })).toMatchObject({ archived_at: null });
    await share(id, true);
    expect(await take(other)).toMatchObject({ code_version: 2 });
  });

  test('when an account is gone its rules are there for admins, and for bots that use them', async () => {
    const gone = await server.signedIn('trader', 'gone@example.com');
    const { id } = await make(emaCross, gone);
    await share(id, true, gone);
    const bot = await makeBot(id, other);
    await share(id, false, gone);
    await sql`delete from users where id = ${gone.userId}`.execute(db);
    expect((await admin.listRules({})).rules).toMatchObject([{ id, owner: null, is_own: false }]);
    expect((await admin.listRuleVersions({ params: { id } })).versions).toMatchObject([{ made_by: null }]);
    expect(await other.getBot({ params: { id: bot.id } })).toMatchObject({ strategy_name: 'EMA cross', code_version: 1 });
    expect(await seenBy(maker, id)).toEqual(nowhere);
    expect(await save(id, { ...emaCross, title: 'Kept' }, 1, admin)).toMatchObject({ version: 2 });
  });
});

describe('removing', () => {
  test('takes rules out of every list once no bot uses them; history keeps their name', async () => {
    const { id } = await make();
    const bot = await makeBot(id);
    expect(await messageOf(remove(id))).toBe(`409 ${rulesInUse}`);
    await maker.toggleBot({ params: { id: bot.id }, query: { status: 'stopped' } });
    await maker.archiveBot({ params: { id: bot.id } });
    expect(await remove(id)).toEqual({ id });
    for (const person of [maker, admin]) {
      expect((await person.listRules({})).rules).toEqual([]);
      expect((await person.listStrategies({})).strategies.some((strategy) => strategy.id === id)).toBe(false);
    }
    expect(await messageOf(save(id, rsiReversal, 1))).toBe('404 Strategy not found');
    expect(await messageOf(remove(id))).toBe('404 Strategy not found');
    expect(await messageOf(makeBot(id))).toBe('404 Strategy not found');
    expect(await messageOf(admin.updateStrategy({ params: { id }, body: { stoploss: -0.2 } }))).toBe('404 Strategy not found');
    expect((await maker.listArchivedBots({}))[0]).toMatchObject({ strategy_name: 'EMA cross' });
    expect(await messageOf(maker.bringBackBot({ params: { id: bot.id } }))).toBe(`409 ${rulesRemoved}`);
    expect((await listAudit(db, { action: 'remove-rules' }, 1)).lines).toMatchObject([{ target: id, detail: { name: 'EMA cross' } }]);
  });

  test('keeps nothing of rules that nobody has used: making and removing them again and again fills no disk', async () => {
    for (let i = 0; i < 3; i++) await remove((await make()).id);
    expect(await db.selectFrom('strategies').select('id').where('kind', '=', 'rules').execute()).toEqual([]);
    for (const action of ['make-rules', 'remove-rules'])
      expect((await listAudit(db, { action, search: 'ema cross' }, 1)).lines).toMatchObject([{ targetName: 'EMA cross' }]);
  });

  test('keeps none after the bot that had used them is deleted, once the next are removed, also by an admin', async () => {
    const { id } = await make();
    const bot = await makeBot(id);
    await maker.toggleBot({ params: { id: bot.id }, query: { status: 'stopped' } });
    await maker.archiveBot({ params: { id: bot.id } });
    await remove(id);
    expect(await findStrategyById(db, id)).toMatchObject({ name: 'EMA cross' });
    await maker.deleteBot({ params: { id: bot.id } });
    await remove((await make()).id, admin);
    expect(await findStrategyById(db, id)).toBeNull();
  });
});

describe('two at once', () => {
  const { meets } = twoConnections(db);
  const messageOfOutcome = ({ hasWaited, error }: { hasWaited: boolean; error?: unknown }) => [
    hasWaited,
    (error as Error | undefined)?.message,
  ];

  test('a bot that takes a version is as it was when it was asked whether that can run there, and in the mode that the person has seen', async () => {
    const { id } = await make();
    const bot = await makeBot(id);
    await save(id, { ...emaCross, title: 'Newer' }, 1);
    const take = (mode: 'paper' | 'live') => maker.takeVersion({ params: { id: bot.id }, query: { mode }, body: { version: 2 } });
    expect(await messageOf(take('live'))).toBe(`409 ${otherMode}`);
    const changed = await meets(
      async (trx) => void (await sql`update bots set version = version + 1 where id = ${bot.id}`.execute(trx)),
      () => take('paper'),
    );
    expect(messageOfOutcome(changed)).toEqual([true, `409 ${texts.changedMeanwhile}`]);
    expect(await maker.getBot({ params: { id: bot.id } })).toMatchObject({ code_version: 1 });
    expect(await take('paper')).toMatchObject({ code_version: 2 });
  });

  test('a bot that is made waits for the rules that are removed or unshared meanwhile, and is refused', async () => {
    const [{ id: removed }, { id: shared }] = [await make(), await make(rsiReversal)];
    await share(shared, true);
    const gone = await meets(
      (trx) => setRemoved(trx, removed, new Date()),
      () => makeBot(removed),
    );
    expect(messageOfOutcome(gone)).toEqual([true, '404 Strategy not found']);
    const back = await meets(
      (trx) => setShared(trx, shared, false),
      () => makeBot(shared, other),
    );
    expect(messageOfOutcome(back)).toEqual([true, '404 Strategy not found']);
    expect(await maker.listBots({})).toEqual([]);
  });

  test('a version is not taken of rules that are unshared meanwhile', async () => {
    const { id } = await make();
    await share(id, true);
    const bot = await makeBot(id, other);
    await save(id, { ...emaCross, title: 'Newer' }, 1);
    const outcome = await meets(
      (trx) => setShared(trx, id, false),
      () => other.takeVersion({ params: { id: bot.id }, body: { version: 2 } }),
    );
    expect(messageOfOutcome(outcome)).toEqual([true, `403 ${notSharedAnyMore}`]);
    expect(await other.getBot({ params: { id: bot.id } })).toMatchObject({ code_version: 1 });
  });

  test('of two saves of the same version one is made', async () => {
    const { id } = await make();
    const both = await Promise.allSettled(['One', 'Two'].map((title) => save(id, { ...emaCross, title }, 1)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await maker.listRuleVersions({ params: { id } })).versions).toHaveLength(2);
  });
});

describe('documents of another version of the program', () => {
  test('are listed without what cannot be read, and are refused where they would run', async () => {
    const [{ id }, sound] = [await make(), await make(rsiReversal)];
    // What was read of a version is remembered by its id.
    await sql`update strategy_code set id = gen_random_uuid(), document = '{"version": 2, "title": "From tomorrow"}'
      where strategy_id = ${id}`.execute(db);
    const { rules } = await maker.listRules({});
    expect(rules).toMatchObject([
      { id, document: null, version: 1 },
      { id: sound.id, document: rsiReversal },
    ]);
    expect((await maker.listRuleVersions({ params: { id } })).versions).toMatchObject([{ document: null }]);
    expect((await maker.listStrategies({})).strategies.filter(({ kind }) => kind === 'rules')).toHaveLength(2);
    expect(await messageOf(makeBot(id))).toBe('400 This version of Flotilla cannot run the strategy');
    expect(await save(id, { ...emaCross, title: 'Of today' }, 1)).toMatchObject({ version: 2, document: { title: 'Of today' } });
  });
});

describe('a list of many large documents', () => {
  /** A list as it is sent, without the checks that a client makes of it. */
  const sent = async (): Promise<unknown> => {
    const cookie = [...other.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { statusCode, body } = await server.app.inject({ url: '/api/rules', headers: { host: 'localhost:3000', origin, cookie } });
    expect(statusCode).toBe(200);
    return JSON.parse(body);
  };

  test('is checked once: the second list is the same, and no document of it is checked again', async () => {
    const { id } = await make();
    await share(id, true);
    await share((await make(rsiReversal)).id, true);
    await sql`update strategy_code set id = gen_random_uuid()`.execute(db); // as after a start
    using parse = vi.spyOn(rulesDocument, 'safeParse');
    const first = await sent();
    expect(first).toMatchObject({ rules: [{ document: emaCross }, { document: rsiReversal }] });
    expect(parse).toHaveBeenCalledTimes(2);
    expect(await sent()).toEqual(first);
    expect(parse).toHaveBeenCalledTimes(2);
    await save(id, { ...emaCross, title: 'EMA newer' }, 1);
    expect(await sent()).toMatchObject({ rules: [{ document: { ...emaCross, title: 'EMA newer' } }, { document: rsiReversal }] });
  });

  test('lets other calls through while it is read', async () => {
    const read = Array.from({ length: 20 }, (_, i) => ({ codeId: `version ${i}`, document: { ...emaCross, title: `${i}` } }));
    let turns = 0;
    const isDone = documentsOfVersions(read).then((documents) => documents.map((document) => document?.title));
    const turn = (): void => {
      turns++;
      if (turns < 10) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await isDone).toEqual(read.map(({ document }) => document.title));
    expect(turns).toBe(10);
  });
});

describe('rules of before that take too long at each candle', () => {
  const heavy: RulesDocument = {
    ...emaCross,
    enterLong: [
      {
        tag: 'in',
        when: any(
          ...Array.from({ length: 50 }, (_, i) =>
            compare(indicator('bollinger', { period: 2_400, deviations: 2 + i / 100 }, 'upper'), 'above', number(1)),
          ),
        ),
      },
    ],
    exitLong: [],
    guard: [],
  };
  const sentence = /^400 The rules cannot run here: It takes \d+ million steps of arithmetic at each candle; the most are 50 million\./u;

  test('are listed, shown and removed, but saved and used no more', async () => {
    expect(await messageOf(make(heavy))).toBe(`400 ${faultyRules}`);
    const { id } = await make();
    const bot = await makeBot(id);
    await sql`update bots set code_id = null`.execute(db);
    await sql`update strategy_code set id = gen_random_uuid(), hash = 'heavy', document = ${JSON.stringify(heavy)}::jsonb
      where strategy_id = ${id}`.execute(db);
    await sql`update bots set code_id = (select id from strategy_code where strategy_id = ${id})`.execute(db);
    expect((await maker.listRules({})).rules).toMatchObject([{ id, document: heavy, bots: [{ id: bot.id }] }]);
    expect((await maker.listRuleVersions({ params: { id } })).versions).toMatchObject([{ version: 1, document: heavy }]);
    expect((await maker.listStrategies({})).strategies.some((strategy) => strategy.id === id)).toBe(true);
    expect(await maker.strategyDetails({ params: { id } })).toMatchObject({ loses_when: emaCross.losesWhen });
    expect(await maker.getBot({ params: { id: bot.id } })).toMatchObject({ code_version: 1 });
    const { indicators } = await maker.chartOverlays({ query: { bot_id: bot.id, symbol: 'BTC/USDT', indicators: 'on' } });
    expect(indicators).toEqual([]);
    expect(await messageOf(makeBot(id))).toMatch(sentence);
    expect(await messageOf(save(id, { ...heavy, title: 'Again' }, 1))).toBe(`400 ${faultyRules}`);
    await maker.toggleBot({ params: { id: bot.id }, query: { status: 'stopped' } });
    await maker.archiveBot({ params: { id: bot.id } });
    await remove(id);
    expect((await maker.listRules({})).rules).toEqual([]);
  });
});

describe('where rules cannot run', () => {
  const guard = (place: object): RulesDocument => ({
    ...emaCross,
    guard: [{ kind: 'compare', left: { kind: 'price', price: 'close', ...place }, operator: 'above', right: { kind: 'number', value: 1 } }],
  });

  test('a bot is refused a timeframe that is too long, when it is made and when it is changed', async () => {
    const { id } = await make(guard({ timeframe: '1h' }));
    const sentence = '400 The rules cannot run here: 1h is not longer than 4h, the timeframe of the strategy.';
    const body = { ...botOf(id, maker.email), own_settings: { timeframe: '4h' as const } };
    expect(await messageOf(maker.createBot({ body }))).toBe(sentence);
    const bot = await makeBot(id);
    expect(await messageOf(maker.updateBot({ params: { id: bot.id }, body: { own_settings: { timeframe: '4h' } } }))).toBe(sentence);
    const { user_email: _email, mode: _mode, ...trading } = body;
    expect(await messageOf(maker.newBotHindsight({ body: trading }))).toBe(sentence);
    expect(await messageOf(maker.botHindsight({ params: { id: bot.id }, body: { own_settings: { timeframe: '4h' } } }))).toBe(sentence);
    expect(await messageOf(admin.updateStrategy({ params: { id }, body: { default_timeframe: '4h' } }))).toBe(sentence);
    const run = {
      exchange: 'Sandbox',
      symbol: 'BTC/USDT',
      trading_mode: 'spot',
      timeframe: '4h',
      days: 7,
      stake_amount: 100,
      max_open_trades: 1,
    } as const;
    expect(await messageOf(maker.backtestStrategy({ params: { id }, body: run }))).toBe(sentence);
    const longer = { ...plan, timeframe: '4h' as const };
    expect(await messageOf(maker.startPortfolio({ body: { strategy_id: id, plan: longer } }))).toBe(sentence);
  });

  test('a strategy is not set to a timeframe that a version cannot take which a bot runs at it, newest or not', async () => {
    const { id } = await make(guard({ timeframe: '1h' }));
    const bot = await makeBot(id);
    await save(id, emaCross, 1);
    const set = (default_timeframe: '4h') => admin.updateStrategy({ params: { id }, body: { default_timeframe } });
    expect(await messageOf(set('4h'))).toBe('400 The rules cannot run here: 1h is not longer than 4h, the timeframe of the strategy.');
    await maker.updateBot({ params: { id: bot.id }, body: { own_settings: { timeframe: '5m' } } });
    expect(await set('4h')).toMatchObject({ default_timeframe: '4h' });
  });

  test('a bot is refused a market without the pair that they read, and a version that reads one', async () => {
    const { id } = await make(guard({ symbol: 'NONE/USDT' }));
    const sentence = '400 The rules cannot run here: There is no pair NONE/USDT.';
    expect(await messageOf(makeBot(id))).toBe(sentence);
    await save(id, emaCross, 1);
    const bot = await makeBot(id);
    await save(id, guard({ symbol: 'NONE/USDT' }), 2);
    expect(await messageOf(maker.takeVersion({ params: { id: bot.id }, body: { version: 3 } }))).toBe(sentence);
    await save(id, guard({ symbol: 'ETH/USDT' }), 3);
    expect(await maker.takeVersion({ params: { id: bot.id }, body: { version: 4 } })).toMatchObject({ code_version: 4 });
    // On the market of perpetuals pairs have other names.
    const moved = { margin_mode: 'futures' as const, trading_pairs: ['BTC/USDT:USDT'] };
    expect(await messageOf(maker.updateBot({ params: { id: bot.id }, body: moved }))).toBe(
      '400 The rules cannot run here: There is no pair ETH/USDT; here it is named ETH/USDT:USDT.',
    );
  });
});

describe('rules of more than 64 kB', () => {
  // Everything that there may be, in letters of three bytes.
  const wide = (most: number): string => '長'.repeat(most);
  const middle = {
    ...indicator('bollinger', { period: 20, deviations: 2.25 }, 'middle'),
    timeframe: '4h',
    symbol: '1000PEPE/USDT',
  } as const;
  const further: Operand = { kind: 'offset', base: middle, sign: 'plus', times: 1.25, unit: middle };
  const signals = Array.from({ length: 20 }, (_, i) => ({
    tag: wide(40),
    when: compare({ ...further, times: i + 2 }, 'above', further),
  }));
  const parameter = { default: 5, min: 1, max: 10, step: 1, unit: wide(40), meaning: wide(200) };
  const large: RulesDocument = {
    ...emaCross,
    description: wide(500),
    losesWhen: wide(500),
    parameters: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, parameter])),
    guard: [],
    enterLong: signals,
    exitLong: signals,
    enterShort: [],
    exitShort: signals,
  };

  /** Rules of an earlier version of the program, which had no such bound. */
  async function makeLarge(): Promise<string> {
    const { id } = await make();
    const { hash } = codeOfRules(large, 'Rules');
    await sql`update strategy_code set document = ${JSON.stringify(large)}::jsonb, hash = ${hash} where strategy_id = ${id}`.execute(db);
    return id;
  }
  const tooLarge = `400 ${rulesTooLarge}`;

  test('are made by nobody, nor saved', async () => {
    expect([faultsOf(large), Buffer.byteLength(JSON.stringify(large)) > 65_536]).toEqual([[], true]);
    expect(await messageOf(make(large))).toBe(tooLarge);
    expect((await maker.listRules({})).rules).toEqual([]);
    const { id } = await make();
    expect(await messageOf(save(id, large, 1))).toBe(tooLarge);
    expect(await messageOf(save(id, { ...large, enterShort: signals }, 1))).toBe(tooLarge); // whatever faults it has
    expect((await maker.listRuleVersions({ params: { id } })).versions).toHaveLength(1);
  });

  test('that are kept are saved as they are, restored and copied, but not changed', async () => {
    const id = await makeLarge();
    expect(await save(id, large, 1)).toMatchObject({ version: 1 });
    expect(await messageOf(save(id, { ...large, title: 'Mine' }, 1))).toBe(tooLarge);
    expect(await save(id, emaCross, 1)).toMatchObject({ version: 2 });
    expect(await save(id, large, 2)).toMatchObject({ version: 3, document: large });
    expect(await make(large)).toMatchObject({ version: 1, is_own: true, document: large });
  });

  test('are copied by those who may see them', async () => {
    const id = await makeLarge();
    expect(await messageOf(make(large, other))).toBe(tooLarge);
    expect(await messageOf(save((await make(emaCross, other)).id, large, 1, other))).toBe(tooLarge);
    await share(id, true);
    expect(await make(large, other)).toMatchObject({ is_own: true });
  });
});

test('the list of rules is made one after the other for each person: many lists of long shared documents keep nobody else waiting', async () => {
  const many = Promise.allSettled(Array.from({ length: 40 }, () => other.listRules({})));
  expect((await maker.listRules({})).rules).toBeInstanceOf(Array);
  const answers = await many;
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [(answer.reason as { status: number }).status] : []));
  expect(new Set(refused)).toEqual(new Set([429]));
  expect(refused.length).toBeLessThan(40);
});
