import { findBot } from '#storage/bots/bots.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { noPython } from '#strategy-process/python/find-python.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../../test/support/test-bot.ts';
import { CannotReplay } from './cannot-replay.ts';
import type { RunOfDay, SettingsFrom } from './stretches.ts';
import { planStretch, settingsOfDay } from './stretches.ts';

const { db } = await freshDatabase();
const day = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
const hour = 3_600_000;
const run: RunOfDay = { mode: 'paper', python: null };
type Bot = NonNullable<Awaited<ReturnType<typeof findBot>>>;
type Terms = NonNullable<Awaited<ReturnType<typeof findStrategyById>>>;
let bot: Bot;
let terms: Terms;
beforeAll(async () => {
  bot = (await findBot(db, await addTestBot(db, { strategy: 'EmaCross', timeframe: '5m' })))!;
  terms = (await findStrategyById(db, bot.strategyId))!;
});

const version = (n: number, at: number, stakeAmount = String(100 * n)) => ({
  version: n,
  changedAt: new Date(at),
  settings: { ...bot, stakeAmount } as unknown as Record<string, unknown>,
});
const stakes = (of: SettingsFrom[]) =>
  of.map(({ from, settings, botVersion }) => [(from - day.from) / hour, Number(settings.stakeAmount), botVersion]);

test('a day has the settings of its versions, each from its own time; the oldest stands for the time before it', () => {
  expect(stakes(settingsOfDay(bot, terms, { bot: [], strategy: [] }, day))).toEqual([[0, 100, bot.version]]);
  const three = [version(1, day.from - hour), version(2, day.from + 9 * hour), version(3, day.to + hour)];
  expect(stakes(settingsOfDay(bot, terms, { bot: three, strategy: [] }, day))).toEqual([
    [0, 100, 1],
    [9, 200, 2],
  ]);
  expect(stakes(settingsOfDay(bot, terms, { bot: three.slice(1), strategy: [] }, day))).toEqual([[0, 200, 2]]);
});

test('settings of the strategy are versions too, and those that the bot has of its own come before them', () => {
  const changed = [
    { version: 1, changedAt: new Date(day.from - hour), settings: { stoploss: '-0.05' } },
    { version: 2, changedAt: new Date(day.from + hour), settings: { stoploss: '-0.02' } },
  ];
  const settings = settingsOfDay(bot, terms, { bot: [], strategy: changed }, day);
  const stops = settings.map((each, i) => {
    const planned = planStretch(bot, each, settings[i + 1]?.from ?? day.to, null, run);
    return [planned.stretch.settings.stoploss, planned.strategyVersion, planned.stretch.to - planned.stretch.from];
  });
  expect(stops).toEqual([
    [-0.05, 1, hour],
    [-0.02, 2, 23 * hour],
  ]);
});

describe('code', () => {
  const description = { kind: 'trend', losesWhen: '', canShort: false, startupCandles: 10, parameters: {}, callbacks: [] };
  const facts = { unannounced: [{ symbol: '{pair}', timeframe: '1h', kind: 'spot' }], readsAccount: true, lookAhead: null, remarks: [] };
  const inPython = { file: 'a.py', exportName: 'A', files: {}, document: null, description: { ...description, fixed: {}, python: facts } };
  const plan = (code: object | null, settings: object = {}, over: Partial<RunOfDay> = {}) => {
    const [first] = settingsOfDay(bot, terms, { bot: [], strategy: [] }, day);
    const own = { ...first, settings: { ...first.settings, ...settings } };
    return planStretch(bot, own, day.to, code as StrategyCode | null, { ...run, ...over });
  };

  test('a class in Python is made as its bot has made it, and shown as many candles', () => {
    const python = { ...noPython, given: process.execPath };
    const { stretch, warmUpMs } = plan(inPython, {}, { python });
    expect(stretch.python).toMatchObject({
      program: process.execPath,
      config: { runmode: 'dry_run', timeframe: '5m', stake_amount: 100, exchange: { name: 'sandbox', pair_whitelist: ['BTC/USDT'] } },
      window: 1_000,
      unannounced: facts.unannounced,
      readsAccount: true,
    });
    expect(warmUpMs).toBe((1_001 * hour) / 12);
    const slow = { ...inPython, description: { ...inPython.description, startupCandles: 2_000 } };
    expect(plan(slow, {}, { python, mode: 'testnet' }).stretch.python).toMatchObject({ config: { runmode: 'live' }, window: 2_050 });
  });

  test.each([
    ['no Python is looked for here', null, 'The strategy is in Python, and days of these are not replayed here.'],
    [
      'there is none',
      { ...noPython, given: '/nowhere/python' },
      'The strategy is in Python. --python names /nowhere/python, which is not a program here.',
    ],
  ])('where %s, the day may be replayed later', (_why, python, sentence) => {
    expect(() => plan(inPython, {}, { python })).toThrow(new CannotReplay(sentence, true));
  });

  test('a file that is gone, and settings that contradict each other, will not change', () => {
    const gone = new CannotReplay('The file of the strategy is not kept any more, so the day cannot be replayed.');
    expect(() => plan({ ...inPython, files: null })).toThrow(gone);
    expect(() => plan({ file: 'a.ts', exportName: 'A', files: null, document: null, description })).toThrow(gone);
    const trailing = {
      trailingStop: true,
      trailingStopPositive: 0.05,
      trailingStopPositiveOffset: 0.01,
      trailingOnlyOffsetIsReached: true,
    };
    expect(() => plan(null, { ownSettings: trailing })).toThrow(/trailing/iu);
  });
});
