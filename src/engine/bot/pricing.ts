import type { OrderType } from '../market/order-type.ts';
import type { Direction } from '../market/direction.ts';
import type { MarketView } from './event.ts';
import type { PricingSettings, TradingSettings } from '../settings/trading-settings.ts';

/**
 * The price at which a bot would enter or leave now.
 *
 * On the same side it waits in line (a long enters at the bid and leaves at the ask); on the other side it takes what is
 * there. A market order always takes its price from the other side.
 */
export function currentRate(
  purpose: 'entry' | 'exit',
  direction: Direction,
  type: OrderType,
  view: MarketView,
  settings: TradingSettings,
): number {
  const pricing = purpose === 'entry' ? settings.entryPricing : settings.exitPricing;
  const side = bookSide(purpose, direction, type === 'market' ? 'other' : pricing.side);
  if (pricing.useOrderBook) {
    const levels = side === 'bid' ? view.bids : view.asks;
    const level = levels?.[Math.min(pricing.orderBookTop, levels.length) - 1];
    if (level !== undefined) return level[0];
  }
  const rate = side === 'bid' ? view.bid : view.ask;
  const isUnfavourable = purpose === 'entry' ? rate > view.last : rate < view.last;
  return isUnfavourable ? rate + pricing.priceLastBalance * (view.last - rate) : rate;
}

/** A price held within a ratio of the proposed one. */
export function withinDistance(price: number, proposed: number, ratio: number): number {
  return Math.min(Math.max(price, proposed * (1 - ratio)), proposed * (1 + ratio));
}

function bookSide(purpose: 'entry' | 'exit', direction: Direction, side: PricingSettings['side']): 'bid' | 'ask' {
  if (side === 'bid' || side === 'ask') return side;
  const buys = (purpose === 'entry') === (direction === 'long');
  const waits = side === 'same';
  return buys === waits ? 'bid' : 'ask';
}
