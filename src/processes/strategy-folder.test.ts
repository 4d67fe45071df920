import { classText } from '#strategy-process/python/testing/class-text.ts';
import { testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { newestCode } from '#storage/strategies/strategy-code.ts';
import { listStrategyFiles } from '#storage/strategies/strategy-files.ts';
import type { StrategyParts } from '#strategy-process/testing/strategy-text.ts';
import { strategyText } from '#strategy-process/testing/strategy-text.ts';
import { keepStrategyFolder, strategyFiles } from './strategy-folder.ts';

const { db } = await freshDatabase();
let folder = '';
let end: () => Promise<void>;
const logs: object[] = [];

const keep = (lookEveryMs?: number) =>
  keepStrategyFolder({
    db,
    folder,
    exchanges: ['sandbox'],
    python: testPythonPlaces,
    now: () => new Date(),
    againMs: 100,
    ...(lookEveryMs === undefined ? {} : { lookEveryMs }),
    log: (_message, details) => logs.push(details),
  });

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'flotilla-folder-')), 'strategies');
  await addTestBot(db, { strategy: 'EmaCross' });
  end = await keep();
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true });
});

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const named = (name: string, parts: StrategyParts = {}): string => strategyText(parts).replace(`name: 'Above'`, `name: '${name}'`);
const fileOf = async (path: string) => (await listStrategyFiles(db)).find((file) => file.path === path);
const strategyOf = async (className: string) => (await listStrategies(db)).find((strategy) => strategy.className === className);

describe('the strategies’ folder', () => {
  test('a file that is put there is in the catalogue, with its settings, its first version, and what it costs', async () => {
    write('mine.ts', named('Mine'));
    await expect.poll(() => fileOf('mine.ts')).toMatchObject({ state: 'ready', faults: [], strategies: ['Mine'] });
    expect(await fileOf('mine.ts')).toMatchObject({ computeMs: expect.any(Number), memoryMb: expect.any(Number) });
    expect(await strategyOf('Mine')).toMatchObject({
      kind: 'file',
      name: 'Above the average',
      defaultTimeframe: '5m',
      supportedExchanges: ['sandbox'],
      codeNumber: 1,
      codeDescription: { startupCandles: 20, parameters: { period: { default: 10 } } },
    });
    const all = await listStrategies(db);
    expect(all.at(-1)?.className).toBe('Mine'); // after those that are part of the program
  });

  test('a change makes a version, of what it imports too; settings of people stay', async () => {
    const { id = '' } = (await strategyOf('Mine')) ?? {};
    await db.updateTable('strategies').set({ stoploss: -0.33 }).where('id', '=', id).execute();
    write('parts/line.ts', 'export const far = 3;');
    write('mine.ts', named('Mine', { before: `import { far } from './parts/line.ts';`, compute: 'if (far > 5) signals.exitLong[0] = 1;' }));
    await expect.poll(async () => (await newestCode(db, id))?.number).toBe(2);
    write('parts/line.ts', 'export const far = 9;');
    await expect.poll(async () => (await newestCode(db, id))?.number).toBe(3);
    expect((await newestCode(db, id))?.files).toMatchObject({ 'parts/line.ts': 'export const far = 9;' });
    write('mine.ts', named('Mine'));
    await expect.poll(async () => (await newestCode(db, id))?.number).toBe(4); // what was there first, again
    expect(Number((await strategyOf('Mine'))?.stoploss)).toBe(-0.33);
  });

  test('one that fails its checks is refused with its sentences, and others are untouched', async () => {
    write('broken.ts', 'export default {{;');
    write(
      'ahead.ts',
      named('Ahead', { compute: 'for (let i = 0; i + 1 < count; i++) signals.enterLong[i] = close[i + 1] > close[i] ? 1 : 0;' }),
    );
    write('taken.ts', named('EmaCross'));
    write('odd.ts', named('no name at all'));
    write('second.ts', named('Mine', { compute: 'signals.exitLong[1] = 1;' }));
    await expect
      .poll(() => fileOf('broken.ts'))
      .toMatchObject({ state: 'refused', faults: [expect.stringContaining('broken.ts cannot be loaded')] });
    await expect.poll(() => fileOf('ahead.ts')).toMatchObject({ state: 'refused', faults: [expect.stringContaining('Ahead looks ahead')] });
    await expect
      .poll(() => fileOf('taken.ts'))
      .toMatchObject({ state: 'refused', faults: ['taken.ts: another strategy is named EmaCross; choose another "name".'] });
    await expect
      .poll(() => fileOf('odd.ts'))
      .toMatchObject({
        state: 'refused',
        faults: ['odd.ts: "name" must be a word of at most 60 letters and digits, not "no name at all".'],
      });
    await expect
      .poll(() => fileOf('second.ts'))
      .toMatchObject({ state: 'refused', faults: ['second.ts: mine.ts has a strategy named Mine; choose another "name".'] });
    expect(await strategyOf('Mine')).toMatchObject({ codeNumber: 4 });
    expect(await strategyOf('Ahead')).toBeUndefined();
    expect(await strategyOf('EmaCross')).toMatchObject({ kind: 'built-in', codeNumber: null });
    expect(await fileOf('mine.ts')).toMatchObject({ state: 'ready' });
  });

  test('one with settings that no strategy can have is refused in a sentence, one that names no trailing stop has none, and those after it are there', async () => {
    write('a-stop.ts', named('Stop').replace('stoploss: -0.05', 'stoploss: 0.05'));
    write('a-trail.ts', named('Trail').replace('trailingStop: false', "trailingStop: 'no'"));
    write('a-roi.ts', named('Roi').replace('minimalRoi: {}', "minimalRoi: { soon: 0.1, 0: '0.2' }"));
    write('b-plain.ts', named('Plain').replace(/trailingStop: false[^}]*IsReached: false,/u, ''));
    await expect.poll(() => fileOf('b-plain.ts')).toMatchObject({ state: 'ready' });
    expect(await strategyOf('Plain')).toMatchObject({
      trailingStop: false,
      trailingStopPositive: null,
      trailingOnlyOffsetIsReached: false,
    });
    const faults = async (path: string) => (await fileOf(path))?.faults;
    expect(await faults('a-stop.ts')).toEqual(['a-stop.ts: the stop loss of Stop must be a fraction below 0 such as -0.1, not 0.05.']);
    expect((await faults('a-trail.ts'))?.join()).toContain('a-trail.ts: "defaults.trailingStop" must be true or false.');
    expect((await faults('a-roi.ts'))?.join()).toContain('a-roi.ts: "defaults.minimalRoi" must map minutes to ratios; {} is none.');
    for (const path of ['a-stop.ts', 'a-trail.ts', 'a-roi.ts', 'b-plain.ts']) rmSync(join(folder, path));
  });

  test.each([
    ['cannot be entered', 'strategies', `new.class_name like 'Cursed%'`],
    ['cannot be noted', 'strategy_files', `new.path = 'a-cursed-strategy_files.ts'`],
  ])('one that %s for a while is looked at again, and keeps none of the others out', async (_, table, condition) => {
    const [cursed, later] = [`a-cursed-${table}.ts`, `b-later-${table}.ts`];
    await sql`create sequence looks`.execute(db); // which counts what is rolled back, too
    await sql`create function refuse() returns trigger language plpgsql as
      'begin perform nextval($$looks$$); raise exception $$not now$$; end'`.execute(db);
    await sql`create trigger refuse before insert or update on ${sql.table(table)} for each row when (${sql.raw(condition)})
      execute function refuse()`.execute(db);
    write(cursed, named(`Cursed_${table}`));
    write(later, named(`Later_${table}`));
    await expect.poll(() => fileOf(later)).toMatchObject({ state: 'ready' });
    const faults = [`${cursed} could not be checked; the log of the web process says why.`];
    if (table === 'strategies') expect(await fileOf(cursed)).toMatchObject({ state: 'refused', faults });
    expect(JSON.stringify(logs)).toContain('not now');
    const looks = async () => Number((await sql<{ looks: string }>`select last_value as looks from looks`.execute(db)).rows[0]?.looks);
    await expect.poll(looks).toBeGreaterThan(4); // changes of the folder alone make one look or two
    await sql`drop function refuse cascade`.execute(db);
    await sql`drop sequence looks`.execute(db);
    await expect.poll(() => fileOf(cursed)).toMatchObject({ state: 'ready', faults: [] });
    for (const path of [cursed, later]) rmSync(join(folder, path));
    logs.length = 0;
  });

  test('VALID-29 one of a timeframe that no strategy can be set to is refused: the lists that have it could not be read', async () => {
    write('slow.ts', named('Slow').replace("timeframe: '5m'", "timeframe: '12h'"));
    await expect
      .poll(() => fileOf('slow.ts'))
      .toMatchObject({
        state: 'refused',
        faults: [
          'slow.ts: Slow suggests candles of 12h, and strategies are set to 1m, 3m, 5m, 15m, 30m, 1h, 4h, 1d; flotilla backtest runs it.',
        ],
      });
    expect(await strategyOf('Slow')).toBeUndefined();
    rmSync(join(folder, 'slow.ts'));
  });

  test('one that is mended is ready, and one that breaks keeps the version it had', async () => {
    write('broken.ts', named('Broken'));
    await expect.poll(() => fileOf('broken.ts')).toMatchObject({ state: 'ready', faults: [] });
    write('broken.ts', named('Broken', { compute: `throw new Error('gone wrong');` }));
    await expect.poll(() => fileOf('broken.ts')).toMatchObject({ state: 'refused', faults: [expect.stringContaining('gone wrong')] });
    expect(await strategyOf('Broken')).toMatchObject({ codeNumber: 1 });
  });

  test('one that is taken away is said to be gone; its versions stay', async () => {
    rmSync(join(folder, 'broken.ts'));
    await expect.poll(() => fileOf('broken.ts')).toMatchObject({ state: 'gone' });
    expect(await strategyOf('Broken')).toMatchObject({ codeNumber: 1 });
    write('broken.ts', named('Broken'));
    await expect.poll(() => fileOf('broken.ts')).toMatchObject({ state: 'ready' });
    // The same text as before it went: a branch was changed, or a folder was mounted late.
    rmSync(join(folder, 'broken.ts'));
    await expect.poll(() => fileOf('broken.ts')).toMatchObject({ state: 'gone' });
    write('broken.ts', named('Broken'));
    await expect.poll(() => fileOf('broken.ts')).toMatchObject({ state: 'ready' });
  });

  test('each strategy of a file is its own, not the first alone', async () => {
    const both = `${named('One')}\nexport const two = { ...strategy, name: 'Two' };\n`;
    write('both.ts', both);
    await expect.poll(() => fileOf('both.ts')).toMatchObject({ state: 'ready', strategies: ['One', 'Two'] });
    write('c-second.ts', named('Two', { compute: 'signals.exitLong[1] = 1;' }));
    await expect
      .poll(() => fileOf('c-second.ts'))
      .toMatchObject({ state: 'refused', faults: ['c-second.ts: both.ts has a strategy named Two; choose another "name".'] });
    expect(await strategyOf('Two')).toMatchObject({ codeNumber: 1 });
    for (const path of ['both.ts', 'c-second.ts']) rmSync(join(folder, path));
  });

  test('one that was refused because another had its name is ready once that is gone', async () => {
    write('first.ts', named('Twin'));
    await expect.poll(() => fileOf('first.ts')).toMatchObject({ state: 'ready' });
    write('later.ts', named('Twin', { compute: 'signals.exitLong[1] = 1;' }));
    await expect
      .poll(() => fileOf('later.ts'))
      .toMatchObject({ state: 'refused', faults: ['later.ts: first.ts has a strategy named Twin; choose another "name".'] });
    rmSync(join(folder, 'first.ts'));
    await expect.poll(() => fileOf('later.ts')).toMatchObject({ state: 'ready', faults: [], strategies: ['Twin'] });
    rmSync(join(folder, 'later.ts'));
  });

  test.skipIf(testPythonPlaces.given === null)(
    'a class in Python is a strategy as others are; its parameter file makes a version',
    async () => {
      write(
        'Classy.py',
        classText('Classy', {
          fields:
            'startup_candle_count = 7\norder_types = {"entry": "market", "exit": "limit", "stoploss": "limit", "stoploss_on_exchange": True}',
        }),
      );
      await expect.poll(() => fileOf('Classy.py')).toMatchObject({ state: 'ready', strategies: ['Classy'], computeMs: expect.any(Number) });
      const entered = await strategyOf('Classy');
      const id = entered?.id ?? '';
      expect(entered).toMatchObject({
        kind: 'file',
        name: 'Classy',
        defaultTimeframe: '5m',
        codeDescription: { startupCandles: 7 },
        orderTypes: { entry: 'market', exit: 'limit', stoploss: 'limit' },
      });
      expect(Number(entered?.stoploss)).toBe(-0.1);
      write('Classy.json', '{"strategy_name": "Classy"}');
      await expect.poll(async () => (await newestCode(db, id))?.number).toBe(2);
      write('Classy.py', classText('Classy', { head: 'import nothing_here' }));
      await expect
        .poll(() => fileOf('Classy.py'))
        .toMatchObject({
          state: 'refused',
          faults: ['It imports nothing_here, which this Python does not have (Classy.py, line 2).'],
        });
      rmSync(join(folder, 'Classy.py'));
      rmSync(join(folder, 'Classy.json'));
    },
  );

  test.skipIf(testPythonPlaces.given !== null)('without a Python a class in Python is refused with what to do', async () => {
    write('Classy.py', classText('Classy'));
    await expect.poll(() => fileOf('Classy.py')).toMatchObject({ state: 'refused', faults: [expect.stringMatching(/Python/u)] });
    rmSync(join(folder, 'Classy.py'));
  });

  test('only TypeScript and Python at its top is taken for a strategy', () => {
    write('notes.txt', 'no');
    write('.hidden.ts', 'no');
    write('mine.test.ts', 'no');
    write('types.d.ts', 'no');
    expect(strategyFiles(folder)).toEqual(['ahead.ts', 'broken.ts', 'mine.ts', 'odd.ts', 'second.ts', 'taken.ts']);
  });

  test('what changes is seen where nothing is reported: a system with no room for another watch says so to nobody', async () => {
    await end();
    for (const path of strategyFiles(folder)) rmSync(join(folder, path));
    const { watch } = fs;
    const deaf = { on: () => deaf, close: () => undefined };
    fs.watch = (() => deaf) as unknown as typeof watch;
    syncBuiltinESMExports();
    onTestFinished(() => {
      fs.watch = watch;
      syncBuiltinESMExports();
    });
    end = await keep(200);
    await expect.poll(async () => (await listStrategyFiles(db)).filter(({ state }) => state !== 'gone')).toEqual([]);
    write('parts/line.ts', 'export const far = 3;');
    write(
      'after.ts',
      named('After', { before: `import { far } from './parts/line.ts';`, compute: 'if (far > 5) signals.exitLong[0] = 1;' }),
    );
    await expect.poll(() => fileOf('after.ts')).toMatchObject({ state: 'ready' });
    write('parts/line.ts', 'export const far = 9;');
    await expect.poll(() => strategyOf('After')).toMatchObject({ codeNumber: 2 });
    rmSync(join(folder, 'after.ts'));
    await expect.poll(() => fileOf('after.ts')).toMatchObject({ state: 'gone' });
  });
});
