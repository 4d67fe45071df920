import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';

/** A bot of the demonstration that trades at the sandbox, on paper. */
export interface DemoBot {
  nickname: string;
  owner: 'admin' | 'operator' | 'trader' | 'investor';
  strategy: string; // class name
  marketType: MarketType;
  bases: readonly string[]; // 'BTC' is BTC/USDT, on futures BTC/USDT:USDT
  timeframe: Timeframe;
  stakeAmount: number;
  maxOpenTrades: number;
  leverage: number;
  status: 'active' | 'paused' | 'stopped';
  endedDaysAgo?: number; // when it was stopped; now when absent
}

/** The bots of the demonstration: different kinds, spot and futures; nobody chose them for their profit. */
export const demoBots: readonly DemoBot[] = [
  bot('Morning Cross', 'trader', 'EmaCross', 'spot', ['BTC', 'ETH', 'SOL'], '15m', 300, 3, 1, 'active'),
  bot('Night Trend', 'trader', 'SuperTrendFollower', 'futures', ['BTC', 'XRP'], '4h', 400, 2, 2, 'active'),
  bot('Dip Buyer', 'trader', 'RsiReversal', 'spot', ['ETH', 'XRP', 'ADA'], '5m', 250, 3, 1, 'active'),
  bot('Amber Band', 'trader', 'BollingerReversion', 'spot', ['BTC', 'SOL'], '5m', 200, 2, 1, 'active'),
  bot('Breakout Desk', 'operator', 'DonchianBreakout', 'futures', ['BTC', 'ETH', 'SOL'], '4h', 500, 3, 2, 'active'),
  bot('Momentum Desk', 'operator', 'MacdTrend', 'futures', ['ETH', 'XRP'], '1h', 350, 2, 2, 'active'),
  bot('Pullback', 'admin', 'StochasticPullback', 'spot', ['BTC', 'BNB', 'ADA'], '15m', 300, 3, 1, 'active'),
  bot('Fair Price', 'admin', 'VwapReversion', 'spot', ['DOGE', 'ETH'], '5m', 150, 2, 1, 'active'),
  bot('Direction Study', 'investor', 'AdxDirectional', 'futures', ['BTC', 'ETH'], '1h', 250, 2, 2, 'paused'),
  bot('Just Hold', 'admin', 'BuyAndHold', 'spot', ['BTC'], '1h', 1000, 1, 1, 'stopped', 9),
];

function bot(
  nickname: string,
  owner: DemoBot['owner'],
  strategy: string,
  marketType: MarketType,
  bases: readonly string[],
  timeframe: Timeframe,
  stakeAmount: number,
  maxOpenTrades: number,
  leverage: number,
  status: DemoBot['status'],
  endedDaysAgo = 0,
): DemoBot {
  return { nickname, owner, strategy, marketType, bases, timeframe, stakeAmount, maxOpenTrades, leverage, status, endedDaysAgo };
}
