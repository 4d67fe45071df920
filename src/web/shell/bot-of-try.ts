import { changeAddress } from '../address/address.ts';
import type { BotOfTry, UseTry } from '../backtest/optimization/try-for-bot.ts';
import { resetDraft, typeInto } from '../bots/configure/draft-store.ts';
import { quoteOf } from '../ui/money.ts';

/** Opens the form of a new bot with what a try of a study has turned. */
export const openBotOfTry: UseTry = (bot) => void fillIn(bot);

async function fillIn({ own, stakeAmount, maxOpenTrades, leverage, ...market }: BotOfTry): Promise<void> {
  const { ownEntriesOf } = await import('../bots/configure/own/own-entries.ts'); // the form itself is loaded at a press as well
  resetDraft();
  typeInto(null, null, {
    ...market,
    stakeCurrency: quoteOf(market.pairs[0] ?? ''),
    stakeAmount: String(Number(stakeAmount.toFixed(8))),
    maxOpenTrades: String(maxOpenTrades),
    leverage: String(leverage),
    own: ownEntriesOf(own),
  });
  changeAddress({ tab: 'bot_control', view: 'configure', bot: null, pair: null, run: null, compare: null, trade: null });
}
