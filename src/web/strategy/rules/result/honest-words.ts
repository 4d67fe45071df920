import type { ReplayFigures } from '../replay/replay-summary.ts';

/** What is said below a result, so that nobody takes it for a promise. */
export interface HonestWords {
  title: string;
  text: string;
}

/** Fewer trades than this say nothing at all. */
const fewTrades = 30;

/** More than this say something. */
const manyTrades = 200;

/** The words for a draft that was the so many-th try on these days; null where nothing has been tried yet. */
export function honestWords({
  draft,
  saved,
  tries,
  days,
}: {
  draft: ReplayFigures;
  saved: ReplayFigures | null;
  tries: number;
  days: number;
}): HonestWords | null {
  const against = saved === null ? '' : comparison(draft, saved);
  if (tries < 2 && against === '') return null;
  const times = tries < 2 ? '' : `the ${ordinal(tries)} try on these ${days} days`;
  const parts = [against, times].filter((part) => part !== '');
  const title = `${parts.join(', and ')}.`;
  return {
    title: `${title.charAt(0).toUpperCase()}${title.slice(1)}`,
    text: `${tradesText(draft.trades)}${tries >= 5 ? ' Of many tries on the same days the best one is partly luck: look at days and pairs you have not looked at.' : ' Look at other days and pairs too.'}`,
  };
}

function comparison(draft: ReplayFigures, saved: ReplayFigures): string {
  const cents = (value: number): number => Math.round(value * 100);
  const profit = Math.sign(cents(draft.netPnl) - cents(saved.netPnl));
  const fall = Math.sign(cents(draft.maxDrawdown) - cents(saved.maxDrawdown));
  if (profit === 0 && fall === 0) return '';
  const words = [profit > 0 ? 'more profit' : profit < 0 ? 'less profit' : 'the same profit'];
  if (fall !== 0) words.push(fall > 0 ? 'a deeper fall' : 'a smaller fall');
  return words.join(', ');
}

function tradesText(trades: number): string {
  if (trades === 0) return 'Without a trade there is nothing to judge.';
  if (trades < fewTrades) return trades === 1 ? 'One trade proves nothing.' : `${trades} trades on one pair prove nothing.`;
  return trades < manyTrades ? `${trades} trades on one pair prove little.` : `${trades} trades are of one pair only.`;
}

/** '1st', '2nd', '11th', '23rd'. */
function ordinal(count: number): string {
  const rest = count % 100;
  if (rest >= 11 && rest <= 13) return `${count}th`;
  return `${count}${['th', 'st', 'nd', 'rd'][count % 10] ?? 'th'}`;
}
