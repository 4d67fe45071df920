import { fromText, minus, toText } from '#engine/market/decimal.ts';
import { partTitles, shareTitle, sizeOf } from '#engine/report/certificate/certificate-words.ts';
import type { PartName } from '#engine/report/certificate/split-difference.ts';
import { formatMoney, formatPnl } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { Certificate, CertificateFigures, CertifiedTrade } from './use-certificate.ts';

/** What was promised and made, exact decimals of a currency. */
export interface Outcome {
  promised: string;
  made: string;
  currency: string;
}

/** The title of a certificate. */
export function titleOf({ promised, made, currency }: Outcome): string {
  return shareTitle({ promised, made }, (amount) => formatMoney(Number(amount), currency), formatRatio);
}

/** What the account made more than promised, or (negative) less; exact. */
export function differenceOf({ promised, made }: Outcome): string {
  return toText(minus(fromText(made), fromText(promised)));
}

/** What was done, and how far it is explained, in some sentences. */
export function sentencesOf(outcome: Outcome, { candles, decisions, trades, trades_same: same, parts }: Certificate): string[] {
  const difference = differenceOf(outcome);
  const isEqual = Number(difference) === 0;
  const money = (amount: string): string => formatMoney(Number(sizeOf(amount)), outcome.currency);
  const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
  const isSame = same === trades.length && decisions.same === decisions.recorded;
  return [
    candles.seen === 0
      ? 'The day was replayed on the stored candles; what the bot saw of them is not on record.'
      : candles.differing === 0
        ? 'The day was replayed on the candles the bot saw.'
        : `The day was replayed on the stored candles, and on those the bot saw: ${count(candles.differing, 'candle')} differ${candles.differing === 1 ? 's' : ''}.`,
    decisions.recorded === 0
      ? `Both made ${same} of ${count(trades.length, 'trade')}; the decisions of the day are not on record.`
      : isSame
        ? `It made the same ${count(trades.length, 'trade')} from the same ${count(decisions.recorded, 'decision')}.`
        : `${same} of ${count(trades.length, 'trade')} were made by both; ${decisions.same} of ${count(decisions.recorded, 'decision')} are the same.`,
    parts.unexplained !== undefined
      ? `${money(parts.unexplained)} is not explained.`
      : isEqual
        ? 'Both are equal to the last decimal.'
        : `The difference of ${money(difference)} is explained to the last decimal.`,
  ];
}

/** What explains the difference of a trade, in a line. */
export function explanationOf({ parts, why }: CertifiedTrade, currency: string): string {
  const named = (Object.entries(parts) as [PartName, string][]).map(
    ([name, amount]) => `${partTitles[name].toLowerCase()} ${formatPnl(Number(amount), currency)}`,
  );
  if (named.length === 0) return 'equal to the last decimal';
  return `${named.join(', ')}${why === null ? '' : `: ${why}`}`;
}

/** What a trade comes to in a word. */
export function resultOf({ parts }: CertifiedTrade): 'equal' | 'explained' | 'decision differs' | 'unexplained' {
  if (parts.unexplained !== undefined) return 'unexplained';
  if (parts.decision !== undefined) return 'decision differs';
  return Object.keys(parts).length === 0 ? 'equal' : 'explained';
}

/** The settings of the day: 'version 14, all day', or each version with the time from which it was valid. */
export function versionsText(versions: Certificate['versions']): string {
  const [first, ...later] = versions;
  if (first === undefined) return 'not known';
  if (later.length === 0) return `version ${first.bot}, all day`;
  return versions.map(({ from, bot }, n) => (n === 0 ? `version ${bot}` : `${bot} from ${from.slice(11, 16)}`)).join(', ');
}

/** What a day has come to in some words. */
export function stateOf({
  state,
  promised,
  made,
  differing,
}: Pick<CertificateFigures, 'state' | 'promised' | 'made' | 'differing'>): string {
  if (state === 'waiting' || state === 'replaying') return 'being replayed';
  if (state === 'failed') return 'not replayed';
  if ((differing ?? 0) > 0) return differing === 1 ? 'a decision differs' : `${differing} decisions differ`;
  return promised !== null && promised === made ? 'equal' : 'not equal';
}
