import { ceilingsInCurrency, keepsCurrency, limitsInCurrency } from '#contract/bots.ts';
import type { BotSettings } from '#storage/bots/bot-settings.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { amountLimits } from '#storage/limits/limits.ts';
import { listSetLimits } from '#storage/limits/set-limits.ts';
import { hasTradedAtExchange } from '#storage/trades/trades.ts';
import { HttpError } from '../http/http-error.ts';

/**
 * Fails with 409 when a change would end what is an amount in the bot's stake currency: what it has lost at an exchange, which daily loss and
 * drawdown are counted from, and its limits and ceilings.
 *
 * Needs: a transaction with the bot locked; whoever sets a limit of it, or writes its trades, locks it too
 */
export async function refuseOtherCurrency(trx: Database, bot: BotView, after: Pick<BotSettings, 'stakeCurrency'>): Promise<void> {
  if (after.stakeCurrency === bot.stakeCurrency) return;
  if (await hasTradedAtExchange(trx, bot.id)) throw new HttpError(409, keepsCurrency);
  const amounts = (await listSetLimits(trx, { level: 'bot', id: bot.id })).filter(({ name }) => amountLimits.includes(name));
  if (amounts.some(({ isCeiling }) => isCeiling)) throw new HttpError(409, ceilingsInCurrency(bot.stakeCurrency));
  if (amounts.length > 0) throw new HttpError(409, limitsInCurrency(bot.stakeCurrency));
}
