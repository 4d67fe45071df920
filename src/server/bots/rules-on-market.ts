import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { Markets } from '#feeds/markets.ts';
import type { Database } from '#storage/database.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import { requireKnownStrategy } from '#strategies/known-strategy.ts';
import { faultAt } from '#strategies/strategy-of-rules.ts';
import { HttpError } from '../http/http-error.ts';

/** Where rules are to run. */
export interface RulesMarket {
  exchangeId: string;
  marketType: MarketType;
  timeframe: string; // of the candles they are given
}

/** Fails with 400 where the rules of a version cannot run on a market: on candles of its timeframe, or because they read a pair that it does not have. */
export async function refuseUnrunnable(markets: Markets, code: StrategyCode | null, where: RulesMarket): Promise<void> {
  if (code === null || code.document === null) return;
  refuseUnrunnableAt(code.document, where.timeframe);
  if (requireKnownStrategy('', code.description).otherPairs?.length === 0) return;
  const instruments = await (await markets.market(where.exchangeId, where.marketType)).instruments();
  const pairs = instruments.map(({ symbol }) => symbol);
  refuse(faultAt(code.document, where.timeframe as Timeframe, pairs));
}

/** The same for the version of this id; null is one that is part of the program. */
export async function refuseUnrunnableVersion(
  { db, markets }: { db: Database; markets: Markets },
  codeId: string | null,
  where: RulesMarket,
): Promise<void> {
  if (codeId !== null) await refuseUnrunnable(markets, await findCode(db, codeId), where);
}

/** Fails with 400 where a document cannot run on candles of a timeframe. */
export function refuseUnrunnableAt(document: unknown, timeframe: string): void {
  refuse(faultAt(document, timeframe as Timeframe));
}

function refuse(fault: string | null): void {
  if (fault !== null) throw new HttpError(400, fault);
}
