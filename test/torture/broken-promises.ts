import type { Order } from '#engine/account/order.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { BacktestResult } from '#engine/backtest/backtest-result.ts';
import { backtest } from '#engine/backtest/backtest.ts';
import type { BacktestInput } from '#engine/backtest/input.ts';
import { truncateAmount } from '#engine/market/rounding.ts';
import { equityFaults } from './equity-faults.ts';

/** What a backtest may never do, whatever it is made of, and did: one sentence each. None is a pass. */
export function brokenPromises(input: BacktestInput): { trades: number; faults: string[] } {
  const watched = withWatchedStops(input);
  const result = backtest(watched.input);
  const once = JSON.stringify(result);
  const faults = [...watched.faults];
  const state = (holds: boolean, sentence: string): void => {
    if (!holds) faults.push(sentence);
  };
  const again = withWatchedStops(input);
  state(JSON.stringify(backtest(again.input)) === once, 'The same run twice differs.');
  for (const trade of [...result.trades, ...result.unclosedTrades]) faults.push(...tradeFaults(trade, input));
  faults.push(...slotFaults(result, input), ...equityFaults(result, input));

  const profit = sum(result.trades, (trade) => trade.profit ?? 0);
  const missing = sum(result.unclosedTrades, (trade) => trade.stake - trade.realizedProfit);
  const expected = result.startingBalance + profit - missing;
  state(isNear(result.finalBalance, expected), `The final balance is ${result.finalBalance}, start and profits make ${expected}.`);
  for (const [name, count] of Object.entries(result.counters)) state(Number.isInteger(count) && count >= 0, `${name} is ${count}.`);
  faults.push(...signalFaults(result, input));
  return { trades: result.trades.length, faults: faults.slice(0, 5) };
}

/** Every candle with a signal has entered or has been refused by one gate; every entry order has filled or not. */
function signalFaults({ entries, trades, unclosedTrades }: BacktestResult, input: BacktestInput): string[] {
  const { signals, entered, unfilled, refused } = entries;
  const faults: string[] = [];
  const given = sum(input.pairs, (pair) => signalCount(pair, input));
  if (signals !== given) faults.push(`${signals} signals were counted and ${given} given.`);
  const refusals = sum(refused, ({ count }) => count);
  if (entered + refusals !== signals) faults.push(`${entered} signals entered, ${refusals} were refused, of ${signals}.`);
  if (unfilled < 0 || entered > 0 !== trades.length + unclosedTrades.length + unfilled > 0)
    faults.push(`${entered} signals entered, ${unfilled} orders did not fill, ${trades.length} trades closed.`);
  return faults;
}

/** The candles with a signal to enter, counted one by one from the candle on that ends the warm-up. */
function signalCount({ candles, signals }: BacktestInput['pairs'][number], { range, startupCandles, timeframeMs }: BacktestInput): number {
  const from = (range?.from ?? -Infinity) - startupCandles * timeframeMs;
  const seen = [...candles.openTime.keys()].filter((at) => candles.openTime[at] >= from && candles.openTime[at] <= (range?.to ?? Infinity));
  return seen.slice(startupCandles).filter((at) => signals.enterLong[at] === 1 || signals.enterShort[at] === 1).length;
}

function tradeFaults(trade: Trade, input: BacktestInput): string[] {
  const faults: string[] = [];
  const name = `Trade ${trade.id} (${trade.symbol} ${trade.direction})`;
  const state = (holds: boolean, sentence: string): void => {
    if (!holds) faults.push(`${name}: ${sentence}`);
  };
  const { amount, stake, openRate, stop, profit, realizedProfit, fundingFees } = trade;
  const numbers = { amount, stake, openRate, stop, realizedProfit, fundingFees, profit: profit ?? 0 };
  for (const [field, value] of Object.entries(numbers)) state(Number.isFinite(value), `${field} is ${value}.`);
  state(amount >= 0 && stake >= 0 && openRate > 0 && stop >= 0, `amount ${amount}, stake ${stake}, rate ${openRate}, stop ${stop}.`);
  // detailCandlesOpenAfterTheEnd: what opens within the last candle is sold at the time of that candle.
  const isForced = trade.exitReason === 'force_exit';
  state(trade.isOpen || isForced || (trade.closeTime ?? 0) >= trade.openTime, 'it closed before it opened.');
  state(trade.isOpen || trade.orders.every((order) => order.state === 'filled'), 'it is closed and has orders that wait.');
  const fills = trade.orders.filter((order) => order.state === 'filled');
  for (const fill of fills) {
    state(fill.amount > 0 && fill.price > 0, `an order of ${fill.amount} at ${fill.price} filled.`);
    state(
      truncateAmount(fill.amount, trade.amountStep, trade.contractSize) === fill.amount,
      `an order of ${fill.amount} is not a multiple of the step.`,
    );
    state(isInsideCandle(fill, trade.symbol, input), `a fill at ${fill.fillPrice} lies outside the candle of ${fill.filledTime}.`);
  }
  if (!trade.isOpen) faults.push(...moneyFaults(trade, fills, name));
  return faults;
}

/** The profit of a closed trade against its own fills, fees and funding, added up in another way. */
function moneyFaults(trade: Trade, fills: readonly Order[], name: string): string[] {
  const s = trade.direction === 'long' ? 1 : -1;
  const of = (purpose: Order['purpose']) => fills.filter((fill) => fill.purpose === purpose);
  const left = sum(of('entry'), ({ amount }) => amount) - sum(of('exit'), ({ amount }) => amount);
  // oversizedExitIsSettledInFull: more was sold than there was; nothing to compare with.
  if (left < -trade.amountStep * trade.contractSize * 0.5) return [];
  if (Math.abs(left) > 1e-9 * Math.max(1, trade.amount)) return [`${name}: it is closed and ${left} is left.`];
  const value = (fill: Order): number => fill.amount * (fill.fillPrice ?? 0);
  const fees = sum(fills, (fill) => value(fill) * (fill.feeRatio ?? 0));
  const funding = sum(fills, (fill) => fill.fundingFee);
  const expected = s * (sum(of('exit'), value) - sum(of('entry'), value)) - fees + funding;
  return isNear(trade.profit ?? 0, expected) ? [] : [`${name}: the profit is ${trade.profit}, its fills make ${expected}.`];
}

function isInsideCandle({ fillPrice, filledTime }: Order, symbol: string, input: BacktestInput): boolean {
  const pair = input.pairs.find(({ instrument }) => instrument.symbol === symbol);
  if (pair === undefined || fillPrice === null || filledTime === null) return false;
  const { openTime, low, high } = pair.candles;
  const at = openTime.findLastIndex((time) => time <= filledTime);
  return at >= 0 && low[at] <= fillPrice && fillPrice <= high[at];
}

function slotFaults({ trades, unclosedTrades }: BacktestResult, { settings }: BacktestInput): string[] {
  const all = [...trades, ...unclosedTrades].map((trade) => ({
    from: trade.openTime,
    to: trade.closeTime ?? Infinity,
    symbol: trade.symbol,
  }));
  // At one moment exits come before entries, and a trade that opens and closes at once takes no slot for longer.
  for (const { from } of all) {
    const open = all.filter((other) => other.from <= from && from < other.to);
    if (open.length > settings.maxOpenTrades) return [`${open.length} trades are open at ${from}, ${settings.maxOpenTrades} may be.`];
    const symbols = new Set(open.map(({ symbol }) => symbol));
    if (!settings.positionStacking && symbols.size < open.length) return [`A pair has two open trades at ${from}.`];
  }
  return [];
}

/** The input with callbacks that note when a stop loosens, where nothing allows it to. */
function withWatchedStops(input: BacktestInput): { input: BacktestInput; faults: string[] } {
  const faults: string[] = [];
  const callbacks = input.callbacks ?? {};
  const mayLoosen = callbacks.stopAfterFill === true && callbacks.customStop !== undefined;
  // Watching makes the engine evaluate every candle; one run in two goes without.
  if (mayLoosen || callbacks.customExit === undefined) return { input, faults };
  const stops = new Map<number, number>();
  return {
    faults,
    input: {
      ...input,
      callbacks: {
        ...callbacks,
        customExit(question) {
          const { id, stop, direction } = question.trade;
          const before = stops.get(id);
          if (before !== undefined && (direction === 'long' ? stop < before : stop > before))
            faults.push(`The stop of trade ${id} went from ${before} to ${stop}.`);
          stops.set(id, stop);
          return callbacks.customExit?.(question) ?? null;
        },
      },
    },
  };
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

function isNear(value: number, expected: number): boolean {
  return Math.abs(value - expected) <= 1e-6 * Math.max(1, Math.abs(expected) / 1000);
}
