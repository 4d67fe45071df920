import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import type { Draws } from './draws.ts';
import { fractionOf } from './draws.ts';

/** Callbacks that answer anything a strategy may answer; the same question always gets the same answer. */
export function randomCallbacks(draws: Draws, seed: number): StrategyCallbacks {
  const chance = (name: string, symbol: string, time: number): number => fractionOf(`${seed} ${name} ${symbol} ${time}`);
  /** A price up to 1 per cent away, now and then the proposed one. */
  const near = (name: string, symbol: string, time: number, price: number): number | null => {
    const drawn = chance(name, symbol, time);
    return drawn < 0.3 ? null : price * (1 + (drawn - 0.65) * 0.03);
  };
  const all: Required<Omit<StrategyCallbacks, 'stopAfterFill' | 'loopStart'>> = {
    leverage: ({ symbol, time }) => 1 + 30 * chance('leverage', symbol, time),
    entryPrice: ({ symbol, time, proposedPrice }) => near('entryPrice', symbol, time, proposedPrice),
    stake: ({ symbol, time, proposedStake }) => proposedStake * 2 * chance('stake', symbol, time),
    confirmEntry: ({ symbol, time }) => chance('confirmEntry', symbol, time) < 0.7,
    confirmExit: ({ trade, time, reason }) => chance(`confirmExit ${reason}`, trade.symbol, time) < 0.7,
    exitPrice: ({ trade, time, proposedPrice }) => near('exitPrice', trade.symbol, time, proposedPrice),
    customExit: ({ trade, time }) => (chance('customExit', trade.symbol, time) < 0.05 ? 'wish' : null),
    customStop: ({ trade, time, afterFill }) => {
      const drawn = chance(`customStop ${afterFill}`, trade.symbol, time);
      return drawn < 0.4 ? null : -0.06 * drawn * trade.leverage;
    },
    roi: ({ trade, time }) => (chance('roi', trade.symbol, time) < 0.7 ? null : 0.02 * chance('roi size', trade.symbol, time)),
    adjustPosition({ trade, time }) {
      const [drawn, share] = [chance('adjustPosition', trade.symbol, time), chance('adjustPosition size', trade.symbol, time)];
      if (drawn < 0.7) return null;
      return drawn < 0.85 ? trade.stake * share : { stake: -trade.stake * share, tag: drawn < 0.9 ? 'less' : null };
    },
    adjustOrderPrice({ trade, order, time, proposedPrice }) {
      const drawn = chance('adjustOrderPrice', trade.symbol, time);
      if (drawn < 0.4) return order.price;
      return drawn < 0.5 ? null : proposedPrice * (1 + (drawn - 0.75) * 0.02);
    },
    isTimedOut: ({ trade, time }) => chance('isTimedOut', trade.symbol, time) < 0.1,
    orderFilled: () => undefined,
  };
  const chosen = Object.entries(all).filter(() => draws.happens(0.4));
  return { ...Object.fromEntries(chosen), stopAfterFill: draws.happens(0.5) };
}
