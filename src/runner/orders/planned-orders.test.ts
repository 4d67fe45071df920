import { aTrade } from '#engine/account/testing/a-trade.ts';
import { anOrder } from '#engine/account/testing/an-order.ts';
import { botState } from '#engine/bot/state.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { expect, test } from 'vitest';
import type { Trade } from '#engine/account/trade.ts';
import type { BotEffect } from '#engine/bot/effect.ts';
import { plannedOrders, waitingOrders } from './planned-orders.ts';

const terms = { stakeAmount: 10, maxOpenTrades: 1, startingBalance: 100, stoploss: -0.1, minimalRoi: {} } as const;
const settings = requireSettings(terms);
const settingsOfFutures = { ...terms, marketType: 'futures', liquidationFormula: 'binance' } as const;

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

test('a further entry has the leverage its trade was opened with, though the bot is set to another one since', () => {
  const order = anOrder({ id: 'further', purpose: 'entry', state: 'planned' });
  const trade = aTrade({ marketType: 'futures', leverage: 3, orders: [order] });
  const raised = requireSettings({ ...settingsOfFutures, leverage: 10 });
  const state = { ...botState({ botId: 'bot', timeframe: '1m', status: 'active', settings: raised }), trades: [trade] };
  const created = { kind: 'order-created', time: 0, tradeId: trade.id, order } as BotEffect;
  expect(plannedOrders(state, [created])).toMatchObject([{ clientOrderId: 'further', leverage: 3 }]);
});

test('a further entry has the margin mode its trade was opened with, though the bot is set to another one since', () => {
  const order = anOrder({ id: 'further', purpose: 'entry', state: 'planned' });
  const cross = requireSettings({ ...settingsOfFutures, marginMode: 'cross' });
  const planned = (given: Partial<Trade>) => {
    const trade = aTrade({ marketType: 'futures', orders: [order], ...given });
    const state = { ...botState({ botId: 'bot', timeframe: '1m', status: 'active', settings: cross }), trades: [trade] };
    return plannedOrders(state, [{ kind: 'order-created', time: 0, tradeId: trade.id, order } as BotEffect]).map(
      ({ marginMode }) => marginMode,
    );
  };
  expect(planned({ marginMode: 'isolated' })).toEqual(['isolated']);
  expect(planned({})).toEqual(['cross']); // of before it was kept
  expect(planned({ marketType: 'spot' })).toEqual([null]);
});
