import { AuthenticationError, type Dictionary, type Ticker } from 'ccxt';
import type { Quote } from '#engine/ports/market-data.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { isRefusal } from './ccxt-errors.ts';
import { toQuote } from './ccxt-mapping.ts';
import { namedAtMost } from './quirks/binance.ts';

type Log = (message: string) => void;

/** Best prices by REST. Where tickers lack bid and ask they are asked for as well, of each symbol alone where nothing else has them without a key. */
export async function fetchQuotes(client: CcxtClient, symbols: readonly string[], now: number, log: Log): Promise<Quote[]> {
  const isAskedAlone = symbols.length === 1 || client.has['fetchTickers'] !== true;
  const tickers = isAskedAlone ? await eachTicker(client, symbols) : await fetchTickers(client, symbols, log);
  const quotes = symbols.flatMap((symbol) => toQuote(symbol, undefined, tickers[symbol], now) ?? []);
  const priced = new Set(quotes.map(({ symbol }) => symbol));
  const lacking = symbols.filter((symbol) => tickers[symbol] !== undefined && !priced.has(symbol));
  if (lacking.length === 0) return quotes;
  if (client.has['fetchBidsAsks'] === true) {
    try {
      const best = await client.fetchBidsAsks(lacking);
      return [...quotes, ...lacking.flatMap((symbol) => toQuote(symbol, best[symbol], tickers[symbol], now) ?? [])];
    } catch (error) {
      if (!(error instanceof AuthenticationError)) {
        if (quotes.length === 0) throw error;
        log(String(error)); // costs those no price that have one
        return quotes;
      }
    }
  }
  return isAskedAlone ? quotes : [...quotes, ...(await quotesAlone(client, lacking, now, quotes.length > 0, log))];
}

/** One symbol without an answer costs no other its price. */
async function quotesAlone(client: CcxtClient, symbols: readonly string[], now: number, isEnough: boolean, log: Log): Promise<Quote[]> {
  const answers = await Promise.allSettled(
    symbols.map(async (symbol) => toQuote(symbol, undefined, await client.fetchTicker(symbol), now)),
  );
  const quotes = answers.flatMap((answer) => (answer.status === 'fulfilled' ? (answer.value ?? []) : []));
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  if (quotes.length === 0 && !isEnough && failures.length > 0) throw failures[0];
  for (const failure of failures) log(String(failure));
  return quotes;
}

async function eachTicker(client: CcxtClient, symbols: readonly string[]): Promise<Dictionary<Ticker>> {
  return Object.fromEntries(await Promise.all(symbols.map(async (symbol) => [symbol, await client.fetchTicker(symbol)] as const)));
}

/** One symbol that an exchange has removed makes it refuse all that are named beside it. Without names it gives what it has: one request more. */
async function fetchTickers(client: CcxtClient, symbols: readonly string[], log: Log): Promise<Dictionary<Ticker>> {
  if (symbols.length > namedAtMost(client.id)) return await client.fetchTickers();
  try {
    return await client.fetchTickers([...symbols]);
  } catch (refusal) {
    if (!isRefusal(refusal)) throw refusal;
    log(String(refusal));
    return await client.fetchTickers().catch((error: unknown) => {
      log(String(error));
      throw refusal;
    });
  }
}
