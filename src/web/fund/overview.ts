import type { CallReply } from '#contract/client.ts';
import { csvText } from '../ui/csv.ts';

/** All money under management. */
export type FundOverview = CallReply<'fundOverview'>;

/** A strategy that live bots trade with. */
export interface Allocation {
  strategy: string;
  capital: number;
  leverage: number;
  marginMode: string;
  botStatus: string;
}

/** An overview without what cannot be: money under management below 0, a leverage below 1, a day that is none. History is in the order of time. */
export function normalised(overview: FundOverview): FundOverview {
  return {
    ...overview,
    total_aum: Math.max(0, overview.total_aum),
    strategy_allocation: mapped(overview.strategy_allocation, (capital) => Math.max(0, capital)),
    leverage: mapped(overview.leverage, (leverage) => Math.max(1, leverage)),
    pnl_history: overview.pnl_history
      .filter(({ date, pnl }) => isDay(date) && Number.isFinite(pnl))
      .toSorted((a, b) => Date.parse(a.date) - Date.parse(b.date)),
  };
}

/** The strategies of an overview, the largest capital first. */
export function allocationsOf({ strategy_allocation: capital, leverage, margin_mode, bot_status }: FundOverview): Allocation[] {
  return Object.keys(capital)
    .map((strategy) => ({
      strategy,
      capital: capital[strategy] ?? 0,
      leverage: leverage[strategy] ?? 1,
      marginMode: margin_mode[strategy] ?? '',
      botStatus: bot_status[strategy] ?? '',
    }))
    .toSorted((a, b) => b.capital - a.capital);
}

/** The points of the chart, at the beginning of each UTC day: what the day brought, or all days up to it. */
export function chartPoints(history: FundOverview['pnl_history'], isSum: boolean): { time: number; pnl: number }[] {
  let sum = 0;
  return history.map(({ date, pnl }) => {
    sum += pnl;
    return { time: Date.parse(date), pnl: isSum ? sum : pnl };
  });
}

/** The strategies of an overview as the text of a CSV file, with a header. */
export function overviewCsv(overview: FundOverview): string {
  return csvText([
    ['strategy', 'capital', 'leverage', 'margin_mode', 'bot_status'],
    ...allocationsOf(overview).map((each) => [each.strategy, each.capital, each.leverage, each.marginMode, each.botStatus]),
  ]);
}

function mapped(map: Readonly<Record<string, number>>, change: (value: number) => number): Record<string, number> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

/** Whether a text is a day of the calendar, YYYY-MM-DD. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
