import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import { fingerprintLines } from '#engine/backtest/fingerprint.ts';
import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { compare, price } from '#engine/rules/pieces.ts';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { defaultParameters, type Strategy } from '#engine/strategy/strategy.ts';
import { loadStrategy } from './backtest/strategy-file.ts';
import { rulesCommand } from './rules-command.ts';
import { writeTo } from './testing/sandbox-candles.ts';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'flotilla-rules-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...words: string[]) {
  const [out, err]: string[][] = [[], []];
  const code = await rulesCommand(
    words,
    (line) => out.push(line),
    (line) => err.push(line),
  );
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const emaCross = rulesTemplates['EmaCross'];
const written = (name: string, document: unknown): string => writeTo(folder, `${name}.json`, JSON.stringify(document));

describe('flotilla rules', () => {
  test('check says a document in words', async () => {
    const { code, out, err } = await run('check', written('sound', emaCross));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n')[0]).toBe('Enter long when EMA 12 crosses above EMA 26 and the close is above EMA 100 (cross-up).');
  });

  test('check says every fault with the way to it', async () => {
    const close = price('close');
    const path = written('faults', { ...emaCross, exitLong: [{ tag: '', when: compare(close, 'above', close) }] });
    const sentences = [`${path}: exitLong.0: A signal needs a tag.`, `${path}: exitLong.0.when: Something is compared with itself.`];
    expect(await run('check', path)).toEqual({ code: 2, out: '', err: sentences.join('\n') });
    expect(await run('to-typescript', path)).toEqual({ code: 2, out: '', err: sentences.join('\n') });
  });

  test.each<[string, () => string[], RegExp]>([
    ['another form', () => ['check', written('form', { ...emaCross, version: 2 })], /form\.json: version: /u],
    ['a field too many', () => ['check', written('field', { ...emaCross, enterlong: [] })], /field\.json: the document: .*enterlong/u],
    ['no JSON', () => ['check', writeTo(folder, 'no.json', '{')], /no\.json is not JSON: /u],
    ['no file', () => ['check', join(folder, 'nowhere.json')], /^The file .*nowhere\.json does not exist\.$/u],
    ['no action', () => ['sing'], /^"sing" is nothing that can be done with rules\. Give one of check, to-typescript, template\.$/u],
    ['no template', () => ['template', 'constructor'], /^There are no rules of "constructor"\. Give one of EmaCross, /u],
  ])('%s is a wrong call: 2', async (_, words, err) => {
    expect(await run(...words())).toEqual({ code: 2, out: '', err: expect.stringMatching(err) });
  });

  test('template writes a document that passes', async () => {
    const { out } = await run('template', 'VwapReversion');
    expect(JSON.parse(out)).toEqual(rulesTemplates['VwapReversion']);
    expect(await run('check', writeTo(folder, 'template.json', out))).toMatchObject({ code: 0, err: '' });
  });
});

/** Conditions, longer timeframes, a guard and a plan in one. */
const everything: RulesDocument = {
  ...emaCross,
  guard: [compare({ ...price('close'), timeframe: '1h' }, 'above', { kind: 'lowest', of: price('low'), candles: 12, timeframe: '1h' })],
  positionPlan: { addMore: { distance: 0.01, stake: 0.5, most: 2 }, takeOut: [{ profit: 0.01, part: 0.5 }] },
};

test.each([...Object.entries(rulesTemplates), ['everything', everything] as const])(
  'the file of %s makes the same trades',
  async (name, document) => {
    const { out, code } = await run('to-typescript', written(name, document));
    expect(code).toBe(0);
    const file = await loadStrategy(writeTo(folder, `${name}.ts`, out));
    const compiled = await loadStrategy(join(folder, `${name}.json`)); // as `backtest --strategy FILE.json` does
    const settings = requireSettings({
      marketType: compiled.canShort ? 'futures' : 'spot',
      canShort: compiled.canShort,
      stakeAmount: 1_000,
      startingBalance: 10_000,
      maxOpenTrades: 1,
      fee: 0.001,
      positionAdjustment: true,
      ...document.defaults,
      liquidationFormula: 'binance',
    });
    const marketType = compiled.canShort ? 'futures' : 'spot';
    const symbol = compiled.canShort ? 'BTC/USDT:USDT' : 'BTC/USDT';
    const instrument = anInstrument({ symbol, base: 'BTC', marketType, amountStep: 0.0001, maxLeverage: 20 });
    const { timeframe } = document.defaults;
    const candles = randomWalk({ length: 12_000, seed: 9, stepMs: timeframeLengths[timeframe] });
    const tradesOf = (strategy: Strategy) => {
      const { trades } = backtestStrategy({
        strategy,
        parameters: defaultParameters(strategy),
        settings,
        timeframe,
        pairs: [{ instrument, candles }],
      });
      return trades.map((trade, i) => `${fingerprintLines(trades)[i]} ${trade.enterTag} ${trade.orders.map(({ tag }) => tag).join('+')}`);
    };
    const trades = tradesOf(compiled);
    expect(trades.length).toBeGreaterThan(name === 'BuyAndHold' ? 0 : 10);
    if (name === 'everything') expect(trades.join('\n')).toMatch(/add-1[\s\S]*take-out-1/u);
    expect(tradesOf(file)).toEqual(trades);
  },
);
