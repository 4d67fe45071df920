import { profitAt } from '#engine/account/profit.ts';
import { fundingBetween, fundingColumns } from '#engine/account/funding.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { expect, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { demoBots } from './bots.ts';
import { pastOf } from './past.ts';
import { pastSnapshots } from './snapshots.ts';

test('OP-84 the past of a bot of perpetuals has paid its funding, and its trades had liquidation prices', async () => {
  const market = await startMarket(1, 7, Date.UTC(2026, 4, 20, 13));
  const markets = market.connect();
  const bot = { ...demoBots.find(({ marketType }) => marketType === 'futures')!, bases: ['BTC'], timeframe: '1h' } as const;
  const settings = requireSettings({
    stoploss: -0.1,
    minimalRoi: {},
    marketType: 'futures',
    canShort: true,
    leverage: 2,
    stakeAmount: 1000,
    maxOpenTrades: 1,
    startingBalance: 5000,
    liquidationFormula: 'binance',
  });
  const { trades } = await pastOf(markets, bot, strategyOfClass(bot.strategy), settings, 20, market.now());
  const exchange = await markets.market('sandbox', 'futures');
  const events = fundingColumns(await exchange.funding('BTC/USDT:USDT', market.now() - 21 * 86_400_000, market.now()));
  expect(trades.length).toBeGreaterThan(2);
  for (const { trade } of trades) {
    expect(trade.fundingFees).toBeCloseTo(fundingBetween(events, trade, trade.openTime, trade.closeTime ?? trade.fundedUntil ?? 0), 8);
    expect(trade.liquidationPrice).not.toBeNull();
  }
  expect(trades.some(({ trade }) => trade.fundingFees !== 0)).toBe(true);
});

test('a bot of the past still holds what it had not sold when the past ends, and continues with it; a stopped one holds nothing', async () => {
  const market = await startMarket(1, 7, Date.UTC(2026, 4, 20, 13));
  const markets = market.connect();
  const bot = {
    ...demoBots.find(({ strategy }) => strategy === 'BuyAndHold')!,
    timeframe: '1h',
    status: 'active',
    endedDaysAgo: 0,
  } as const;
  const settings = requireSettings({ stoploss: -0.99, minimalRoi: {}, stakeAmount: 1000, maxOpenTrades: 1, startingBalance: 5000 });
  const past = await pastOf(markets, bot, strategyOfClass(bot.strategy), settings, 20, market.now());
  const { trade } = past.trades.at(-1)!;
  expect(trade).toMatchObject({ isOpen: true, closeTime: null, closeRate: null, exitReason: null, profit: null, profitRatio: null });
  expect(trade.orders.map(({ purpose, state }) => [purpose, state])).toEqual([['entry', 'filled']]);
  expect([trade.realizedProfit, trade.amount > 0, trade.stake > 0]).toEqual([0, true, true]);

  const end = Date.UTC(2026, 4, 20, 13);
  const snapshots = pastSnapshots({ botId: 'x', startingBalance: 1000, trades: [], past });
  const close = past.closes.get('BTC/USDT')!.close.at(-1)!;
  expect(snapshots.at(-1)).toMatchObject({ takenAt: new Date(end), netPnl: profitAt(trade, close, end) });

  const stoppedBot = { ...bot, status: 'stopped', endedDaysAgo: 9 } as const;
  const stopped = await pastOf(markets, stoppedBot, strategyOfClass(bot.strategy), settings, 20, market.now());
  expect(stopped.trades.at(-1)?.trade).toMatchObject({ isOpen: false, closeTime: end - 9 * 86_400_000, exitReason: 'force_exit' });
});
