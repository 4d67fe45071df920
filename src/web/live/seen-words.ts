import type { DecisionSeen } from '#contract/decisions.ts';
import { formatMoment } from '../ui/moment.ts';
import { formatMoney, quoteOf } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';

/** What was seen with a decision: 'RSI 31 of 30; rsi 31, filter 84120; price 2.4 s old'. Empty when nothing is known. */
export function seenText({
  seen,
  gate = null,
  symbol = '',
}: {
  seen?: DecisionSeen | undefined;
  gate?: string | null;
  symbol?: string;
}): string {
  if (seen === undefined) return '';
  const { near, values = {}, price_age_ms: age, numbers = {}, limit, failure = '' } = seen;
  const parts = [
    failure,
    near === undefined ? '' : `${near.name} ${near.value} of ${near.threshold}`,
    refusalNumbers(numbers),
    limit === undefined ? '' : limitText(limit, gate ?? '', quoteOf(symbol)),
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    age === undefined ? '' : `price ${(age / 1000).toFixed(1)} s old`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** The numbers of the gate that said no. */
function refusalNumbers(numbers: Readonly<Record<string, number>>): string {
  const { open, most, until, stake, available, limit } = numbers;
  if (open !== undefined && most !== undefined) return `${open} of ${most} trades open`;
  if (until !== undefined) return `locked until ${formatMoment(until).slice(0, 16)}`;
  if (stake === undefined || available === undefined) return '';
  return `stake ${stake}, free ${available}${limit === undefined ? '' : `, limit ${limit}`}`;
}

/** Whose limit refused an entry, its value, and what was used: "the bot's limit is $300.00, with this entry $450.00". */
function limitText({ level, use, value }: NonNullable<DecisionSeen['limit']>, gate: string, currency: string): string {
  const whose = { bot: "the bot's limit", user: "the owner's limit", server: "the server's limit" }[level];
  const number = (amount: number): string => {
    if (['limit-order-value', 'limit-position-value', 'limit-daily-loss'].includes(gate)) return formatMoney(amount, currency);
    if (['limit-price-collar', 'limit-drawdown'].includes(gate)) return formatRatio(amount, 2);
    return gate === 'limit-leverage' ? `${amount}x` : `${amount}`;
  };
  const isLoss = gate === 'limit-daily-loss' || gate === 'limit-drawdown';
  return `${whose} is ${number(value)}, ${isLoss ? 'so far' : 'with this entry'} ${number(use)}`;
}
