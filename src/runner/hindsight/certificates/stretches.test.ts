import { findBot } from '#storage/bots/bots.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { beforeAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../../test/support/test-bot.ts';
import type { SettingsFrom } from './stretches.ts';
import { planStretch, settingsOfDay } from './stretches.ts';

const { db } = await freshDatabase();
const day = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
const hour = 3_600_000;
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
    const planned = planStretch(bot, each, settings[i + 1]?.from ?? day.to, null);
    return 'why' in planned
      ? planned.why
      : [planned.stretch.settings.stoploss, planned.strategyVersion, planned.stretch.to - planned.stretch.from];
  });
  expect(stops).toEqual([
    [-0.05, 1, hour],
    [-0.02, 2, 23 * hour],
  ]);
});

test('what cannot be replayed says why: Python, a file that is gone, settings that contradict each other', () => {
  const [settings] = settingsOfDay(bot, terms, { bot: [], strategy: [] }, day);
  const plan = (of: SettingsFrom, code: Partial<StrategyCode> | null) => planStretch(bot, of, day.to, code as StrategyCode | null);
  const description = { kind: 'trend', losesWhen: '', canShort: false, startupCandles: 10, parameters: {}, callbacks: [] };
  const python = { file: 'a.py', exportName: 'A', files: {}, description: { ...description, python: { version: '3.12', callbacks: [] } } };
  expect(plan(settings, python)).toEqual({ why: 'The strategy is in Python, and days of these are not replayed yet.' });
  expect(plan(settings, { file: 'a.ts', exportName: 'A', files: null, description })).toEqual({
    why: 'The file of the strategy is not kept any more, so the day cannot be replayed.',
  });
  const trailing = { trailingStop: true, trailingStopPositive: 0.05, trailingStopPositiveOffset: 0.01, trailingOnlyOffsetIsReached: true };
  const wrong = { ...settings, settings: { ...settings.settings, ownSettings: trailing } };
  expect(plan(wrong, null)).toMatchObject({ why: expect.stringMatching(/trailing/iu) });
});
