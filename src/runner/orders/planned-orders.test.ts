import { aTrade } from '#engine/account/testing/a-trade.ts';
import { anOrder } from '#engine/account/testing/an-order.ts';
import { botState } from '#engine/bot/state.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { expect, test } from 'vitest';
import { waitingOrders } from './planned-orders.ts';

const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, startingBalance: 100, stoploss: -0.1, minimalRoi: {} });

test('OP-85 an order that a trade has left standing is cancelled although the trade is over: it would sell what belongs to another', () => {
  const standing = anOrder({ id: 'standing', purpose: 'exit', state: 'open', isCancelWanted: true });
  const over = aTrade({ isOpen: false, orders: [anOrder({ id: 'ended', state: 'filled' }), standing] });
  const open = aTrade({ id: 2, orders: [anOrder({ id: 'waiting', state: 'open' })] });
  const state = { ...botState({ botId: 'bot', timeframe: '1m', status: 'active', settings }), trades: [open], formerTrades: [over] };
  expect(waitingOrders(state)).toEqual([
    { id: 'waiting', isCancelWanted: false },
    { id: 'standing', isCancelWanted: true },
  ]);
});
