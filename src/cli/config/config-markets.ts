import type { Instrument, LeverageTier, MarketType } from '#engine/market/instrument.ts';
import type { ConfigReader } from '#strategy-process/words/config-reader.ts';

/** What is known of the markets of some pairs. */
export type MarketFacts = ReadonlyMap<string, Partial<Instrument>>;

/** Facts under this name hold for all pairs that have none of their own. */
export const anyPair = '*';

/** The facts under `markets`: pair to its steps, limits, fees and leverage tiers; faults are noted with the reader. */
export function marketFactsOf(markets: ConfigReader | undefined): MarketFacts {
  const facts = new Map<string, Partial<Instrument>>();
  for (const pair of markets?.keys() ?? []) {
    const reader = markets?.section(pair);
    if (reader === undefined) continue;
    facts.set(pair, factsOf(reader));
    reader.end();
  }
  return facts;
}

/** An instrument of a pair: what is known of it, and for the rest a market without steps and limits. */
export function instrumentOf(symbol: string, marketType: MarketType, facts: MarketFacts): Instrument {
  const [base = '', rest = ''] = symbol.split('/');
  const own = facts.get(symbol) ?? facts.get(anyPair) ?? {};
  const tiers = own.leverageTiers ?? [];
  const futuresLeverage = own.maxLeverage ?? (tiers.length === 0 ? Infinity : Math.max(...tiers.map(({ maxLeverage }) => maxLeverage)));
  return {
    symbol,
    base,
    quote: rest.split(':')[0] ?? '',
    marketType,
    active: true,
    priceTick: 1e-8,
    amountStep: 1e-8,
    minAmount: 0,
    maxAmount: Infinity,
    minCost: 0,
    maxCost: Infinity,
    contractSize: 1,
    takerFee: 0.001,
    makerFee: 0.001,
    ...own,
    maxLeverage: marketType === 'spot' ? 1 : futuresLeverage,
    leverageTiers: marketType === 'spot' ? [] : tiers,
  };
}

function factsOf(reader: ConfigReader): Partial<Instrument> {
  const positive = (key: string): number | undefined =>
    reader.value(key, 'a number above 0', (value) => (typeof value === 'number' && value > 0 && value < Infinity ? value : undefined));
  const atLeast0 = (key: string): number | undefined =>
    reader.value(key, 'a number of at least 0', (value) =>
      typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined,
    );
  const fee = (key: string): number | undefined =>
    reader.value(key, 'a fraction such as 0.001', (value) => (typeof value === 'number' && Math.abs(value) < 1 ? value : undefined));
  const facts = {
    amountStep: positive('amount_step'),
    priceTick: positive('price_tick'),
    minAmount: atLeast0('min_amount'),
    maxAmount: positive('max_amount'),
    minCost: atLeast0('min_cost'),
    maxCost: positive('max_cost'),
    contractSize: positive('contract_size'),
    takerFee: fee('taker'),
    makerFee: fee('maker'),
    maxLeverage: positive('max_leverage'),
    leverageTiers: reader.sections('tiers')?.map(tierOf),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function tierOf(reader: ConfigReader): LeverageTier {
  const tier = {
    minNotional: reader.number('min_notional') ?? 0,
    maxNotional: reader.number('max_notional') ?? Infinity,
    maxLeverage: reader.number('max_leverage') ?? 0,
    maintenanceRate: reader.number('maintenance_rate') ?? NaN,
    maintenanceAmount: reader.number('maintenance_amount') ?? 0,
  };
  if (!(tier.maxLeverage >= 1) || !(tier.maintenanceRate >= 0)) {
    reader.refuse('Each of "tiers" needs "max_leverage" (at least 1) and "maintenance_rate" (a fraction).');
  }
  reader.end();
  return tier;
}
