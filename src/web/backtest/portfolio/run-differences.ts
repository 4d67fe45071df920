import type { PortfolioDetails, PortfolioRun } from './use-portfolios.ts';

/** A run with what it came to. */
export interface WholeRun {
  run: Pick<PortfolioRun, 'strategy_name' | 'code_version' | 'plan' | 'bot'>;
  details: Pick<PortfolioDetails, 'trades'>;
}

/** How two runs differ: in what was asked, and in their trades (the same pair, direction and time of entry is the same trade). */
export function differencesOf(one: WholeRun, two: WholeRun): { asked: string[]; both: number; onlyOne: number; onlyTwo: number } {
  const keys = ({ details }: WholeRun) =>
    new Set(details.trades.map(({ symbol, direction, timestamp }) => `${symbol} ${direction} ${timestamp}`));
  const [first, second] = [keys(one), keys(two)];
  const both = [...first].filter((key) => second.has(key)).length;
  return { asked: askedDifferently(one.run, two.run), both, onlyOne: first.size - both, onlyTwo: second.size - both };
}

const names: Readonly<Record<keyof PortfolioRun['plan'], string>> = {
  exchange: 'exchange',
  trading_mode: 'market',
  pairs: 'pairs',
  from: 'from',
  to: 'to',
  timeframe: 'timeframe',
  detail_timeframe: 'detail timeframe',
  max_open_trades: 'slots',
  starting_balance: 'starting balance',
  stake_amount: 'stake',
  leverage: 'leverage',
  fee_ratio: 'fee',
  slippage_ratio: 'slippage',
  protections: 'protections',
};

function askedDifferently(one: WholeRun['run'], two: WholeRun['run']): string[] {
  const strategyOf = ({ strategy_name: name, code_version: version }: WholeRun['run']) =>
    `${name}${version === null ? '' : ` version ${version}`}`;
  const settingsOf = ({ bot }: WholeRun['run']) => (bot === null ? 'of the strategy' : `of ${bot.nickname}`);
  const found: string[] = [];
  const note = (name: string, a: string, b: string): void => void (a === b ? null : found.push(`${name} ${a} and ${b}`));
  note('strategy', strategyOf(one), strategyOf(two));
  note('settings', settingsOf(one), settingsOf(two));
  for (const name of Object.keys(names) as (keyof typeof names)[])
    note(names[name], textOf(name, one.plan[name]), textOf(name, two.plan[name]));
  return found;
}

function textOf(name: keyof typeof names, value: PortfolioRun['plan'][keyof PortfolioRun['plan']]): string {
  if (name === 'fee_ratio') return value === null ? 'of the market' : `${Number((Number(value) * 100).toPrecision(6))}%`;
  if (name === 'slippage_ratio') return `${Number((Number(value) * 100).toPrecision(6))}%`;
  if (name === 'stake_amount' && value === null) return 'unlimited';
  if (value === null) return 'none';
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? 'none' : value.map((each) => (typeof each === 'string' ? each : each.kind)).join(', ');
}
