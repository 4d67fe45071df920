import { fundingBetween, fundingColumns } from '#engine/account/funding.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { strategyOfClass } from '../built-in-strategies.ts';
import { expect, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { demoBots } from './bots.ts';
import { pastOf } from './past.ts';

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
    expect(trade.fundingFees).toBeCloseTo(fundingBetween(events, trade, trade.openTime, trade.closeTime ?? 0), 8);
    expect(trade.liquidationPrice).not.toBeNull();
  }
  expect(trades.some(({ trade }) => trade.fundingFees !== 0)).toBe(true);
});
