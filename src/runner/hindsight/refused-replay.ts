import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import type { NotReplayed, ReplayAnswer, ReplayedEntry } from '#engine/report/refused-replay.ts';
import { pairsBeside } from '#engine/strategy/series.ts';
import { requireKnownStrategy } from '#strategies/known-strategy.ts';
import { apart, runnableOn } from './runnable-on.ts';
import { valuesOf } from '../bots/bot-settings.ts';
import { codeToRun } from '../strategy-of-task.ts';
import type { Calculations } from './calculations.ts';
import { mostCandles } from './calculations.ts';
import { checkedSettings } from './checked-settings.ts';
import type { HindsightQuestion } from './hindsight-question.ts';
import type { RefusedSignal } from './replay-task.ts';

/** What refused entries would have become is asked with this. */
export interface ReplayQuestion extends HindsightQuestion {
  refused: readonly (RefusedSignal & { decidedAt: number })[];
}

/** Replays refused entries with the settings that the bot has now, over the candles from the oldest of them until now. */
export async function answerReplay(
  calculations: Calculations,
  { bot, strategy: terms, code, refused }: ReplayQuestion,
  over: AbortSignal,
): Promise<ReplayAnswer> {
  const values = valuesOf(bot, terms, requireKnownStrategy(terms.className, code?.description ?? null));
  const { timeframe, parameters } = values;
  const runnable = runnableOn(terms.className, code, timeframe);
  if ('why' in runnable) return { state: 'unavailable', why: runnable.why };
  const { strategy } = runnable;
  const length = timeframeLengths[timeframe];
  const until = candleOpenTime(timeframe, calculations.now());
  const checked = checkedSettings(bot, values, strategy);
  if ('why' in checked) return { state: 'unavailable', why: checked.why };

  const whyNot = ({ symbol, candleTime, decidedAt }: ReplayQuestion['refused'][number]): NotReplayed | null => {
    if (!bot.symbols.includes(symbol)) return 'left-pair';
    const close = candleTime + length;
    return decidedAt >= close && decidedAt < close + length ? null : 'other-timeframe';
  };
  const usable = refused.filter((entry) => whyNot(entry) === null);
  const symbols = [...new Set(usable.map(({ symbol }) => symbol))];
  const otherPairs = pairsBeside(strategy, symbols);
  const first = Math.min(until, ...usable.map(({ candleTime }) => candleTime));
  const span = { from: first - strategy.startupCandles * length, to: until };
  if (((symbols.length + otherPairs.length) * (span.to - span.from)) / length > mostCandles)
    return {
      state: 'unavailable',
      why: `These are ${symbols.length} pairs, more than can be replayed at once. Choose a pair or a shorter period.`,
    };

  const series = [...symbols, ...otherPairs].map((symbol) => ({
    exchangeId: bot.exchangeId,
    marketType: bot.marketType,
    symbol,
    timeframe,
  }));
  const request = { candles: span, funding: bot.marketType === 'futures' && first < until ? { from: first, to: until } : null };
  return calculations.withHistory(series, request, 'The exchange does not give the candles of these pairs.', over, async (all, thread) => {
    const { pairs, others } = apart(all, symbols);
    const result = await thread.calculate({
      strategyClass: terms.className,
      code: code === null ? null : codeToRun(code),
      settings: checked.settings,
      parameters,
      timeframe,
      pairs,
      others,
      to: until,
      entries: usable,
    });
    if (!result.ok) return { state: 'unavailable', why: result.fault };
    const { replay } = result;
    const made = new Map(replay.entries.map((entry) => [keyOf(entry), entry]));
    const entries = refused.flatMap((entry): ReplayedEntry[] => {
      const why = whyNot(entry);
      const { candleTime, symbol, direction } = entry;
      if (why !== null) return [{ candleTime, symbol, direction, currency: '', outcome: 'not-made', why }];
      const found = made.get(keyOf(entry));
      return found === undefined ? [] : [found];
    });
    return { state: 'done', replay: { ...replay, entries } };
  });
}

function keyOf({ candleTime, symbol }: { candleTime: number; symbol: string }): string {
  return `${candleTime} ${symbol}`;
}
