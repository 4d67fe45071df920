import type { WhatIfReport } from '#engine/lab/what-if/what-if-report.ts';

/** What is said of a change, so that nobody takes it for a promise. */
export interface Verdict {
  title: string;
  text: string;
}

/** Fewer trades than this say nothing at all. */
const fewTrades = 30;

/** What changed, honestly; `tries` is how many settings were tried here. */
export function verdictOf(real: WhatIfReport, whatIf: WhatIfReport, tries: number): Verdict {
  return {
    title: titleOf(real, whatIf),
    text: [tradesText(whatIf.figures.trades), triesText(tries)].filter((part) => part !== '').join(' '),
  };
}

function titleOf(real: WhatIfReport, whatIf: WhatIfReport): string {
  if (real.fingerprint === whatIf.fingerprint) return 'The same trades: on these candles the change decides nothing.';
  const [before, after] = [real.figures, whatIf.figures];
  const cents = (value: number): number => Math.round(value * 100);
  const profit = Math.sign(cents(after.netPnl) - cents(before.netPnl));
  const fall = Math.sign(cents(after.maxDrawdown) - cents(before.maxDrawdown));
  const sharpe = before.sharpe === null || after.sharpe === null ? null : Math.sign(cents(after.sharpe) - cents(before.sharpe));
  const words = [
    profit > 0 ? 'More profit' : profit < 0 ? 'Less profit' : 'The same profit',
    ...(fall > 0 ? ['a deeper fall'] : fall < 0 ? ['a smaller fall'] : []),
    ...(sharpe === null || sharpe === 0 ? [] : [sharpe > 0 ? 'a higher Sharpe ratio' : 'a lower Sharpe ratio']),
  ];
  return `${inWords(words)}: ${judgement(profit, fall, sharpe ?? 0)}.`;
}

function judgement(profit: number, fall: number, sharpe: number): string {
  if (profit > 0 && fall > 0) return sharpe > 0 ? 'this is more risk, better paid on these candles' : 'this is more risk, not a better bot';
  if (profit > 0) return sharpe < 0 ? 'the profit comes less evenly' : 'better on these candles; others have to show whether it was luck';
  if (profit < 0 && fall < 0) return sharpe > 0 ? 'this is less risk, better paid on these candles' : 'this is less risk, and less for it';
  if (profit < 0) return fall > 0 ? 'worse in both' : 'worse on these candles';
  return fall < 0 ? 'the same for less risk' : fall > 0 ? 'the same for more risk' : 'another way to the same end';
}

/** 'a, b and c' */
function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function tradesText(trades: number): string {
  if (trades === 0) return 'Without a trade there is nothing to judge.';
  return trades < fewTrades ? `${trades === 1 ? 'One trade proves' : `${trades} trades prove`} nothing.` : '';
}

function triesText(tries: number): string {
  if (tries < 2) return 'Other pairs and other days have to show whether it holds.';
  return `${tries} settings were tried here: the more are tried, the more of the best result is luck.`;
}
