import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { expect, test } from 'vitest';
import { botWords } from './bot-words.ts';

const given = { stakeAmount: 100, maxOpenTrades: 3, startingBalance: 300, minimalRoi: {}, stoploss: -0.07 };
const words = (runmode: 'backtest' | 'dry_run' | 'live', more: object = {}) =>
  botWords({ exchangeId: 'binance', pairs: ['ETH/USDC:USDC'], timeframe: '5m', settings: requireSettings({ ...given, ...more }), runmode });

test('a class is given that it trades on paper by every bot and backtest but a live one', () => {
  expect((['backtest', 'dry_run', 'live'] as const).map((runmode) => [words(runmode)['runmode'], words(runmode)['dry_run']])).toEqual([
    ['backtest', true],
    ['dry_run', true],
    ['live', false],
  ]);
});

test('a class is given what its bot trades in: its currency, its market, and on perpetuals the margin mode', () => {
  expect(words('live')).toMatchObject({ stake_currency: 'USDC', trading_mode: 'spot', stoploss: -0.07 });
  expect(words('live')).not.toHaveProperty('margin_mode');
  expect(words('live', { marketType: 'futures', marginMode: 'cross' })).toMatchObject({ trading_mode: 'futures', margin_mode: 'cross' });
});
