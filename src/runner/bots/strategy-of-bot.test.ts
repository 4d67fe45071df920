import type { Timeframe } from '#engine/market/timeframe.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { readBot } from '#storage/bots/running-bots.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { Asker } from '#strategy-process/asker.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { noPython } from '#strategy-process/python/find-python.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { addTestRules } from '../../../test/support/test-rules.ts';
import type { SignalSource } from './runnable-strategy.ts';
import { strategyOfBot } from './strategy-of-bot.ts';

const { db } = await freshDatabase();
const processes = new StrategyProcesses(
  { node: process.execPath, walls: wallsOfSystem(), python: noPython },
  productTimes,
  () => undefined,
);
afterAll(() => processes.end());

let made = 0;
const aBot = (strategy: 'BuyAndHold' | 'AlwaysFlat' = 'BuyAndHold'): Promise<string> =>
  addTestBot(db, { strategy, nickname: `bot ${++made}` });

/** Where the rows of a bot come from. */
async function signalsOf(botId: string, given: { mode?: 'paper' | 'live'; timeframe?: Timeframe } = {}): Promise<SignalSource> {
  const stored = await readBot(db, botId);
  if (stored === null) throw new Error('The bot is gone');
  const onError = (error: unknown): never => expect.fail(String(error));
  const nobody = async (): Promise<never> => expect.fail('nobody asks');
  const { mode = 'paper', timeframe = '5m' } = given;
  return strategyOfBot({ ...stored, mode }, timeframe, processes, new Asker(botId), onError, nobody).signals;
}
const keyOf = async (...of: Parameters<typeof signalsOf>): Promise<string> => (await signalsOf(...of)).key;

describe('bots share their rows where these are the same, and only there', () => {
  test('of rules the version counts, not what it is called or who has made it', async () => {
    const onRules = async (document: typeof emaCross, email: string): Promise<string> => {
      const { strategyId, codeId } = await addTestRules(db, document, email);
      const id = await aBot();
      await sql`update bots set strategy_id = ${strategyId}, code_id = ${codeId} where id = ${id}`.execute(db);
      return keyOf(id);
    };
    const mine = await onRules(emaCross, 'ann@example.com');
    expect(await onRules(emaCross, 'bob@example.com')).toBe(mine);
    expect(await onRules({ ...emaCross, enterLong: emaCross.exitLong, exitLong: emaCross.enterLong }, 'bob@example.com')).not.toBe(mine);
  });

  const description = {
    name: 'Mine',
    title: 'Mine',
    description: '',
    losesWhen: '',
    kind: 'trend',
    canShort: false,
    startupCandles: 20,
    series: [],
    defaults: { timeframe: '1h', stoploss: -0.1, minimalRoi: {}, trailingStop: false },
    parameters: {},
    callbacks: [],
    stopAfterFill: false,
  };
  let versions = 0;
  /** A bot of a strategy of a file, which has this name in it; of another version each time unless one is given. */
  async function onFile(exportName: string, more: object = {}, hash = `version ${++versions}`, strategy?: 'BuyAndHold' | 'AlwaysFlat') {
    const id = await aBot(strategy);
    const { strategyId } = await db.selectFrom('bots').select('strategyId').where('id', '=', id).executeTakeFirstOrThrow();
    const code = {
      strategyId,
      hash,
      file: 'mine.ts',
      exportName,
      files: { 'mine.ts': '' },
      description: { ...description, exportName, ...more },
    };
    const { id: codeId } = await keepCode(db, { ...code, madeBy: null });
    await sql`update bots set code_id = ${codeId} where id = ${id}`.execute(db);
    return id;
  }

  test('of a file each of its strategies has its own', async () => {
    const one = await keyOf(await onFile('one', {}, 'both'));
    expect(await keyOf(await onFile('one', {}, 'both'))).toBe(one);
    expect(await keyOf(await onFile('two', {}, 'both', 'AlwaysFlat'))).not.toBe(one);
    expect(await keyOf(await onFile('one'))).not.toBe(one);
  });

  test('a strategy is shown as many candles of the bot as make those of the longer timeframe that it reads', async () => {
    const id = await onFile('one', { series: [{ timeframe: '1h', startupCandles: 48 }] });
    expect((await signalsOf(id, { timeframe: '5m' })).startupCandles).toBeGreaterThanOrEqual(48 * 12);
    expect((await signalsOf(id, { timeframe: '30m' })).startupCandles).toBeLessThan(48 * 12);
  });

  test('a class in Python keeps things of its own: paper and real money have one each, and each bot where it reads its account', async () => {
    const facts = { unannounced: [], readsAccount: false, lookAhead: null, remarks: [] };
    const python = { words: {}, fixed: {}, python: facts };
    const [one, other] = [await onFile('Mine', python, 'class'), await onFile('Mine', python, 'class')];
    expect(await keyOf(other)).toBe(await keyOf(one));
    expect(await keyOf(one, { mode: 'live' })).not.toBe(await keyOf(one));
    const reading = { ...python, python: { ...facts, readsAccount: true } };
    const [third, fourth] = [await onFile('Mine', reading, 'reading'), await onFile('Mine', reading, 'reading')];
    expect(await keyOf(fourth)).not.toBe(await keyOf(third));
    // Another class of the same file.
    const before = await keyOf(one);
    await sql`update strategy_code set export_name = 'Other' where hash = 'class'`.execute(db);
    expect(await keyOf(one)).not.toBe(before);
  });
});
