import { exchanges, pro } from 'ccxt';
import type { MarketType } from '#engine/market/instrument.ts';

/** An exchange that can be connected to. */
export interface ExchangeListing {
  id: string; // 'binance', 'sandbox', 'bybit_testnet'
  name: string; // 'Binance'
}

/** The id of the built-in market simulator. */
export const sandboxId = 'sandbox';

const testnetSuffix = '_testnet';

/** How a ccxt class is constructed: only what is used here. */
export type CcxtConstructor = new (settings?: object) => object;

const classes = exchanges as unknown as Record<string, CcxtConstructor>;
const liveClasses = pro as unknown as Record<string, CcxtConstructor>;

/** Name of an exchange by id: `sandbox`, any id of ccxt, and `<id>_testnet` where a test network exists; null for others. */
export function exchangeListing(id: string): ExchangeListing | null {
  if (id === sandboxId) return { id, name: 'Sandbox' };
  const known = listings.get(id);
  if (known !== undefined) return known;
  const listing = findListing(id);
  listings.set(id, listing);
  return listing;
}

const listings = new Map<string, ExchangeListing | null>();

function findListing(id: string): ExchangeListing | null {
  const { ccxtId, testnet } = parseId(id);
  const constructor = ccxtClass(ccxtId);
  if (constructor === null) return null;
  const { name, urls } = new constructor() as { name: string; urls: { test?: unknown } };
  if (testnet && urls.test === undefined) return null;
  return { id, name: testnet ? `${name} Testnet` : name };
}

/** Which ccxt class stands for an exchange and market type. Perpetuals have a class of their own at some exchanges. */
export function ccxtIdOf(id: string, marketType: MarketType): string {
  const ccxtId = id === sandboxId ? 'binance' : parseId(id).ccxtId;
  return marketType === 'futures' ? (futuresClasses[ccxtId] ?? ccxtId) : ccxtId;
}

const futuresClasses: Readonly<Record<string, string>> = { binance: 'binanceusdm', kucoin: 'kucoinfutures', kraken: 'krakenfutures' };

/** Whether an id names an exchange's own test network. */
export function isTestnet(id: string): boolean {
  return parseId(id).testnet;
}

/** The class of this ccxt id, with live data where ccxt has it; null when there is none. */
export function ccxtClass(ccxtId: string): CcxtConstructor | null {
  if (Object.hasOwn(liveClasses, ccxtId)) return liveClasses[ccxtId] ?? null;
  return Object.hasOwn(classes, ccxtId) ? (classes[ccxtId] ?? null) : null;
}

function parseId(id: string): { ccxtId: string; testnet: boolean } {
  const testnet = id.endsWith(testnetSuffix);
  return { ccxtId: testnet ? id.slice(0, -testnetSuffix.length) : id, testnet };
}
