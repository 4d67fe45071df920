import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import { writeAside } from './candle-file-writer.ts';
import { CommandError } from '../command-error.ts';
import { readConfigFile } from '../config/config-json.ts';
import { type JsonObject } from '#strategy-process/words/json-object.ts';
import { type MarketFacts, marketFactsOf } from '../config/config-markets.ts';
import { ConfigReader } from '#strategy-process/words/config-reader.ts';

const fileName = 'markets.json';

/** What a download has noted of the markets of a folder; nothing where none has. Fails: CommandError that names the file */
export function readMarketFacts(folder: string, marketType: MarketType): MarketFacts {
  const file = join(folder, fileName);
  if (!existsSync(file)) return new Map();
  const reader = new ConfigReader(readConfigFile(file));
  const facts = marketFactsOf(reader.section(marketType));
  if (reader.faults.length > 0) throw new CommandError(reader.faults.map((fault) => `${file}: ${fault}`));
  return facts;
}

/** Notes what an exchange says of its markets beside their candles, so that a backtest knows steps, limits and fees. */
export function writeMarketFacts(folder: string, marketType: MarketType, instruments: readonly Instrument[]): void {
  const file = join(folder, fileName);
  const known = existsSync(file) ? readConfigFile(file) : {};
  const before = (known[marketType] ?? {}) as JsonObject;
  const noted = Object.fromEntries(instruments.map((instrument) => [instrument.symbol, factsOf(instrument)]));
  writeAside(file, `${JSON.stringify({ ...known, [marketType]: { ...before, ...noted } }, null, 2)}\n`);
}

/** In the names of the configuration; what is not a limit is left out. */
function factsOf(instrument: Instrument): JsonObject {
  const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);
  return {
    amount_step: instrument.amountStep,
    price_tick: instrument.priceTick,
    min_amount: instrument.minAmount,
    max_amount: finite(instrument.maxAmount),
    min_cost: instrument.minCost,
    max_cost: finite(instrument.maxCost),
    contract_size: instrument.contractSize,
    taker: instrument.takerFee,
    maker: instrument.makerFee,
    ...(instrument.marketType === 'spot' ? {} : { max_leverage: finite(instrument.maxLeverage) }),
    ...(instrument.leverageTiers.length === 0
      ? {}
      : {
          tiers: instrument.leverageTiers.map((tier) => ({
            min_notional: tier.minNotional,
            max_notional: finite(tier.maxNotional),
            max_leverage: tier.maxLeverage,
            maintenance_rate: tier.maintenanceRate,
            maintenance_amount: tier.maintenanceAmount,
          })),
        }),
  };
}
