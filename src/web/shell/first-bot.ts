import { changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import { resetDraft, typeInto } from '../bots/configure/draft-store.ts';

/** What a first bot is made of: it buys with the first candle that closes, leaves at a small profit or loss, and buys again. */
const firstBot = {
  strategy: 'BuyAndHold', // class name
  exchangeId: 'sandbox',
  entries: {
    nickname: 'My first bot',
    marketType: 'spot',
    mode: 'paper',
    stakeCurrency: 'USDT',
    pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
    own: {
      timeframe: '1m',
      stoploss: '1',
      minimal_roi: JSON.stringify([
        { minutes: '0', percent: '0.5' },
        { minutes: '3', percent: '0.2' },
        { minutes: '10', percent: '0' },
      ]),
    },
  },
} as const;

/**
 * What opens the form of a new paper bot that has a trade within minutes of its activation, filled in. Where this server has no simulated market,
 * or what is offered there cannot be asked, the form is as it is for every new bot.
 */
export async function makeFirstBot(): Promise<() => void> {
  const offered = await Promise.all([api.listStrategies({}), api.listExchanges({})]).catch(() => null);
  const strategy = offered?.[0].strategies.find(({ strategy_class_name: name }) => name === firstBot.strategy);
  const isThere = offered?.[1].exchanges.some(({ id }) => id === firstBot.exchangeId) === true;
  return () => {
    resetDraft();
    if (strategy !== undefined && isThere)
      typeInto(null, null, { ...firstBot.entries, strategyId: strategy.id, exchangeId: firstBot.exchangeId });
    changeAddress({ tab: 'bot_control', view: 'configure', bot: null, pair: null });
  };
}
