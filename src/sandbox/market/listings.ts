import { hash, nameKey } from './noise.ts';

/** Where a pair is traded. */
export type SandboxMarket = 'spot' | 'futures';

/** One asset of the simulated market. Its price is invented; only the magnitude is that of the real coin. */
export interface Asset {
  name: string; // 'BTC'
  price: number; // USDT, around which the path wanders for years
  beta: number; // how strongly it follows the common market
  dailyMove: number; // standard deviation of its own daily moves, without the market's
  decimals: number; // of its price
  amountDecimals: number; // of its amount on spot
  dailyVolume: number; // USDT
}

/** One pair on one market. */
export interface Pair {
  id: string; // 'BTCUSDT'
  market: SandboxMarket;
  asset: Asset;
  base: string;
  quote: string;
  decimals: number; // of its price: the tick is 10^-decimals
  amountDecimals: number; // of its amount: the step is 10^-amountDecimals
  minNotional: number; // smallest price x amount of an order, in quote currency
  listedAt: number; // ms; no candle is older
  share: number; // of the asset's volume that is traded here
}

/** Nothing is traded before this time: 1 January 2020. */
export const listedAt = 1_577_836_800_000;

/** Standard deviation of the daily moves of the common market, and how far it wanders over years. */
export const marketShape = { dailyMove: 0.017, wander: 0.14 };

type Row = [
  name: string,
  price: number,
  beta: number,
  dailyMove: number,
  decimals: number,
  amountDecimals: number,
  dailyVolumeMillions: number,
];

const rows: readonly Row[] = [
  ['BTC', 96_000, 1.0, 0.007, 2, 5, 2_400],
  ['ETH', 2_900, 1.35, 0.019, 2, 4, 1_500],
  ['BNB', 640, 0.8, 0.013, 2, 3, 320],
  ['SOL', 165, 1.5, 0.025, 2, 3, 620],
  ['XRP', 2.2, 1.2, 0.026, 4, 1, 540],
  ['ADA', 0.72, 1.4, 0.026, 4, 1, 130],
  ['DOGE', 0.19, 1.5, 0.028, 5, 0, 260],
  ['AVAX', 22, 1.5, 0.026, 2, 2, 90],
  ['DOT', 4.1, 1.4, 0.024, 3, 2, 60],
  ['LINK', 15.2, 1.4, 0.026, 2, 2, 110],
  ['LTC', 92, 1.1, 0.02, 2, 3, 75],
  ['TRX', 0.27, 0.5, 0.014, 4, 1, 85],
  ['BCH', 420, 1.2, 0.022, 1, 3, 55],
  ['UNI', 6.8, 1.5, 0.03, 3, 2, 48],
  ['ATOM', 4.4, 1.3, 0.024, 3, 2, 32],
  ['NEAR', 2.5, 1.6, 0.03, 3, 1, 52],
  ['FIL', 2.7, 1.4, 0.026, 3, 2, 30],
  ['ETC', 17.5, 1.3, 0.022, 2, 2, 34],
  ['XLM', 0.28, 1.2, 0.026, 4, 0, 46],
  ['APT', 5.1, 1.6, 0.03, 3, 2, 38],
  ['ARB', 0.36, 1.7, 0.031, 4, 1, 44],
  ['OP', 0.74, 1.7, 0.031, 3, 2, 36],
  ['SUI', 3.3, 1.7, 0.034, 4, 1, 210],
  ['AAVE', 255, 1.4, 0.028, 2, 3, 62],
];

const usdcAssets = ['BTC', 'ETH', 'BNB', 'SOL', 'XRP', 'DOGE'];

const assets: readonly Asset[] = rows.map(([name, price, beta, dailyMove, decimals, amountDecimals, millions]) => ({
  name,
  price,
  beta,
  dailyMove,
  decimals,
  amountDecimals,
  dailyVolume: millions * 1_000_000,
}));

/** All pairs of the market, spot and perpetual; `crowd` adds that many small coins to try large numbers of pairs. */
export function listPairs(crowd: number): Pair[] {
  const all = [...assets, ...Array.from({ length: crowd }, (_, i) => crowdAsset(i))];
  return all.flatMap((asset) => {
    const quotes = usdcAssets.includes(asset.name) ? ['USDT', 'USDC'] : ['USDT'];
    return quotes.flatMap((quote) => [pairOf(asset, quote, 'spot'), pairOf(asset, quote, 'futures')]);
  });
}

function pairOf(asset: Asset, quote: string, market: SandboxMarket): Pair {
  const futures = market === 'futures';
  const coarse = futures && asset.price > 10_000; // the perpetual of BTC moves by 0.1
  return {
    id: `${asset.name}${quote}`,
    market,
    asset,
    base: asset.name,
    quote,
    decimals: coarse ? asset.decimals - 1 : asset.decimals,
    amountDecimals: futures ? Math.max(0, asset.amountDecimals - (coarse ? 2 : 1)) : asset.amountDecimals,
    minNotional: futures ? (asset.price > 10_000 ? 50 : 5) : 5,
    listedAt,
    share: (futures ? 2.5 : 1) * (quote === 'USDC' ? 0.12 : 1),
  };
}

function crowdAsset(i: number): Asset {
  const name = `SIM${String(i + 1).padStart(3, '0')}`;
  const price = Number((0.05 * 4 ** (hash(1, nameKey(name), 0, 0) % 7)).toFixed(2));
  return { name, price, beta: 1.3, dailyMove: 0.03, decimals: price > 20 ? 2 : 4, amountDecimals: 1, dailyVolume: 20_000_000 };
}
