import type { Pair } from '../market/listings.ts';
import { orderLimits } from './order-counts.ts';

/** The answer of `exchangeInfo`: all pairs of a market with their steps and smallest orders. */
export function exchangeInfo(pairs: readonly Pair[], market: Pair['market'], weightLimit: number, now: number) {
  return {
    timezone: 'UTC',
    serverTime: now,
    simulated: true,
    rateLimits: [
      { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: weightLimit },
      { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: orderLimits[market][0] },
      { rateLimitType: 'ORDERS', interval: 'MINUTE', intervalNum: 1, limit: orderLimits[market][1] },
    ],
    exchangeFilters: [],
    ...(market === 'futures' ? { futuresType: 'U_MARGINED', assets: ['USDT', 'USDC'].map(futuresAsset) } : {}),
    symbols: market === 'spot' ? pairs.map(spotSymbol) : pairs.map(futuresSymbol),
  };
}

function spotSymbol(pair: Pair) {
  return {
    symbol: pair.id,
    status: 'TRADING',
    baseAsset: pair.base,
    baseAssetPrecision: 8,
    quoteAsset: pair.quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    baseCommissionPrecision: 8,
    quoteCommissionPrecision: 8,
    orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT', 'TAKE_PROFIT_LIMIT'],
    icebergAllowed: false,
    ocoAllowed: true,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: false,
    cancelReplaceAllowed: false,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: pair.quote === 'USDT',
    filters: [
      ...priceAndLot(pair, 8),
      {
        filterType: 'NOTIONAL',
        minNotional: pair.minNotional.toFixed(8),
        applyMinToMarket: true,
        maxNotional: '9000000.00000000',
        applyMaxToMarket: false,
        avgPriceMins: 5,
      },
    ],
    permissions: [],
    permissionSets: [['SPOT', ...(pair.quote === 'USDT' ? ['MARGIN'] : [])]],
    defaultSelfTradePreventionMode: 'EXPIRE_MAKER',
    allowedSelfTradePreventionModes: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
  };
}

function futuresSymbol(pair: Pair) {
  return {
    symbol: pair.id,
    pair: pair.id,
    contractType: 'PERPETUAL',
    deliveryDate: 4_133_404_800_000,
    onboardDate: pair.listedAt,
    status: 'TRADING',
    maintMarginPercent: '2.5000',
    requiredMarginPercent: '5.0000',
    baseAsset: pair.base,
    quoteAsset: pair.quote,
    marginAsset: pair.quote,
    pricePrecision: pair.decimals,
    quantityPrecision: pair.amountDecimals,
    baseAssetPrecision: 8,
    quotePrecision: 8,
    underlyingType: 'COIN',
    underlyingSubType: [],
    triggerProtect: '0.0500',
    liquidationFee: '0.012500',
    marketTakeBound: '0.05',
    filters: [...priceAndLot(pair, null), { filterType: 'MIN_NOTIONAL', notional: String(pair.minNotional) }],
    orderTypes: ['LIMIT', 'MARKET', 'STOP', 'STOP_MARKET', 'TAKE_PROFIT', 'TAKE_PROFIT_MARKET', 'TRAILING_STOP_MARKET'],
    timeInForce: ['GTC', 'IOC', 'FOK', 'GTX', 'GTD'],
  };
}

function futuresAsset(asset: string) {
  return { asset, marginAvailable: true, autoAssetExchange: '-10000' };
}

/** The steps of price and amount; spot writes eight decimals, futures as many as the step has. */
function priceAndLot(pair: Pair, decimals: number | null) {
  const tick = (10 ** -pair.decimals).toFixed(decimals ?? pair.decimals);
  const step = (10 ** -pair.amountDecimals).toFixed(decimals ?? pair.amountDecimals);
  const most = (amount: number) => amount.toFixed(decimals ?? pair.amountDecimals);
  const largest = Math.ceil(50_000_000 / pair.asset.price);
  return [
    { filterType: 'PRICE_FILTER', minPrice: tick, maxPrice: (pair.asset.price * 100).toFixed(decimals ?? pair.decimals), tickSize: tick },
    { filterType: 'LOT_SIZE', minQty: step, maxQty: most(largest), stepSize: step },
    {
      filterType: 'MARKET_LOT_SIZE',
      minQty: decimals === null ? step : '0.00000000',
      maxQty: most(largest / 5),
      stepSize: decimals === null ? step : '0.00000000',
    },
    { filterType: 'MAX_NUM_ORDERS', maxNumOrders: 200, ...(decimals === null ? { limit: 200 } : {}) },
  ];
}
