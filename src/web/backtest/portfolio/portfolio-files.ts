import type { CsvCell } from '../../ui/csv.ts';
import { csvText } from '../../ui/csv.ts';
import type { PortfolioDetails, PortfolioGroup, PortfolioRun } from './use-portfolios.ts';

const moment = (ms: number): string => new Date(ms).toISOString();

/** The files that a run can be saved as: what each is called, and its text. */
export const portfolioFiles: Readonly<
  Record<'trades' | 'days' | 'refused' | 'splits', { title: string; rows: (details: PortfolioDetails) => CsvCell[][] }>
> = {
  trades: {
    title: 'Trades',
    rows: ({ trades }) => [
      [
        'Pair',
        'Direction',
        'Entry Time (UTC)',
        'Entry Price',
        'Exit Time (UTC)',
        'Exit Price',
        'Amount',
        'Stake',
        'Leverage',
        'PNL',
        'PNL Ratio',
        'Entry Tag',
        'Exit Reason',
      ],
      ...trades.map((trade) => [
        trade.symbol,
        trade.direction,
        moment(trade.timestamp),
        trade.entry_price,
        moment(trade.exit_timestamp),
        trade.exit_price,
        trade.amount,
        trade.stake,
        trade.leverage,
        trade.pnl,
        trade.pnl_ratio,
        trade.entry_tag,
        trade.exit_reason,
      ]),
    ],
  },
  days: {
    title: 'Days',
    rows: ({ days, starting_balance: start }) => {
      let balance = start;
      return [['Day (UTC)', 'PNL', 'Trades', 'Balance'], ...days.map(({ day, pnl, trades }) => [day, pnl, trades, (balance += pnl)])];
    },
  },
  refused: {
    title: 'Refused Signals',
    rows: ({ refused }) => [
      ['Time (UTC)', 'Pair', 'Gate', 'Why'],
      ...refused.map(({ time, symbol, gate, name }) => [moment(time), symbol, gate, name]),
    ],
  },
  splits: {
    title: 'Pairs, Tags, Months',
    rows: (details) => [
      ['Split', 'Key', 'Trades', 'Wins', 'PNL', 'Profit Factor', 'Best Trade', 'Worst Trade', 'Minutes In Trade'],
      ...(['pairs', 'directions', 'entry_tags', 'exit_reasons', 'weekdays', 'hours'] as const).flatMap((split) =>
        details[split].map((group) => lineOf(split, group)),
      ),
      ...details.months.map(({ month, trades, wins, pnl }): CsvCell[] => ['months', month, trades, wins, pnl, null, null, null, null]),
      lineOf('all', details.total),
    ],
  },
};

function lineOf(split: string, { key, trades, wins, pnl, profit_factor: factor, best, worst, minutes }: PortfolioGroup): CsvCell[] {
  return [split, key, trades, wins, pnl, factor, best, worst, minutes];
}

/** One of the files as text. */
export function portfolioCsv(name: keyof typeof portfolioFiles, details: PortfolioDetails): string {
  return csvText(portfolioFiles[name].rows(details));
}

/** The whole run as JSON: what was asked for, with the settings of its bot, and all that came of it. */
export function portfolioJson(run: PortfolioRun, details: PortfolioDetails): string {
  const { id, strategy_id, strategy_name, code_version, exchange_name, plan, bot, created_at, finished_at, tries } = run;
  return `${JSON.stringify({ id, strategy_id, strategy_name, code_version, exchange_name, plan, bot, created_at, finished_at, tries, ...details }, null, 2)}\n`;
}

/** 'portfolio-ema-cross-12-pairs-2026-11-25-trades.csv'. */
export function portfolioFileName(run: PortfolioRun, part: string, ending: 'csv' | 'json'): string {
  const plain = run.strategy_name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
  return `portfolio-${plain}-${run.plan.pairs.length}-pairs-${run.created_at.slice(0, 10)}-${part}.${ending}`;
}
