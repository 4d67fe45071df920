import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { liveBots } from '../../test/support/live-bots.ts';
import { startMarket } from '../../test/support/market.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { patiently } from '../../test/support/patiently.ts';
import { report, runSize } from '../../test/support/run-size.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { addTestRules } from '../../test/support/test-rules.ts';
import { giveCode, givePython } from '../../test/support/test-code.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { compare, number, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { seededRandom } from '#engine/simulation/seeded-random.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { type ClassParts, classText } from '#strategy-process/python/testing/class-text.ts';
import { testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import type { StrategyParts } from '#strategy-process/testing/strategy-text.ts';
import { strategyText } from '#strategy-process/testing/strategy-text.ts';
import { bookFaults, ledgerOf } from './orders/testing/account-books.ts';
import type { Runner } from './runner.ts';
import { startRunner } from './runner.ts';

// Strategies that do whatever code can do wrong, all at once beside bots that trade (of built-in strategies, of files and of rules), while the processes of strategies are killed:
// npm run torture strategies

const { size: kills, seed } = runSize(4);
const pace = 5; // a minute of market is twelve seconds
const market = await startMarket(pace, seed);
const startTime = market.now();
const { db } = await freshDatabase();
const live = liveBots({ sandboxUrl: market.sandbox.url, now: market.now });
const tradings: Trading[] = [];
let runner: Runner | null = null;
afterAll(async () => {
  await runner?.stop();
  await Promise.all(tradings.map((each) => each.close()));
});

/** What code can do wrong each time it is asked about a candle. */
const wrong: Record<string, StrategyParts> = {
  'loops for ever': { compute: 'for (;;);' },
  'throws an error': { compute: `throw new Error('no idea');` },
  'throws a text': { compute: `throw 'no idea';` },
  'fills its heap': { compute: `const all = []; for (;;) all.push(Array.from({ length: 1e5 }, (_, i) => 'x' + i));` },
  'fills the memory with numbers': { compute: `const all = []; for (;;) all.push(new Float64Array(1e7).fill(1));` },
  'prints a gigabyte and fails': {
    compute: `const line = 'x'.repeat(1e6); for (let i = 0; i < 1000; i++) console.log(line); throw new Error('printed');`,
  },
  'ends its process': { compute: 'globalThis.process.exit(3);' },
  'gives flags that are no flags': { compute: 'signals.enterLong = new Float64Array(count).fill(NaN);' },
  'gives columns of the wrong length': { compute: 'signals.enterLong = new Uint8Array(count + 1);' },
  'gives a tag of a megabyte': { compute: `signals.tags[0] = 'x'.repeat(1e6); signals.enterTag.fill(1); signals.enterLong.fill(1);` },
  'changes the candles': { compute: 'candles.close[0] = 1;' },
};

/** The same of classes in Python, where there is a Python. */
const wrongInPython: Record<string, ClassParts> = {
  'hangs in Python': { populate: 'while self.dp.runmode.value != "backtest": pass' },
  'dies in Python': { populate: 'import os\nif self.dp.runmode.value != "backtest": os._exit(3)' },
  'faults in Python': { populate: 'import ctypes\nif self.dp.runmode.value != "backtest": ctypes.string_at(0)' },
  'throws in Python': { populate: 'if self.dp.runmode.value != "backtest": raise ValueError("no idea")' },
  'hoards in Python': { populate: 'if self.dp.runmode.value != "backtest": bytearray(10_000_000_000)' },
};

/** Enters whenever it can, makes its trade larger and leaves a part of it, and counts what it was asked in the custom data of the trade. */
const busyClass: ClassParts = {
  fields: 'timeframe = "1m"\nposition_adjustment_enable = True\nuse_exit_signal = False',
  populate: 'dataframe["average"] = 0',
  methods: `def custom_stake_amount(self, **words):
    return 40

def adjust_trade_position(self, trade, **words):
    trade.set_custom_data("asked", trade.get_custom_data("asked", 0) + 1)
    if trade.nr_of_successful_entries == 1:
        return 30, "more"
    return (-25, "some") if trade.nr_of_successful_exits == 0 else None`,
};

/** Enters whenever it can, makes its trade larger and leaves a part of it. */
const busyText = strategyText({
  compute: 'signals.enterLong.fill(1); signals.enterTag.fill(1);',
  callbacks: `
    stake: () => 40,
    adjustPosition: ({ trade }) => {
      const filled = (purpose) => trade.orders.filter((order) => order.purpose === purpose && order.filled > 0).length;
      if (filled('entry') === 1) return { stake: 30, tag: 'more' };
      return filled('exit') === 0 ? { stake: -25, tag: 'some' } : null;
    },`,
});

/** The same as rules: enters whenever it can, makes its trade larger at any fall, and leaves a part at any profit. */
const busyRules: RulesDocument = {
  ...emaCross,
  title: 'Busy',
  defaults: { ...emaCross.defaults, timeframe: '1m', minimalRoi: { 0: 0.01, 2: -1 }, stoploss: -0.01, trailingStop: false },
  parameters: {},
  enterLong: [{ tag: 'always', when: compare(price('close'), 'above', number(0)) }],
  exitLong: [],
  enterShort: [],
  exitShort: [],
  positionPlan: { addMore: { distance: 0.00001, stake: 0.7, most: 1 }, takeOut: [{ profit: 0.00001, part: 0.4 }] },
};

const hasPython = testPythonPlaces.given !== null;
const symbols = ['BTC/USDT', 'ETH/USDT'];
const settings = { maxOpenTrades: 2, minimalRoi: { 0: 0.01, 2: -1 }, stoploss: -0.01, orderType: 'market' as const };

/** The processes of strategies that run now: children of this one, and copies that a Python among them has made. */
function strategyProcesses(): number[] {
  const parentOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        const parent = parentOf(pid);
        if (command.includes('strategy-process/child')) return parent === process.pid;
        return command.includes('shim/parent.py') && (parent === process.pid || parentOf(parent) === process.pid);
      } catch {
        return false; // gone meanwhile
      }
    });
}

interface Decided {
  symbol: string;
  candleTime: Date;
  gate: string | null;
  failure: string | undefined;
}

async function decisionsOf(botId: string): Promise<Decided[]> {
  const rows = await db
    .selectFrom('decisions')
    .select(['symbol', 'candleTime', 'gate', 'seen'])
    .where('botId', '=', botId)
    .orderBy('candleTime')
    .execute();
  return rows.map(({ symbol, candleTime, gate, seen }) => ({ symbol, candleTime, gate, failure: (seen as { failure?: string }).failure }));
}

/** How many entries of a bot were filled beyond the first of their trade. */
async function furtherEntries(botId: string): Promise<number> {
  const orders = await db.selectFrom('orders').select(['tradeId', 'purpose', 'filled']).where('botId', '=', botId).execute();
  const entries = orders.filter(({ purpose, filled }) => purpose === 'entry' && Number(filled) > 0);
  return entries.length - new Set(entries.map(({ tradeId }) => tradeId)).size;
}

/** Where a symbol has no decision for a candle, or two: the opening times of those around it, in ms. */
function gapsOf(decided: readonly Decided[]): { symbol: string; from: number; to: number }[] {
  return [...Map.groupBy(decided, ({ symbol }) => symbol)].flatMap(([symbol, of]) =>
    of
      .slice(1)
      .map(({ candleTime }, i) => ({ symbol, from: of[i]?.candleTime.getTime() ?? 0, to: candleTime.getTime() }))
      .filter(({ from, to }) => to - from !== minuteMs),
  );
}

test.skipIf(process.platform !== 'linux')(
  `strategies that go wrong in ${Object.keys(wrong).length + (hasPython ? Object.keys(wrongInPython).length : 0)} ways, and ${kills} kills of strategy processes, take nothing from live bots and from other bots`,
  { timeout: 900_000 + kills * 30_000 },
  async () => {
    const random = seededRandom(seed);
    const good = [];
    for (const marketType of ['spot', 'futures'] as const)
      good.push(
        await addTestBot(db, {
          ...settings,
          strategy: 'BuyAndHold',
          nickname: `good ${marketType}`,
          marketType,
          symbols: marketType === 'spot' ? symbols : symbols.map((symbol) => `${symbol}:USDT`),
        }),
      );
    const bad = new Map<string, string>();
    for (const [name, parts] of Object.entries(wrong)) {
      const id = await addTestBot(db, { ...settings, strategy: 'BuyAndHold', nickname: name });
      await giveCode(db, id, strategyText(parts));
      bad.set(name, id);
    }
    for (const [name, parts] of hasPython ? Object.entries(wrongInPython) : []) {
      const id = await addTestBot(db, { ...settings, strategy: 'BuyAndHold', nickname: name });
      await givePython(db, id, classText('Mine', parts));
      bad.set(name, id);
    }
    const traded: { id: string; nickname: string; trading: Trading; symbols: string[] }[] = [];
    for (const marketType of ['spot', 'futures'] as const) {
      const of = marketType === 'spot' ? symbols : symbols.map((symbol) => `${symbol}:USDT`);
      const owner = `${marketType}@example.com`;
      const { id, apiKeyId } = await live.add(db, {
        ...settings,
        strategy: 'BuyAndHold',
        nickname: `live ${marketType}`,
        owner,
        marketType,
        symbols: of,
      });
      await giveCode(db, id, busyText);
      const trading = await live.openTrading({ apiKeyId, exchangeId: 'sandbox', marketType });
      tradings.push(trading);
      traded.push({ id, nickname: `live ${marketType}`, trading, symbols: of });
    }
    if (hasPython) {
      const owner = 'python@example.com';
      const { id, apiKeyId } = await live.add(db, { ...settings, strategy: 'BuyAndHold', nickname: 'live Python', owner, symbols });
      await givePython(db, id, classText('Mine', busyClass));
      const trading = await live.openTrading({ apiKeyId, exchangeId: 'sandbox', marketType: 'spot' });
      tradings.push(trading);
      traded.push({ id, nickname: 'live Python', trading, symbols });
    }
    // Rules, which run in the runner itself, with a plan that makes trades larger and leaves parts.
    // One pair with money for two trades: there is something left to make a trade larger with.
    for (const marketType of ['spot', 'futures'] as const) {
      const of = [marketType === 'spot' ? 'ETH/USDT' : 'ETH/USDT:USDT']; // of Bitcoin the smallest perpetual order is more than is added
      const { id, apiKeyId } = await live.add(db, {
        ...settings,
        strategy: 'BuyAndHold',
        nickname: `rules ${marketType}`,
        ownSettings: { orderTypes: { entry: 'market', exit: 'market' } },
        owner: `rules-${marketType}@example.com`,
        marketType,
        symbols: of,
      });
      const rules = await addTestRules(db, busyRules, `rules-${marketType}@example.com`);
      await sql`update bots set strategy_id = ${rules.strategyId}, code_id = ${rules.codeId}, updated_at = clock_timestamp() where id = ${id}`.execute(
        db,
      );
      const trading = await live.openTrading({ apiKeyId, exchangeId: 'sandbox', marketType });
      tradings.push(trading);
      traded.push({ id, nickname: `rules ${marketType}`, trading, symbols: of });
    }
    const markets = market.connect();
    const logs: string[] = [];
    runner = await startRunner(
      {
        db,
        markets,
        windows: new CandleWindows(markets, { now: market.now }),
        openTrading: live.openTrading,
        pace,
        host: 'strategies',
        now: market.now,
        log: (message, details) => logs.push(`${new Date(market.now()).toISOString()} ${message} ${JSON.stringify(details)}`),
        python: testPythonPlaces,
        // Long enough for those that do answer, on a machine that is busy with the others.
        strategyTimes: { rowMs: patienceMs / 10, callbackMs: patienceMs / 15, mostFailures: 3 },
      },
      { scan: 100, heartbeat: 500, lease: patienceMs, vitals: 500 },
    );
    /** Candles without a decision, or with two, and what the runner said meanwhile. */
    const gapsWithLog = (decided: readonly Decided[]): string[] =>
      gapsOf(decided).map(({ symbol, from, to }) => {
        const meanwhile = logs.filter((line) => Date.parse(line.slice(0, 24)) > from && Date.parse(line.slice(0, 24)) < to + 2 * minuteMs);
        return `${symbol}: ${new Date(from).toISOString()} to ${new Date(to).toISOString()}\n${meanwhile.join('\n')}`;
      });
    const closed = async (botId: string): Promise<number> =>
      (await db.selectFrom('trades').select('id').where('botId', '=', botId).where('status', '=', 'closed').execute()).length;
    /** Whether a bot has closed a trade, and what has failed so far. */
    const progress = async (id: string): Promise<{ hasClosed: boolean; failures: unknown[] }> => ({
      hasClosed: (await closed(id)) > 0,
      failures: [...new Set((await decisionsOf(id)).map(({ gate, failure }) => failure ?? gate))],
    });
    // The first of them waits for the start of all, beside strategies that hang until their time is over, several times each.
    for (const { id, nickname } of traded)
      await expect
        .poll(() => progress(id), { interval: 500, timeout: 3 * patienceMs, message: nickname })
        .toEqual({ hasClosed: true, failures: expect.any(Array) as unknown[] });
    let killed = 0;
    while (killed < kills) {
      await sleep(500 + random() * 2_500);
      const all = strategyProcesses();
      const pid = all[Math.floor(random() * all.length)];
      if (pid === undefined) continue;
      try {
        process.kill(pid, 'SIGKILL');
        killed += 1;
      } catch {
        // it has ended by itself meanwhile
      }
    }
    // Who goes wrong rests in the end and is not asked any more; each candle says why all the same.
    for (const [name, id] of bad)
      await expect
        .poll(async () => (await decisionsOf(id)).filter(({ gate }) => gate === 'strategy-failed').length, { interval: 500, message: name })
        .toBeGreaterThan(3);
    // Rules add to a trade once the price has fallen, which takes as long as it takes.
    for (const { id, nickname } of traded)
      await expect.poll(() => furtherEntries(id), { interval: 500, message: nickname }).toBeGreaterThan(0);
    for (const { id } of traded) {
      const before = await closed(id);
      await expect.poll(() => closed(id), { interval: 500, message: logs.slice(-3).join('\n') }).toBeGreaterThan(before);
    }
    for (const id of [...good, ...bad.values(), ...traded.map((each) => each.id)]) await setBotStatus(db, id, 'stopped');
    const open = async () => (await db.selectFrom('trades').select('id').where('status', '=', 'open').execute()).length;
    await expect.poll(open, { interval: 500, message: logs.slice(-3).join('\n') }).toBe(0);
    const unfinished = async () =>
      (await db.selectFrom('orders').select('id').where('status', 'in', ['planned', 'sent', 'unknown', 'open', 'cancel-pending']).execute())
        .length;
    await expect.poll(unfinished, { interval: 500 }).toBe(0);
    await runner.stop();
    runner = null;

    for (const { id, nickname, trading, symbols: of } of traded) {
      expect(await patiently(() => trading.openOrders())).toEqual([]);
      expect(await patiently(() => trading.positions())).toEqual([]);
      expect(await bookFaults(db, id, await ledgerOf(trading, of, startTime))).toEqual([]);
      const decided = await decisionsOf(id);
      expect(gapsWithLog(decided)).toEqual([]);
      for (const { gate, failure } of decided) if (gate === 'strategy-failed') expect(failure).toMatch(/^The strategy.+\.$/u);
      expect(await furtherEntries(id), nickname).toBeGreaterThan(0);
    }
    const alarms = await db
      .selectFrom('alarms')
      .select('kind')
      .where('kind', 'in', ['unprotected-position', 'unknown-order', 'difference'])
      .execute();
    expect(alarms).toEqual([]);
    for (const id of good) {
      const decided = await decisionsOf(id);
      expect(gapsWithLog(decided)).toEqual([]);
      expect(decided.filter(({ gate }) => gate === 'strategy-failed')).toEqual([]);
      expect(await closed(id)).toBeGreaterThan(0);
    }
    const sentences = [];
    for (const [name, id] of bad) {
      const decided = await decisionsOf(id);
      expect(gapsWithLog(decided), name).toEqual([]);
      for (const { gate, failure } of decided)
        expect([name, gate, failure]).toEqual([name, 'strategy-failed', expect.stringMatching(/\S.{10,}\.$/u)]);
      sentences.push(`${name}: ${decided.at(0)?.failure}`);
    }
    report(
      `strategies gone bad: ${killed} processes killed, ${(await db.selectFrom('orders').select('id').execute()).length} orders, seed ${seed}\n${sentences.join('\n')}`,
    );
  },
);
