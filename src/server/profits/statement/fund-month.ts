import { fromText, plus, toText } from '#engine/market/decimal.ts';
import type { Capital } from '#storage/profits/month-rows.ts';
import type { ProfitSums } from '#storage/profits/profits.ts';

/** The month of all bots in one mode and currency. Money as exact decimals. */
export interface FundLedger {
  mode: ProfitSums['mode'];
  currency: string;
  start: string; // what was there when the month began: given, and earned before
  added: string; // given in the month to bots that began to trade, and by changes of others
  profit: string; // realized in the month, after fees and funding
  fees: string;
  funding: string;
  end: string;
  returned: number | null; // profit as a fraction of the start and what bots were given in the month, also where others were left less; null without any
  trades: number;
  wins: number;
}

const byReality = ['live', 'testnet', 'paper'];

/** The month of all bots, real money first: out of what they were given, and what their trades brought before it and in it. */
export function fundMonth(capital: readonly Capital[], before: readonly ProfitSums[], inMonth: readonly ProfitSums[]): FundLedger[] {
  const kinds = new Map([...capital, ...before, ...inMonth].map(({ mode, currency }) => [`${mode} ${currency}`, { mode, currency }]));
  return [...kinds.values()]
    .map((kind) => {
      const isOfKind = ({ mode, currency }: { mode: string; currency: string }) => mode === kind.mode && currency === kind.currency;
      const given = capital.find(isOfKind);
      const sums = inMonth.find(isOfKind);
      const start = plus(fromText(given?.before ?? '0'), fromText(before.find(isOfKind)?.profit ?? '0'));
      const worked = plus(start, fromText(given?.more ?? '0'));
      const profit = fromText(sums?.profit ?? '0');
      return {
        ...kind,
        start: toText(start),
        added: given?.added ?? '0',
        profit: toText(profit),
        fees: sums?.fees ?? '0',
        funding: sums?.funding ?? '0',
        end: toText(plus(plus(start, fromText(given?.added ?? '0')), profit)),
        returned: worked.digits > 0n ? Number(toText(profit)) / Number(toText(worked)) : null,
        trades: sums?.trades ?? 0,
        wins: sums?.wins ?? 0,
      };
    })
    .toSorted((a, b) => byReality.indexOf(a.mode) - byReality.indexOf(b.mode) || a.currency.localeCompare(b.currency));
}
