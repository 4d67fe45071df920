import { noPython } from './python/find-python.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { patienceMs as machinePatienceMs } from '../../test/support/patience.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { Asker } from './asker.ts';
import { ProcessEnded } from './process-ended.ts';
import { StrategyError } from './strategy-error.ts';
import { wallsOfSystem } from './child-command.ts';
import type { ProcessTimes, StrategyOfVersion } from './strategy-processes.ts';
import { productTimes, StrategyProcesses } from './strategy-processes.ts';
import { swingingCandles } from './testing/candles.ts';
import type { StrategyParts } from './testing/strategy-text.ts';
import { strategyText } from './testing/strategy-text.ts';

const walls = wallsOfSystem();
const candles = swingingCandles(100);
const of = { symbol: 'BTC/USDT', own: { candles, series: 'BTC/USDT' }, timeframeMs: 300_000 };
const trade = { trade: aTrade(), time: 1, price: 1, profitRatio: 0 };

// A process of a strategy gives way to all others, and an answer that comes is waited for.
const patienceMs = 3 * machinePatienceMs;
const patient = { loadMs: patienceMs, rowMs: patienceMs, columnsMs: patienceMs, callbackMs: patienceMs };

function processesWith(changed: Partial<ProcessTimes> = {}) {
  const rests: [string, string][] = [];
  const times: ProcessTimes = { ...productTimes, ...patient, ...changed };
  const processes = new StrategyProcesses({ node: process.execPath, walls, python: noPython }, times, (id, fault) =>
    rests.push([id, fault]),
  );
  onTestFinished(() => processes.end());
  return { processes, rests, times };
}

function strategy(id: string, parts: StrategyParts = {}): StrategyOfVersion {
  return { version: { id, file: 'mine.ts', files: { 'mine.ts': strategyText(parts) } }, exportName: 'default' };
}

/** The strategy processes below this one, by their numbers. */
function running(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return Number(stat[1]) === process.pid && stat[0] !== 'Z' && command.includes('strategy-process/child/main.ts') ? [Number(name)] : [];
    } catch {
      return []; // it has ended, or is not a process
    }
  });
}

describe('strategy processes', () => {
  test('one runs for each version, whoever asks and of whatever pair; different versions do not meet', async () => {
    const { processes } = processesWith();
    const one = strategy('one', { before: 'let asked = 0;', callbacks: 'stake: () => ++asked,' });
    const two = strategy('two', { before: 'let asked = 100;', callbacks: 'stake: () => ++asked,' });
    expect(await Promise.all([one, one, two, one].map((each) => processes.callback(each, 'stake', trade)))).toEqual([1, 2, 101, 3]);
    if (process.platform === 'linux') expect(running()).toHaveLength(2);
    const [row, other] = await Promise.all(['BTC/USDT', 'ETH/USDT'].map((symbol) => processes.row(one, { period: 5 }, { ...of, symbol })));
    expect(row).toEqual(other);
    const { indicators, enterLong } = await processes.columns(one, { period: 5 }, of);
    expect(row).toMatchObject({ enterLong: enterLong[99] === 1, values: { average: Number(indicators['average'][99].toPrecision(6)) } });
    await processes.end();
    if (process.platform === 'linux') expect(running()).toEqual([]);
    await expect(processes.row(one, {}, of)).rejects.toThrow('The program is being ended.');
  });

  test('one that has ended is started again with the next question', async () => {
    const { processes, rests, times } = processesWith();
    const hangs = strategy('hangs', { callbacks: 'customExit: () => { for (;;); }, roi: () => 0.5,' });
    const before = await processes.row(hangs, { period: 5 }, of);
    times.callbackMs = 1_000;
    await expect(processes.callback(hangs, 'customExit', trade)).rejects.toThrow(
      'The strategy gave no answer for 1 s; its process was ended.',
    );
    times.callbackMs = patienceMs;
    expect(await processes.callback(hangs, 'roi', trade)).toBe(0.5);
    expect(await processes.row(hangs, { period: 5 }, of)).toEqual(before); // it has been sent the candles again
    expect(rests).toEqual([]);
  });

  test('a callback does not wait for the rows that wait, also of its pair; rows and callbacks keep their sequence', async () => {
    const { processes } = processesWith();
    const busy = strategy('busy', { before: 'let rows = 0;', compute: 'rows++;', callbacks: 'stake: () => rows, roi: () => 0.5,' });
    const answered: string[] = [];
    const noted = async <Value>(name: string, asked: Promise<Value>): Promise<Value> => {
      const value = await asked;
      answered.push(name);
      return value;
    };
    await processes.description(busy); // it runs
    const names = Array.from({ length: 50 }, (_, i) => `row ${i}`);
    const rows = names.map((name) => noted(name, processes.row(busy, { period: 5 }, of)));
    const callbacks = (['stake', 'roi'] as const).map((name) => noted(name, processes.callback(busy, name, trade)));
    expect(await Promise.all(callbacks)).toEqual([1, 0.5]); // after the row that was being computed
    await Promise.all(rows);
    expect(answered).toEqual(['row 0', 'stake', 'roi', ...names.slice(1)]);
  });

  test('one that nobody asks any more is ended, and no question is lost by it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }); // of this process; that of the strategy has its own
    onTestFinished(() => void vi.useRealTimers());
    const { processes } = processesWith({ idleMs: 300 });
    const quiet = strategy('quiet', { before: 'let asked = 0;', callbacks: 'stake: () => ++asked,' });
    expect(await processes.callback(quiet, 'stake', trade)).toBe(1);
    vi.advanceTimersByTime(299);
    expect(await processes.callback(quiet, 'stake', trade)).toBe(2); // the time begins again
    vi.advanceTimersByTime(299);
    expect(await processes.callback(quiet, 'stake', trade)).toBe(3);
    vi.advanceTimersByTime(300);
    vi.useRealTimers();
    while (process.platform === 'linux' ? running().length > 0 : await sleep(2_000, false)) await sleep(20);
    expect(await processes.callback(quiet, 'stake', trade)).toBe(1); // another process
  });

  test('after five failures in a row the bot that asks rests, and others are answered', async () => {
    const { processes, rests } = processesWith();
    const failing = strategy('failing', {
      before: 'let asked = 0;',
      compute: `asked++; if (asked % 6 !== 1) throw new Error('turn ' + asked);`,
      callbacks: `roi: () => asked, customExit: () => { throw new Error('no idea'); },`,
    });
    const [bot, other] = [new Asker('bot'), new Asker('other')];
    const ask = (callback: 'customExit' | 'roi', asker: Asker) => processes.callback(failing, callback, trade, null, asker);
    await processes.row(failing, { period: 5 }, of, [bot]); // the first is right, and so is the seventh: fewer than five in a row before
    for (let i = 0; i < 4; i++) await expect(processes.row(failing, { period: 5 }, of, [bot])).rejects.toThrow(/Above fails on BTC\/USDT/u);
    for (let i = 0; i < 4; i++) await expect(ask('customExit', bot)).rejects.toThrow('no idea');
    expect([rests, bot.rest]).toEqual([[], null]); // the failures of rows and of callbacks are counted apart
    await expect(ask('customExit', bot)).rejects.toThrow('no idea');
    const rest = /^The strategy rests after 5 failures in a row\. The last: Above: the callback customExit fails/u;
    expect([rests, bot.rest]).toEqual([[['bot', expect.stringContaining('the callback customExit fails')]], expect.stringMatching(rest)]);
    await expect(processes.row(failing, { period: 5 }, of, [bot])).rejects.toThrow(rest);
    await expect(ask('roi', bot)).rejects.toThrow(rest);
    await expect(ask('customExit', other)).rejects.toThrow('no idea');
    expect(await ask('roi', other)).toBeGreaterThan(0);
    expect(other.rest).toBeNull();
    expect(await ask('roi', new Asker('bot'))).toBeGreaterThan(0); // as when it starts again
    const sound = strategy('sound');
    expect(await processes.row(sound, { period: 5 }, of, [bot, other])).toBeDefined(); // it is shared with one that does not rest
    await expect(processes.row(sound, { period: 5 }, of, [bot])).rejects.toThrow(rest);
    expect(bot.rest).not.toBeNull();
    expect(rests).toHaveLength(1);
  });

  test('what waits while another question ends the process is asked again, and does not count as a failure of whoever asks it', async () => {
    const { processes, rests, times } = processesWith({ mostFailures: 2 });
    const hangs = strategy('waited-for', { callbacks: 'customExit: () => { for (;;); }, roi: () => 0.5,' });
    const [hanging, sound] = [new Asker('hanging'), new Asker('sound')];
    const hang = () => {
      times.callbackMs = 500;
      const asked = processes.callback(hangs, 'customExit', trade, null, hanging);
      times.callbackMs = patienceMs;
      return asked;
    };
    for (let i = 0; i < 2; i++) {
      const asked = hang();
      const waiting = Promise.all([
        ...[1, 2, 3].map(() => processes.callback(hangs, 'roi', trade, null, sound)),
        ...['BTC/USDT', 'ETH/USDT'].map((symbol) => processes.row(hangs, { period: 5 }, { ...of, symbol }, [sound])),
      ]);
      await expect(asked).rejects.toThrow('The strategy gave no answer for 0.5 s; its process was ended.');
      expect((await waiting).slice(0, 3)).toEqual([0.5, 0.5, 0.5]);
    }
    expect([rests.map(([bot]) => bot), sound.rest]).toEqual([['hanging'], null]);
    await expect(hang()).rejects.toThrow('The strategy rests after 2 failures in a row.');
  });

  test('of many questions that hang no more are asked than lead to a rest', async () => {
    const { processes, rests, times } = processesWith({ mostFailures: 1 });
    const hangs = strategy('all-hang', { callbacks: 'customExit: () => { for (;;); }, roi: () => 0.5,' });
    const bot = new Asker('bot');
    await processes.callback(hangs, 'roi', trade); // it runs
    times.callbackMs = 3_000; // what waits does so for twice as long
    const asked = Array.from({ length: 4 }, () => processes.callback(hangs, 'customExit', trade, null, bot).catch(String));
    const hung = 'The strategy gave no answer for 3 s; its process was ended.';
    const rest = `StrategyError: The strategy rests after 1 failures in a row. The last: ${hung}`;
    expect(await Promise.all(asked)).toEqual([`StrategyError: ${hung}`, rest, rest, rest]);
    expect(rests).toHaveLength(1);
  });

  test('a question that waits behind one that hangs for longer than it may take itself is asked all the same', async () => {
    const { processes, times } = processesWith();
    const hangs = strategy('row-hangs', { compute: 'for (;;);', callbacks: 'confirmEntry: () => false,' });
    const entry = { symbol: 'BTC/USDT', direction: 'long', time: 1, price: 1, amount: 1, tag: null };
    expect(await processes.callback(hangs, 'confirmEntry', entry)).toBe(false); // it runs
    times.rowMs = 2_000;
    const hanging = processes.row(hangs, { period: 5 }, { ...of, timeframeMs: 3_600_000 }, [new Asker('hanging')]).catch(String);
    times.callbackMs = 500;
    const sound = processes.callback(hangs, 'confirmEntry', entry, null, new Asker('sound'));
    times.callbackMs = patienceMs;
    expect([await hanging, await sound]).toEqual([expect.stringContaining('gave no answer for 2 s'), false]);
  });

  test('who has ended a process comes after the others; what is asked a third time fails, and its bot has not', async () => {
    const { processes, rests, times } = processesWith({ mostFailures: 5 });
    const hangs = strategy('many-hang', { callbacks: 'customExit: () => { for (;;); }, roi: () => 0.5,' });
    const [hanging, sound] = [new Asker('hanging'), new Asker('sound')];
    const ended: string[] = [];
    const ask = async (asker: Asker, callback: 'customExit' | 'roi') => {
      const answer = await processes.callback(hangs, callback, trade, null, asker).catch(String);
      ended.push(`${asker.botId} ${String(answer).slice(0, 14)}`);
    };
    await processes.callback(hangs, 'roi', trade); // it runs
    times.callbackMs = 500;
    const all = [...Array.from({ length: 3 }, () => ask(hanging, 'customExit')), ask(sound, 'roi')];
    await Promise.all(all);
    expect(ended).toEqual(['hanging StrategyError:', 'sound 0.5', 'hanging StrategyError:', 'hanging StrategyError:']);
    // Four bots, each of which has ended none before.
    const strangers = ['1', '2', '3', '4'].map((name) => ask(new Asker(name), 'customExit'));
    await Promise.all([...strangers, ask(sound, 'roi')]);
    expect(ended.slice(4)).toContain('sound StrategyError:');
    expect([sound.rest, rests]).toEqual([null, []]);
    times.callbackMs = patienceMs;
    expect(await processes.callback(hangs, 'roi', trade, null, sound)).toBe(0.5);
  });

  test('rows that fail are no better for callbacks that are answered in between', () => {
    const bot = new Asker('bot');
    for (let i = 0; i < 5; i++) {
      expect(bot.rest).toBeNull();
      bot.failed('rows', new StrategyError('It fails.'), 5);
      bot.succeeded('callbacks');
    }
    expect(bot.rest).not.toBeNull();
  });

  test('one end counts once for a bot, also where rows and callbacks waited for the same process', () => {
    const bot = new Asker('bot');
    for (let i = 0; i < 4; i++) {
      const error = new ProcessEnded('It is gone.');
      bot.failed('rows', error, 5);
      bot.failed('callbacks', error, 5);
    }
    expect(bot.rest).toBeNull();
    bot.failed('rows', new ProcessEnded('It is gone.'), 5);
    expect(bot.rest).not.toBeNull();
  });

  test('a bot for which processes are ended again and again rests, whatever is answered in between', async () => {
    const { processes, rests, times } = processesWith({ mostFailures: 3 });
    const moody = strategy('moody-hang', { callbacks: 'customExit: () => { for (;;); }, roi: () => 0.5,' });
    const [often, seldom] = [new Asker('often'), new Asker('seldom')];
    const hang = async (asker: Asker) => {
      times.callbackMs = 500;
      await expect(processes.callback(moody, 'customExit', trade, null, asker)).rejects.toThrow('gave no answer');
      times.callbackMs = patienceMs;
    };
    const answer = async (asker: Asker, count: number) => {
      for (let i = 0; i < count; i++) expect(await processes.callback(moody, 'roi', trade, null, asker)).toBe(0.5);
    };
    for (let i = 0; i < 4; i++) {
      await answer(seldom, 10);
      await hang(seldom);
    }
    expect(seldom.rest).toBeNull();
    for (let i = 0; i < 3; i++) {
      expect(often.rest).toBeNull();
      await answer(often, 4);
      await hang(often);
    }
    expect(often.rest).toBe(
      'The strategy rests: it has ended its process 3 times with few answers in between. The last: The strategy gave no answer for 0.5 s; its process was ended.',
    );
    expect(rests.map(([bot]) => bot)).toEqual(['often']);
  });

  test('a success between failures begins the count again', async () => {
    const { processes, rests } = processesWith({ mostFailures: 2 });
    const moody = strategy('moody', {
      before: 'let asked = 0;',
      callbacks: `roi: () => { if (asked++ % 2 === 0) throw new Error('no'); return 1; },`,
    });
    const [bot, other] = [new Asker('bot'), new Asker('other')];
    for (let i = 0; i < 4; i++) {
      await expect(processes.callback(moody, 'roi', trade, null, bot)).rejects.toThrow('no');
      expect(await processes.callback(moody, 'roi', trade, null, bot)).toBe(1);
    }
    expect(rests).toEqual([]);
    for (let i = 0; i < 2; i++) {
      await expect(processes.callback(moody, 'roi', trade, null, bot)).rejects.toThrow('no');
      expect(await processes.callback(moody, 'roi', trade, null, other)).toBe(1); // of another bot, which ends no count but its own
    }
    expect(rests.map(([id]) => id)).toEqual(['bot']);
  });

  test('a version that cannot be loaded fails with its sentence each time, until the bot that asks rests; many that wait for it fail once', async () => {
    const { processes, rests } = processesWith({ mostFailures: 2 });
    const broken: StrategyOfVersion = {
      version: { id: 'broken', file: 'mine.ts', files: { 'mine.ts': 'nothing' } },
      exportName: 'default',
    };
    const [bot, other] = [new Asker('bot'), new Asker('other')];
    const ask = (asker: Asker) => processes.row(broken, {}, of, [asker]);
    const sentence = 'StrategyError: mine.ts cannot be loaded: nothing is not defined (mine.ts, line 1).';
    expect(await Promise.all([bot, bot, bot, other].map((each) => ask(each).catch(String)))).toEqual(
      Array.from({ length: 4 }, () => sentence),
    );
    expect(rests).toEqual([]);
    await expect(ask(bot)).rejects.toThrow('cannot be loaded');
    await expect(ask(bot)).rejects.toThrow('The strategy rests after 2 failures in a row.');
    await expect(ask(other)).rejects.toThrow('cannot be loaded');
    expect(rests.map(([id]) => id)).toEqual(['bot', 'other']);
  });

  test('a fifth of the timeframe is the most that rows may take', async () => {
    const { processes } = processesWith();
    const slow = strategy('slow', { compute: 'for (;;);' });
    await expect(processes.row(slow, { period: 5 }, { ...of, timeframeMs: 5_000 })).rejects.toThrow('The strategy gave no answer for 1 s');
  });
});
