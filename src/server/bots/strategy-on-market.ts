import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { namesOfPairs, pairOf } from '#engine/strategy/series.ts';
import type { Markets } from '#feeds/markets.ts';
import type { Database } from '#storage/database.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import { knownOnCandles } from '#strategies/known-strategy.ts';
import { CannotRun, faultAt } from '#strategies/strategy-of-rules.ts';
import { pythonOf } from '#strategy-process/python/python-facts.ts';
import { HttpError } from '../http/http-error.ts';

/** Where a strategy is to run. */
export interface StrategyMarket {
  exchangeId: string;
  marketType: MarketType;
  timeframe: string; // of the candles it is given
  symbols: readonly string[]; // that it trades
}

/** Fails with 400 where a version cannot run on a market: on candles of its timeframe, or because it reads a pair that the market does not have. */
export async function refuseUnrunnable(
  markets: Markets,
  code: Pick<StrategyCode, 'hash' | 'document' | 'description'> | null,
  where: StrategyMarket,
): Promise<void> {
  if (code === null) return;
  refuseUnrunnableAt(code, where.timeframe);
  const python = pythonOf(code.description);
  if (python?.canShort === true && where.marketType === 'spot')
    refuse(`The strategy cannot run here: ${python.name} goes short (can_short), which spot does not allow: choose futures.`);
  const strategy = knownOnCandles('', code, where.timeframe as Timeframe);
  if (namesOfPairs(strategy).length === 0) return;
  const instruments = await (await markets.market(where.exchangeId, where.marketType)).instruments();
  const pairs = instruments.map(({ symbol }) => symbol);
  if (code.document !== null) refuse(faultAt(code.document, where.timeframe as Timeframe, pairs));
  for (const name of namesOfPairs(strategy)) {
    const read = where.symbols.map((symbol) => ({ symbol, pair: pairOf(name, symbol) })).find(({ pair }) => !pairs.includes(pair));
    if (read === undefined) continue;
    const why = name === read.pair ? '' : `, which it reads for ${read.symbol}`;
    refuse(`The strategy cannot run here: There is no pair ${read.pair}${why}.`);
  }
}

/** The same for the version of this id; null is one that is part of the program. */
export async function refuseUnrunnableVersion(
  { db, markets }: { db: Database; markets: Markets },
  codeId: string | null,
  where: StrategyMarket,
): Promise<void> {
  if (codeId !== null) await refuseUnrunnable(markets, await findCode(db, codeId), where);
}

/** Fails with 400 where a version cannot run on candles of a timeframe. */
export function refuseUnrunnableAt(code: Pick<StrategyCode, 'hash' | 'document' | 'description'>, timeframe: string): void {
  if (code.document !== null) return refuse(faultAt(code.document, timeframe as Timeframe));
  try {
    knownOnCandles(String(code.description['name']), code, timeframe as Timeframe);
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    throw new HttpError(400, error.message);
  }
}

/** Fails with 400 for a strategy that no bot may trade with real orders: it was seen to look ahead. */
export function refuseLookAhead(description: object | null): void {
  const lookAhead = description === null ? null : (pythonOf(description)?.python.lookAhead ?? null);
  if (lookAhead !== null) refuse(`The strategy cannot run here: ${lookAhead}`);
}

function refuse(fault: string | null): void {
  if (fault !== null) throw new HttpError(400, fault);
}
