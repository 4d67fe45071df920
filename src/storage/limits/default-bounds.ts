import { dollarCurrencies } from '#engine/market/dollars.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/**
 * What one of a currency is roughly worth in dollars, to a power of ten or so. It bounds defaults, and carries amounts that were set in one
 * currency to another; it values nothing: a bound that is three times too high or too low still bounds.
 */
const roughWorth: Readonly<Record<string, number>> = {
  ...Object.fromEntries(dollarCurrencies.map((name) => [name, 1])),
  EUR: 1,
  GBP: 1,
  CHF: 1,
  AUD: 1,
  CAD: 1,
  BTC: 100_000,
  ETH: 3_000,
  BNB: 1_000,
  SOL: 100,
  XRP: 1,
  DOGE: 0.1,
  TRX: 0.1,
  BRL: 0.2,
  PLN: 0.2,
  ZAR: 0.05,
  MXN: 0.05,
  CZK: 0.05,
  UAH: 0.02,
  TRY: 0.02,
  RUB: 0.01,
  JPY: 0.01,
  ARS: 0.001,
  COP: 0.0003,
  IDR: 0.0001,
};

/** How much capital counts for the default limits of a user and of the server, in dollars. */
const mostCapital = { user: 1_000_000, server: 10_000_000 } as const;

/** Whether it is known what one of a currency is roughly worth: an amount in another one holds for it. */
export function hasRoughWorth(currency: string): boolean {
  return Object.hasOwn(roughWorth, currency);
}

/** What one of a currency is roughly worth in dollars; null where that is not known. */
export function roughWorthSql(currency: RawBuilder<string>): RawBuilder<string | null> {
  const worth = sql.join(
    Object.entries(roughWorth).map(([name, value]) => sql`when ${sql.lit(name)} then ${sql.lit(value)}`),
    sql` `,
  );
  return sql`(case ${currency} ${worth} end)::numeric`;
}

/**
 * The most capital that counts for the defaults of a level, in a stake currency; null for a bot, whose limits follow from what its owner
 * has set. Stakes are set by traders: without a bound, the limits of the server would be what traders make them.
 */
export function mostCapitalSql(level: RawBuilder<string>, currency: RawBuilder<string>): RawBuilder<string | null> {
  return sql`case ${level} when 'user' then ${sql.lit(mostCapital.user)} when 'server' then ${sql.lit(mostCapital.server)} end
    / coalesce(${roughWorthSql(currency)}, 1)`;
}
