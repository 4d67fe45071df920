import type { Certificate } from './certificate.ts';

/** How the candles that are stored compare with those the bot saw. */
export interface CandlesCompared {
  seen: number; // of the day, that are kept with a decision
  same: number;
  differing: { symbol: string; openTime: number; fields: string[] }[]; // of the warm-up too
  candles: number; // that were replayed
}

/** A certificate with what it was made on. */
export interface CertifiedReplay {
  certificate: Certificate;
  candles: CandlesCompared;
  lines: string[]; // a line for each trade of the backtest: the same for the same replay
  notes?: string[]; // what there is to say of the replay besides, in sentences; certificates of before have none
}

/** What is kept of a certificate besides its figures. */
export interface CertificateFacts extends CertifiedReplay {
  from: string; // the UTC day
  to: string;
  fingerprint: string; // of the trades of the backtest
  versions: { from: string; bot: number; strategy: number }[]; // of the settings, in their sequence
}
