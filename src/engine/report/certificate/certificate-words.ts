import { compare, fromText, minus, toText, zero } from '../../market/decimal.ts';
import type { PartName } from './split-difference.ts';

/** The parts by the names that people read. */
export const partTitles: Readonly<Record<PartName, string>> = {
  'fill-price': 'Fill price',
  delay: 'Delay',
  amount: 'Partial fills',
  fee: 'Fees',
  funding: 'Funding',
  data: 'Data differed',
  decision: 'Decision differed',
  intervention: 'Interventions',
  unexplained: 'Unexplained',
};

/** What a certificate comes to, as far as its sentences need it. Exact decimals. */
export interface PromiseAndAccount {
  promised: string;
  made: string;
}

/** What of a promise reached the account, as a fraction; null where nothing was promised: then there is no share of it. */
export function shareOf({ promised, made }: PromiseAndAccount): number | null {
  return compare(fromText(promised), zero) > 0 ? Number(made) / Number(promised) : null;
}

/** What of the promise reached the account, as a title. `money` writes an amount without its sign, `percent` a fraction. */
export function shareTitle(of: PromiseAndAccount, money: (amount: string) => string, percent: (fraction: number) => string): string {
  const [promised, made] = [fromText(of.promised), fromText(of.made)];
  const share = shareOf(of);
  const account = `the account ${compare(made, zero) < 0 ? 'lost' : 'made'} ${money(sizeOf(of.made))}`;
  if (compare(promised, made) === 0) {
    if (promised.digits === 0n) return 'Nothing was promised, and nothing was made';
    return share === null
      ? `The account lost what the backtest loses: ${money(sizeOf(of.made))}`
      : 'All of the backtest’s promise reached the account';
  }
  if (share === null)
    return promised.digits === 0n
      ? `The backtest makes nothing of the day; ${account}`
      : `The backtest loses ${money(sizeOf(of.promised))}; ${account}`;
  if (share <= 0)
    return `Nothing of the backtest’s promise of ${money(of.promised)} reached the account: it ${share === 0 ? 'made nothing' : `lost ${money(sizeOf(of.made))}`}`;
  return `${percent(share)} of the backtest’s promise reached the account`;
}

/** An amount without its sign. */
export function sizeOf(amount: string): string {
  const value = fromText(amount);
  return toText(value.digits < 0n ? minus(zero, value) : value);
}
