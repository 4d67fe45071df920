import type { WhatIfTerms } from '#engine/lab/what-if/terms.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { Markets } from '#feeds/markets.ts';
import { CannotRun } from '#strategies/strategy-of-rules.ts';
import { type BotToReplay, type RunToReplay, termsOfBot, termsOfRun } from './terms-of.ts';

/** What a run or a bot really has, or why it cannot be replayed, a sentence. Fails: ExchangeError where the market cannot be asked */
export async function findTerms(
  subject: RunToReplay | BotToReplay,
  { markets, now }: { markets: Markets; now: () => number },
): Promise<{ terms: WhatIfTerms } | { why: string }> {
  try {
    if ('bot' in subject && 'days' in subject) return { terms: termsOfBot(subject, now()) };
    const { exchangeId, tradingMode } = subject.run;
    const instrumentOf = async (symbol: string): Promise<Instrument> => {
      const instrument = await markets.instrument(exchangeId, tradingMode as MarketType, symbol);
      if (instrument === null) throw new CannotRun(`${exchangeId} does not have ${symbol} any more.`);
      return instrument;
    };
    return { terms: await termsOfRun(subject, instrumentOf) };
  } catch (error) {
    if (error instanceof CannotRun || error instanceof RangeError) return { why: error.message };
    throw error;
  }
}
