import type { Trade } from '#engine/account/trade.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { Wallet } from '#engine/account/wallet.ts';

/** A series of candles beside those of the pair itself, as freqtrade names it. */
export interface SeriesName {
  symbol: string;
  timeframe: string;
  kind: string; // spot, futures, mark, funding_rate
}

/** A configuration in freqtrade's words. */
export type Words = Readonly<Record<string, unknown>>;

/** What a strategy in Python is made with. */
export interface PythonLoad {
  source: { folder: string; file: string };
  exportName: string | null; // null: the class of the file's name, else the only one
  config: Words;
  pairs: readonly string[];
  markets: Readonly<Record<string, Words>>; // what `dp.market` says of pairs
  parameters?: ParameterValues; // those that are not named have the class's own values
  watched?: boolean; // what it keeps between its calls will be asked for
}

/** What a strategy asks for in the middle of an answer: candles of another series, or the account. */
export type WantedThing = SeriesName | 'account';

/** What is new of an account since it was last said. */
export interface AccountNews {
  open: readonly Trade[];
  closed: readonly Trade[]; // since then
  wallet: Wallet;
  startingBalance: number; // the tradable part, in stake currency
}
