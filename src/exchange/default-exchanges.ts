/** An exchange as it is offered. */
export interface OfferedExchange {
  id: string; // 'binance'
  name: string; // 'Binance'
}

/**
 * The exchanges offered: the built-in market simulator, and the large ones with spot or perpetual markets and live data.
 *
 * Written out, so that naming them does not load ccxt, which takes longer than everything else a start does.
 */
export const defaultExchanges: readonly OfferedExchange[] = [
  { id: 'sandbox', name: 'Sandbox' },
  { id: 'binance', name: 'Binance' },
  { id: 'bybit', name: 'Bybit' },
  { id: 'okx', name: 'OKX' },
  { id: 'kraken', name: 'Kraken' },
  { id: 'kucoin', name: 'KuCoin' },
  { id: 'gate', name: 'Gate' },
  { id: 'bitget', name: 'Bitget' },
  { id: 'mexc', name: 'MEXC Global' },
  { id: 'coinbase', name: 'Coinbase Advanced' },
  { id: 'htx', name: 'HTX' },
  { id: 'bitfinex', name: 'Bitfinex' },
];
