import type { tradingModes } from '#contract/backtests.ts';
import { backtestDays, backtestRoutes, backtestTimeframes } from '#contract/backtests.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';

import type { BacktestRequest, BacktestRun } from './run-list.ts';

/** What the form of the runner holds. Numbers may be text while they are typed. */
export interface BacktestForm {
  strategyId: string | null;
  exchangeId: string | null;
  symbol: string; // as typed; with a bot the pair as it trades it
  tradingMode: (typeof tradingModes)[number];
  timeframe: StrategyTimeframe;
  days: (typeof backtestDays)[number];
  stakeAmount: number | string; // USDT; with a bot its stake currency
  maxOpenTrades: number | string;
  bot: BotOfForm | null; // whose settings the run takes
}

/** A bot whose settings a run takes: its strategy, exchange and trading mode are fixed, one of its pairs is chosen. */
export interface BotOfForm {
  id: string;
  nickname: string;
  pairs: readonly string[];
  currency: string; // of its stake
  timeframe: StrategyTimeframe; // that it trades
  words: string; // its settings, for the person to read
}

/** A strategy or an exchange to choose from. */
export interface Choice {
  id: string;
  name: string;
}

/** The form at start. */
export const formAtStart: BacktestForm = {
  strategyId: null,
  exchangeId: null,
  symbol: 'BTCUSDT',
  tradingMode: 'futures',
  timeframe: '1h',
  days: 30,
  stakeAmount: 1000,
  maxOpenTrades: 1,
  bot: null,
};

/** The form with the first strategy and exchange on offer where it names none, or one that is not on offer any more. Those of a bot stay. */
export function withFirst<Form extends { strategyId: string | null; exchangeId: string | null }>(
  form: Form,
  strategies: readonly Choice[],
  exchanges: readonly Choice[],
): Form {
  const offered = (chosen: string | null, choices: readonly Choice[]) =>
    choices.some(({ id }) => id === chosen) ? chosen : (choices[0]?.id ?? chosen);
  return { ...form, strategyId: offered(form.strategyId, strategies), exchangeId: offered(form.exchangeId, exchanges) };
}

/**
 * The form as it was when a run was started; the exchange is kept where it is not offered any more. A run that took the settings of a bot is
 * run again with those of its strategy: the bot may have others by now, and staked another currency then.
 */
export function formOfRun(run: BacktestRun, exchanges: readonly Choice[], form: BacktestForm): BacktestForm {
  return {
    strategyId: run.strategy_id,
    exchangeId: exchanges.find(({ name }) => name === run.exchange)?.id ?? form.exchangeId,
    symbol: `${baseOfSymbol(run.symbol.split('/')[0] ?? '')}USDT`,
    bot: null,
    tradingMode: run.trading_mode,
    timeframe: run.timeframe,
    days: backtestDays.find((days) => days === run.days) ?? form.days,
    stakeAmount: run.bot === null || run.symbol.split(':', 1)[0]?.endsWith('/USDT') === true ? run.stake_amount : formAtStart.stakeAmount,
    maxOpenTrades: run.max_open_trades,
  };
}

/** The form without its bot: the rest stays, and the settings are those of the strategy again. */
export function formWithoutBot(form: BacktestForm): BacktestForm {
  const base = form.symbol.split('/')[0] ?? '';
  const timeframe = backtestTimeframes.find((offered) => offered === form.timeframe) ?? formAtStart.timeframe;
  return { ...form, bot: null, timeframe, symbol: form.bot === null ? form.symbol : `${baseOfSymbol(base)}USDT` };
}

/** The symbols of an exchange as the form takes them, those against USDT: 'BTCUSDT' of 'BTC/USDT:USDT'. */
export function symbolChoices(pairs: readonly string[]): string[] {
  const found = pairs.filter((pair) => pair.split(':', 1)[0]?.endsWith('/USDT') === true);
  return [...new Set(found.map((pair) => `${baseOfSymbol(pair)}USDT`))];
}

/** The symbols whose base has what is typed in it, those that begin with it first; typing 'eth/usdt' finds 'ETHUSDT' too. */
export function matchingSymbols(symbols: readonly string[], typed: string): string[] {
  const base = baseOfSymbol(typed);
  const found = symbols.filter((symbol) => baseOfSymbol(symbol).includes(base));
  return [...found.filter((symbol) => symbol.startsWith(base)), ...found.filter((symbol) => !symbol.startsWith(base))];
}

/** The words of a data period: '30 Days', '6 Months', '1 Year'. */
export function periodLabel(days: number): string {
  if (days === 180) return '6 Months';
  return days === 365 ? '1 Year' : `${days} Days`;
}

/** A symbol in upper case without slash or colon: 'btc/usdt' is 'BTCUSDT'. */
export function normaliseSymbol(text: string): string {
  return text.toUpperCase().replaceAll(/[\s/:]/gu, '');
}

/** The base of a symbol: 'BTC' of 'btc/usdt:usdt', 'BTCUSDT' and 'BTC'; empty when there is none. */
export function baseOfSymbol(text: string): string {
  return normaliseSymbol(text).replace(/(?:USDT)+$/u, '');
}

/** A symbol as it is sent: 'BTC/USDT' for spot, 'BTC/USDT:USDT' for futures; null without a base. */
export function toWireSymbol(text: string, tradingMode: BacktestForm['tradingMode']): string | null {
  const base = baseOfSymbol(text);
  if (base === '') return null;
  return tradingMode === 'futures' ? `${base}/USDT:USDT` : `${base}/USDT`;
}

/** What the form asks for; null while its strategy, exchange or symbol is missing or does not exist. */
export function toRequest(form: BacktestForm, strategies: readonly Choice[], exchanges: readonly Choice[]): BacktestRequest | null {
  const strategy = strategies.find(({ id }) => id === form.strategyId);
  const exchange = exchanges.find(({ id }) => id === form.exchangeId);
  const symbol = form.bot === null ? toWireSymbol(form.symbol, form.tradingMode) : form.symbol;
  if (strategy === undefined || exchange === undefined || symbol === null) return null;
  return {
    strategy_id: strategy.id,
    strategy_name: strategy.name,
    exchange: exchange.name,
    symbol,
    trading_mode: form.tradingMode,
    timeframe: form.timeframe,
    days: form.days,
    stake_amount: toNumber(form.stakeAmount),
    max_open_trades: toNumber(form.maxOpenTrades),
    ...(form.bot === null ? {} : { bot_id: form.bot.id }),
  };
}

/** What is wrong with the numbers of the form, in the contract's words; null where nothing is. */
export function numberIssues(form: BacktestForm): { stakeAmount: string | null; maxOpenTrades: string | null } {
  const { stake_amount: stake, max_open_trades: trades } = backtestRoutes.runBacktest.body.shape;
  return {
    stakeAmount: stake.safeParse(toNumber(form.stakeAmount)).error?.issues[0]?.message ?? null,
    maxOpenTrades: trades.safeParse(toNumber(form.maxOpenTrades)).error?.issues[0]?.message ?? null,
  };
}

function toNumber(typed: number | string): number {
  return typeof typed === 'string' && typed.trim() === '' ? Number.NaN : Number(typed);
}
