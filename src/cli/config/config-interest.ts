import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { ConfigReader } from '#strategy-process/words/config-reader.ts';

type InterestSettings = Partial<Pick<TradingSettings, 'interestRate' | 'interestScheme'>>;

/**
 * What borrowing costs on margin: `interest_rate`, and `interest_scheme` where the exchange's name does not say it.
 * Faults are noted with the reader, also where the keys stand and nothing is borrowed.
 */
export function interestOf(reader: ConfigReader, marketType: MarketType, exchangeName: string | null): InterestSettings {
  const interestRate = reader.value('interest_rate', 'a fraction from 0 to below 1', (value) =>
    typeof value === 'number' && value >= 0 && value < 1 ? value : undefined,
  );
  const given = reader.choice('interest_scheme', ['binance', 'kraken']);
  if (marketType !== 'margin') {
    for (const key of ['interest_rate', 'interest_scheme']) {
      if (reader.has(key)) reader.refuse(`"${key}" is for margin only, and "trading_mode" is "${marketType}".`);
    }
    return {};
  }
  if (!reader.has('interest_rate')) {
    reader.refuse('"interest_rate" is missing: a fraction per day on Binance, per four hours on Kraken; 0 when borrowing is free.');
  }
  if (reader.has('futures_funding_rate')) reader.refuse('"futures_funding_rate" is for futures only: on margin, interest is paid instead.');
  const own = schemeOf(exchangeName);
  if (given !== undefined && own !== null && given !== own) {
    reader.refuse(`"interest_scheme" is "${given}", but ${exchangeName} calculates interest as "${own}".`);
  }
  if (!reader.has('interest_scheme') && own === null) {
    const exchange = exchangeName === null ? 'no exchange is named' : `it is not known how ${exchangeName} calculates interest`;
    reader.refuse(`"interest_scheme" is missing: give "binance" or "kraken", because ${exchange}.`);
  }
  const interestScheme = given ?? own;
  return { ...(interestRate === undefined ? {} : { interestRate }), ...(interestScheme === null ? {} : { interestScheme }) };
}

function schemeOf(exchangeName: string | null): TradingSettings['interestScheme'] | null {
  if (exchangeName === 'kraken') return 'kraken';
  return exchangeName?.startsWith('binance') === true || exchangeName === 'sandbox' ? 'binance' : null;
}
