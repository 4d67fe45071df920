import { refusalText } from '../live/decision-words.ts';
import { exitWords } from '../ui/exit-words.ts';
import { formatPnl, quoteOf } from '../ui/money.ts';
import { whole } from '../live/count-words.ts';
import type { ReplayedEntry, ReplayOfEntries } from './use-replay.ts';

/** What one refused entry would have made: '+$14.20, stop loss', or why it was not made. */
export function replayedText({ symbol, outcome, why, profit, exit_reason: reason }: ReplayedEntry): string {
  if (profit === null) return `not made: ${notMadeText(why ?? '')}`;
  const pnl = formatPnl(profit, quoteOf(symbol));
  return `${pnl}, ${outcome === 'open' ? 'still open' : exitWords(reason ?? '')}`;
}

/** How many entries were replayed, how they ended, and that nothing of it is real. */
export function replayedCount({ sums }: ReplayOfEntries): string {
  const made = sums.reduce((sum, { won, lost }) => sum + won + lost, 0);
  const counts = sums.map(({ won, lost }) => `${whole(won)} won, ${whole(lost)} lost`);
  return `Replayed on candles, not real: ${made === 1 ? 'it would have been' : 'they would have been'} ${counts.join('; ')}, after fees.`;
}

/** What the sums leave out or contain: open ones, those that were not made, the oldest. */
export function replayRemarks({ sums, entries, refused, left_out: leftOut }: ReplayOfEntries): string[] {
  const open = sums
    .filter((sum) => sum.open > 0)
    .map(
      (sum) =>
        `${whole(sum.open)} ${sum.open === 1 ? 'is' : 'are'} still open and counted at the newest candle: ${formatPnl(sum.open_profit, sum.currency)}.`,
    );
  const reasons = new Map<string, number>();
  for (const { why } of entries) if (why !== null) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  const notMade = [...reasons].map(([why, count]) => `${whole(count)} not made: ${notMadeText(why)}.`);
  const oldest = leftOut === 0 ? [] : [`Of ${whole(refused)} refused entries the oldest ${whole(leftOut)} are left out.`];
  return [...open, ...notMade, ...oldest];
}

function notMadeText(why: string): string {
  return notMade[why] ?? refusalText(why);
}

/** Why an entry cannot be replayed, besides the checks of every entry. */
const notMade: Readonly<Record<string, string>> = {
  unfilled: 'the order was not filled',
  'end-of-run': 'no candle to trade on has closed since',
  'no-candle': 'its candle is not stored',
  'other-timeframe': 'decided at another timeframe than the bot has now, or late',
  'left-pair': 'the bot has left the pair',
  'short-not-allowed': 'the bot cannot go short now',
};
