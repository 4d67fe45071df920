import type { EpochFigures } from '#engine/lab/epoch-figures.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { EpochRecord } from './results-file.ts';

/** The heads of the columns of `epochCells`. */
export const epochHeads = ['Epoch', 'Trades', 'Won Even Lost', 'Per trade', 'Profit', '', 'Duration', 'Drawdown', '', 'Loss'] as const;

/** An epoch as the cells of a table; the best so far has a star. */
export function epochCells({ epoch, isBest, loss, figures, fault }: EpochRecord, coin: string): string[] {
  const number = `${isBest ? '* ' : ''}${epoch}`;
  if (figures === null) return [number, `failed: ${fault ?? 'for no known reason'}`];
  return [
    number,
    String(figures.trades),
    `${figures.wins} ${figures.draws} ${figures.losses}`,
    percent(figures.meanProfitRatio),
    `${figures.profit.toFixed(2)} ${coin}`,
    percent(figures.profitRatio),
    duration(figures.averageDurationMs),
    `${figures.maxDrawdown.toFixed(2)} ${coin}`,
    percent(figures.maxDrawdownRatio),
    loss === null ? 'too few trades' : lossText(loss),
  ];
}

/** Widths that most epochs fit in: rows come one by one, so that the widest is not known. */
const widths = [7, 7, 14, 10, 16, 10, 10, 14, 9, 12] as const;

/** An epoch as a line below `headLine`. */
export function epochLine(record: EpochRecord, coin: string): string {
  return lineOf(epochCells(record, coin));
}

/** The heads of the columns. */
export function headLine(): string {
  return lineOf(epochHeads);
}

function lineOf(cells: readonly string[]): string {
  if (cells.length === 2) return `${cells[0]!.padStart(widths[0])}  ${cells[1]}`;
  return cells.map((cell, i) => cell.padStart(widths[i]!)).join(' ');
}

/** A loss; the largest numbers stand for infinite ones. */
export function lossText(loss: number): string {
  if (Math.abs(loss) === Number.MAX_VALUE) return loss > 0 ? 'infinite' : '-infinite';
  return loss.toFixed(5);
}

/** A fraction in per cent. */
export function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(2)} %`;
}

/** The profit of figures, in money and as a part of the starting balance. */
export function profitText({ profit, profitRatio }: Pick<EpochFigures, 'profit' | 'profitRatio'>, coin: string): string {
  return `${profit.toFixed(2)} ${coin} (${percent(profitRatio)})`;
}

function duration(ms: number): string {
  const minutes = Math.round(ms / minuteMs);
  const clock = `${Math.floor((minutes % 1440) / 60)}:${String(minutes % 60).padStart(2, '0')}`;
  return minutes >= 1440 ? `${Math.floor(minutes / 1440)} d ${clock}` : clock;
}
