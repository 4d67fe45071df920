import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { exchangeMarkets } from '#feeds/exchange-markets.ts';
import type { Markets } from '#feeds/markets.ts';
import { ImportRefused } from './import-refused.ts';

/** The exchange that an imported bot trades at. */
export interface ExchangeOfImport {
  id: string;
  markets: Markets;
  instruments: readonly Instrument[]; // that can be traded in the market of the bot
}

/** Names that exchanges had before, and names of parts of one. */
const renamed: Readonly<Record<string, string>> = { gateio: 'gate', huobi: 'htx', okex: 'okx', binanceusdm: 'binance' };

/**
 * Does a piece of work with an exchange by its name here or elsewhere. `sandboxUrl`: of the simulated market; '' where none is needed.
 *
 * Fails: ImportRefused when it is not offered or cannot be asked
 */
export async function withExchange<T>(
  of: { named: string; marketType: MarketType; sandboxUrl: string },
  work: (exchange: ExchangeOfImport) => Promise<T>,
): Promise<T> {
  const markets = exchangeMarkets({ sandboxUrl: of.sandboxUrl });
  try {
    const lower = of.named.toLowerCase();
    const id = (markets.find(renamed[lower] ?? lower) ?? markets.find(of.named))?.id;
    if (id === undefined)
      throw new ImportRefused(
        `The exchange ${of.named} is not offered here; give --exchange and one of ${markets.exchanges.map((each) => each.id).join(', ')}.`,
      );
    return await work({ id, markets, instruments: await instrumentsOf(markets, id, of.marketType) });
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    throw new ImportRefused(`${of.named} could not be asked for its pairs (${error.message}): try again, or give another --exchange.`);
  } finally {
    await markets.close();
  }
}

async function instrumentsOf(markets: Markets, id: string, marketType: MarketType): Promise<Instrument[]> {
  try {
    return (await (await markets.market(id, marketType)).instruments()).filter(({ active }) => active);
  } catch (error) {
    if (error instanceof ExchangeError) throw error;
    throw new ImportRefused(`${id} has no ${marketType} market here (${errorText(error)}): give another --exchange.`);
  }
}
