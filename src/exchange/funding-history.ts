import type { FundingEvent } from '#engine/account/funding.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { fetchCandles, type HistorySource, patiently } from './candle-history.ts';
import { fundingPageLimit, newestFunding, publishesPayments } from './quirks/funding-rates.ts';

interface Rate {
  time: number;
  rate: number;
}

/**
 * The payments of funding with `from <= time < to`, oldest first, each once, with the mark price the hour of the payment
 * opened at. None where the exchange does not publish them.
 *
 * Needs: a source of mark prices. Fails: ExchangeError
 */
export async function fetchFunding(
  source: HistorySource,
  symbol: string,
  from: number,
  to: number,
  stop?: { readonly aborted: boolean },
): Promise<FundingEvent[]> {
  if (source.client.has['fetchFundingRateHistory'] !== true || !publishesPayments(source.client.id)) return [];
  // Half a minute more at both ends: the time is noted some milliseconds off the full hour.
  const noted = await fetchRates(source, symbol, from - minuteMs / 2, to + minuteMs / 2, stop);
  const rates = new Map<number, number>();
  for (const { time, rate } of noted) {
    const paidAt = Math.round(time / minuteMs) * minuteMs;
    if (paidAt >= from && paidAt < to && Number.isFinite(rate)) rates.set(paidAt, rate);
  }
  const times = [...rates.keys()].sort((a, b) => a - b);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return [];
  // The hour of the newest payment may still run: what it opened at is final.
  const marks = await fetchCandles(source, symbol, '1h', Math.floor(first / hourMs) * hourMs, last + 1, stop);
  const markAt = new Map(marks.map(({ openTime, open }) => [openTime, open]));
  return times.flatMap((time) => {
    const mark = markAt.get(Math.floor(time / hourMs) * hourMs);
    return mark === undefined ? [] : [{ time, rate: rates.get(time)!, mark }];
  });
}

/**
 * The rates of a span as they were noted. Where an answer is full some may have been left out, at either end, which
 * exchanges do differently: then each half of the span is asked for by itself.
 */
async function fetchRates(
  source: HistorySource,
  symbol: string,
  from: number,
  to: number,
  stop: { readonly aborted: boolean } | undefined,
): Promise<Rate[]> {
  if (stop?.aborted === true) return [];
  const quirk = newestFunding(source.client.id);
  if (quirk !== null && 'page' in quirk) return await fetchPages(source, symbol, from, quirk.page, stop);
  const most = fundingPageLimit(source.client.id);
  const answer = await ask(source, symbol, from, { until: to - 1, ...(quirk === null ? {} : { [quirk.end]: to }) });
  const rates = answer.filter(({ time }) => time < to); // some exchanges ignore the end
  if (rates.length < most || to - from <= hourMs) return rates;
  const middle = Math.floor((from + to) / 2);
  return [...(await fetchRates(source, symbol, from, middle, stop)), ...(await fetchRates(source, symbol, middle, to, stop))];
}

/**
 * All rates from a time on, page by page, newest first; one that is paid meanwhile moves others to the next page. None
 * when it is ended early: without the oldest ones there would be a hole.
 */
async function fetchPages(
  source: HistorySource,
  symbol: string,
  from: number,
  page: string,
  stop: { readonly aborted: boolean } | undefined,
): Promise<Rate[]> {
  const rates: Rate[] = [];
  let oldest = Infinity;
  for (let number = 1; ; number++) {
    if (stop?.aborted === true) return [];
    const answer = await ask(source, symbol, from, { [page]: number });
    rates.push(...answer);
    if (answer.length < fundingPageLimit(source.client.id)) return rates;
    const first = Math.min(...answer.map(({ time }) => time));
    if (!(first < oldest)) throw new ExchangeError('rejected', `${source.exchangeId} returns only the newest funding rates of ${symbol}.`);
    oldest = first;
  }
}

async function ask(source: HistorySource, symbol: string, from: number, params: object): Promise<Rate[]> {
  const { client } = source;
  const rows = await patiently(source, `funding rates of ${symbol}`, () =>
    client.fetchFundingRateHistory(symbol, from, fundingPageLimit(client.id), params),
  );
  return rows
    .map(({ timestamp, fundingRate }): Rate => ({ time: timestamp ?? NaN, rate: fundingRate ?? NaN }))
    .filter(({ time }) => time >= from);
}
