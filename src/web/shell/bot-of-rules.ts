import { changeAddress } from '../address/address.ts';
import { resetDraft, typeInto } from '../bots/configure/draft-store.ts';
import type { UseForBot } from '../strategy/rules/rules-screen.tsx';
import { quoteOf } from '../ui/money.ts';

/** Opens the form of a new bot with a strategy of rules or of a file, on the market on which it was looked at. */
export const openBotOfRules: UseForBot = (strategyId, market) => {
  resetDraft();
  typeInto(null, null, {
    strategyId,
    ...(market === null
      ? {}
      : { exchangeId: market.exchangeId, marketType: market.tradingMode, stakeCurrency: quoteOf(market.symbol), pairs: [market.symbol] }),
  });
  changeAddress({ tab: 'bot_control', view: 'configure', bot: null, pair: null, strategy: null });
};
