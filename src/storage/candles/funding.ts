import type { FundingEvent } from '#engine/account/funding.ts';
import { sql } from 'kysely';
import type { TimeSpan } from './candle-months.ts';
import { spansMissing } from './candle-months.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';

/** Whose funding it is. */
export interface FundingSeries {
  exchangeId: string;
  symbol: string;
}

const rowsAtOnce = 5_000;

/**
 * Keeps the payments received from an exchange for a span, also when there were none. Writing the same again changes
 * nothing; where one is there already the newer one counts. Payments after the span are kept, but the time in which
 * they lie is asked for again: there may be others that were not received yet.
 *
 * Fails: when a payment is not believable or older than the span (nothing is written then)
 */
export async function writeFunding(db: Database, series: FundingSeries, span: TimeSpan, events: readonly FundingEvent[]): Promise<void> {
  const { exchangeId, symbol } = series;
  for (const { time, rate, mark } of events) {
    if (Number.isFinite(rate) && mark > 0 && mark < Infinity && time >= span.from) continue;
    throw new Error(`The funding of ${symbol} is not kept: rate ${rate} and mark price ${mark} at ${time}`);
  }
  await inTransaction(db, async (trx) => {
    for (let from = 0; from < events.length; from += rowsAtOnce) {
      const rows = events.slice(from, from + rowsAtOnce);
      await sql`
        insert into funding_events (exchange_id, symbol, time, rate, mark)
        select ${exchangeId}, ${symbol}, * from unnest(${rows.map(({ time }) => new Date(time))}::timestamptz[],
          ${rows.map(({ rate }) => rate)}::float8[], ${rows.map(({ mark }) => mark)}::float8[])
        on conflict (exchange_id, symbol, time) do update set rate = excluded.rate, mark = excluded.mark`.execute(trx);
    }
    if (span.from >= span.to) return;
    await sql`
      insert into funding_spans as s (exchange_id, symbol, covered)
      values (${exchangeId}, ${symbol}, tstzmultirange(tstzrange(${new Date(span.from)}, ${new Date(span.to)})))
      on conflict (exchange_id, symbol) do update set covered = s.covered + excluded.covered`.execute(trx);
  });
}

/** The stored payments of a span, oldest first; those that were never stored are missing. */
export async function readFunding(db: Database, series: FundingSeries, { from, to }: TimeSpan): Promise<FundingEvent[]> {
  const rows = await db
    .selectFrom('fundingEvents')
    .select(['time', 'rate', 'mark'])
    .where('exchangeId', '=', series.exchangeId)
    .where('symbol', '=', series.symbol)
    .where('time', '>=', new Date(from))
    .where('time', '<', new Date(to))
    .orderBy('time')
    .execute();
  return rows.map(({ time, rate, mark }) => ({ time: time.getTime(), rate, mark }));
}

/** The parts of a span whose payments are still to be downloaded, oldest first. */
export async function missingFunding(db: Database, series: FundingSeries, span: TimeSpan): Promise<TimeSpan[]> {
  const { rows } = await sql<{ from: Date; to: Date }>`
    select lower(span) as from, upper(span) as to
    from (select unnest(covered) as span from funding_spans
          where exchange_id = ${series.exchangeId} and symbol = ${series.symbol}) spans
    order by 1`.execute(db);
  return spansMissing(
    rows.map(({ from, to }) => ({ from: from.getTime(), to: to.getTime() })),
    span,
  );
}
