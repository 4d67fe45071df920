import type { WhatIfFigures } from '#engine/lab/what-if/what-if-report.ts';
import { formatMoney, formatPnl, toneOf } from '../../ui/money.ts';
import { formatRatio } from '../../ui/ratio.ts';

/** A figure of both replays, as it is read. */
export interface FigureRow {
  name: string;
  real: string;
  whatIf: string;
  difference: string;
  tone: 'up' | 'down' | 'flat'; // whether the difference is a gain
}

const none = '—';
const signed = (value: number, decimals: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(decimals)}`;

/** The figures of the real settings beside those of the changed ones. */
export function figureRows(real: WhatIfFigures, whatIf: WhatIfFigures, currency: string): FigureRow[] {
  const row = (
    name: string,
    of: (figures: WhatIfFigures) => number | null,
    show: (value: number) => string,
    difference: (by: number) => string,
    tone: (by: number) => FigureRow['tone'],
  ): FigureRow => {
    const [was, is] = [of(real), of(whatIf)];
    const by = was === null || is === null ? null : is - was;
    return {
      name,
      real: was === null ? none : show(was),
      whatIf: is === null ? none : show(is),
      difference: by === null ? none : difference(by),
      tone: by === null ? 'flat' : tone(by),
    };
  };
  const money = (better: 1 | -1) => (by: number) => toneOf(better * by, currency);
  const rounded = (decimals: number, better: 1 | -1) => (by: number) => {
    const way = Math.sign(Number((better * by).toFixed(decimals)));
    return way === 0 ? 'flat' : way > 0 ? 'up' : 'down';
  };
  const flat = (): FigureRow['tone'] => 'flat';
  const pnl = (value: number): string => formatPnl(value, currency);
  const amount = (value: number): string => formatMoney(value, currency);
  return [
    row('Net PNL', ({ netPnl }) => netPnl, pnl, pnl, money(1)),
    row(
      'Trades',
      ({ trades }) => trades,
      String,
      (by) => signed(by, 0),
      flat,
    ),
    row(
      'Win Rate',
      ({ winRate }) => winRate,
      (ratio) => formatRatio(ratio),
      (by) => `${signed(by * 100, 1)} pp`,
      rounded(3, 1),
    ),
    row(
      'Max Drawdown',
      ({ maxDrawdown }) => maxDrawdown,
      amount,
      (by) => deeperText(by, currency),
      money(-1),
    ),
    row(
      'Longest losing streak',
      ({ losingStreak }) => losingStreak,
      String,
      (by) => signed(by, 0),
      rounded(0, -1),
    ),
    row('Fees', ({ fees }) => fees, amount, pnl, money(-1)),
    row(
      'Sharpe',
      ({ sharpe }) => sharpe,
      (value) => value.toFixed(2),
      (by) => signed(by, 2),
      rounded(2, 1),
    ),
  ];
}

/** '$47.55 deeper' */
export function deeperText(by: number, currency: string): string {
  const tone = toneOf(by, currency);
  return tone === 'flat' ? 'the same' : `${formatMoney(Math.abs(by), currency)} ${by > 0 ? 'deeper' : 'less deep'}`;
}
