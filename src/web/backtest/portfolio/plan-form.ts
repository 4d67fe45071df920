import type { CallInput } from '#contract/client.ts';
import { mostPairs, mostPortfolioDays, portfolioTexts } from '#contract/portfolios.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import { dayMs } from '#engine/market/durations.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { quoteOf } from '../../ui/money.ts';

/** What a run over several pairs is asked for. */
export type Plan = CallInput<'startPortfolio'>['body']['plan'];

/** The protections that the form offers, each on or off with its numbers. */
export interface ProtectionsOfForm {
  cooldown: { isOn: boolean; stopMinutes: number | string };
  stoplossGuard: { isOn: boolean; tradeLimit: number | string; lookbackMinutes: number | string; stopMinutes: number | string };
}

/** The form as it is filled in: numbers as they are typed, per cent where a person writes per cent. */
export interface PlanForm {
  strategyId: string | null;
  exchangeId: string | null;
  botId: string | null; // whose settings it takes; null: the strategy's
  tradingMode: Plan['trading_mode'];
  pairs: string[];
  from: string;
  to: string;
  timeframe: StrategyTimeframe;
  detailTimeframe: StrategyTimeframe | null;
  slots: number | string;
  balance: number | string;
  isUnlimited: boolean;
  stake: number | string;
  leverage: number | string;
  feePercent: number | string; // empty: what the market takes
  slippagePercent: number | string;
  protections: ProtectionsOfForm;
}

/** The form of a first visit; `today` is a UTC day. */
export function planFormAt(today: string): PlanForm {
  return {
    strategyId: null,
    exchangeId: null,
    botId: null,
    tradingMode: 'spot',
    pairs: [],
    from: dayBefore(today, 90),
    to: dayBefore(today, 1),
    timeframe: '15m',
    detailTimeframe: null,
    slots: 4,
    balance: 1_000,
    isUnlimited: true,
    stake: 100,
    leverage: 1,
    feePercent: '',
    slippagePercent: 0,
    protections: {
      cooldown: { isOn: false, stopMinutes: 30 },
      stoplossGuard: { isOn: false, tradeLimit: 3, lookbackMinutes: 1_440, stopMinutes: 720 },
    },
  };
}

/** What is wrong with a field, by its name; only those with a fault. */
export type PlanIssues = Partial<
  Record<'pairs' | 'range' | 'slots' | 'balance' | 'stake' | 'leverage' | 'fee' | 'slippage' | 'protections', string>
>;

/** What is wrong with the form, in the sentences of the server. */
export function issuesOf(form: PlanForm, today: string): PlanIssues {
  const issues: PlanIssues = {};
  const within = (value: number | string, least: number, most: number): boolean => {
    const number = numberOf(value);
    return number !== null && number >= least && number <= most;
  };
  if (form.pairs.length === 0 || form.pairs.length > mostPairs) issues.pairs = portfolioTexts.pairs;
  else if (new Set(form.pairs.map(quoteOf)).size > 1) issues.pairs = portfolioTexts.quotes;
  if (form.from === '' || form.to === '' || form.from > form.to || form.to > today) issues.range = portfolioTexts.range;
  else if (daysOf(form) > mostPortfolioDays) issues.range = portfolioTexts.tooLong;
  if (!within(form.slots, 1, 100) || !Number.isInteger(numberOf(form.slots))) issues.slots = portfolioTexts.slots;
  if (!within(form.balance, 1e-8, 1e15)) issues.balance = portfolioTexts.balance;
  if (!form.isUnlimited) {
    if (!within(form.stake, 1e-8, 1e15)) issues.stake = portfolioTexts.stake;
    else if ((numberOf(form.stake) ?? 0) > (numberOf(form.balance) ?? Infinity)) issues.stake = portfolioTexts.stakeAboveBalance;
  }
  if (form.tradingMode === 'futures' && !within(form.leverage, 1, 125)) issues.leverage = portfolioTexts.leverage;
  if (form.feePercent !== '' && !within(form.feePercent, 0, 5)) issues.fee = portfolioTexts.fee;
  if (!within(form.slippagePercent, 0, 5)) issues.slippage = portfolioTexts.slippage;
  const { cooldown, stoplossGuard } = form.protections;
  const minutes = [
    ...(cooldown.isOn ? [cooldown.stopMinutes] : []),
    ...(stoplossGuard.isOn ? [stoplossGuard.lookbackMinutes, stoplossGuard.stopMinutes] : []),
  ];
  const limits = stoplossGuard.isOn ? [stoplossGuard.tradeLimit] : [];
  const isWhole = (value: number | string) => Number.isInteger(numberOf(value));
  if (
    !minutes.every((value) => isWhole(value) && within(value, 1, 43_200)) ||
    !limits.every((value) => isWhole(value) && within(value, 1, 100))
  )
    issues.protections = portfolioTexts.protections;
  return issues;
}

/** The plan of a form without issues; `exchange` is its name. */
export function planOf(form: PlanForm, exchange: string): Plan {
  const { cooldown, stoplossGuard } = form.protections;
  return {
    exchange,
    trading_mode: form.tradingMode,
    pairs: form.pairs,
    from: form.from,
    to: form.to,
    timeframe: form.timeframe,
    detail_timeframe: form.detailTimeframe,
    max_open_trades: Number(form.slots),
    starting_balance: Number(form.balance),
    stake_amount: form.isUnlimited ? null : Number(form.stake),
    leverage: form.tradingMode === 'futures' ? Number(form.leverage) : 1,
    fee_ratio: form.feePercent === '' ? null : fractionOf(form.feePercent),
    slippage_ratio: fractionOf(form.slippagePercent),
    protections: [
      ...(cooldown.isOn ? [{ kind: 'cooldown' as const, stopMinutes: Number(cooldown.stopMinutes) }] : []),
      ...(stoplossGuard.isOn
        ? [
            {
              kind: 'stoploss-guard' as const,
              lookbackMinutes: Number(stoplossGuard.lookbackMinutes),
              stopMinutes: Number(stoplossGuard.stopMinutes),
              tradeLimit: Number(stoplossGuard.tradeLimit),
            },
          ]
        : []),
    ],
  };
}

/** How many days a range has; both ends belong to it. */
export function daysOf({ from, to }: Pick<PlanForm, 'from' | 'to'>): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

/** How many candles a form would run over, those of the details included; null while it has none. */
export function candlesOf({ pairs, from, to, timeframe, detailTimeframe }: PlanForm): number | null {
  const days = daysOf({ from, to });
  if (!(days > 0)) return null;
  const perDay = dayMs / timeframeLengths[timeframe] + (detailTimeframe === null ? 0 : dayMs / timeframeLengths[detailTimeframe]);
  return Math.round(pairs.length * days * perDay);
}

/** The timeframes that may replay the inside of the candles of another. */
export function detailsFor(timeframe: StrategyTimeframe): StrategyTimeframe[] {
  const length = timeframeLengths[timeframe];
  return strategyTimeframes.filter((each) => timeframeLengths[each] < length && length % timeframeLengths[each] === 0);
}

/** The pairs in a text that a person pastes, as the market has them; and what of it the market does not have. */
export function pastedPairs(text: string, offered: readonly string[]): { pairs: string[]; unknown: string[] } {
  const words = text.split(/[\s,;"'[\]]+/u).filter((word) => word !== '');
  const known = new Map(
    offered.flatMap((pair) =>
      [pair, pair.split(':')[0] ?? pair, (pair.split(':')[0] ?? '').replace('/', '')].map((name) => [name.toUpperCase(), pair]),
    ),
  );
  const pairs = new Set<string>();
  const unknown: string[] = [];
  for (const word of words) {
    const pair = known.get(word.toUpperCase());
    if (pair === undefined) unknown.push(word);
    else pairs.add(pair);
  }
  return { pairs: [...pairs], unknown };
}

/** The UTC day so many days before another. */
export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, 10);
}

function numberOf(value: number | string): number | null {
  const number = typeof value === 'number' ? value : value.trim() === '' ? NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** 0.1 per cent is 0.001; without the noise of binary fractions. */
function fractionOf(percent: number | string): number {
  return Number((Number(percent) / 100).toPrecision(12));
}
