import type { CallReply } from '#contract/client.ts';
import type { Gate, ManualRefusal } from '#engine/bot/effect.ts';
import { refusalText } from '../live/decision-words.ts';
import { formatPrice, formatStake, quoteOf, settleOf } from '../ui/money.ts';

/** What a person has asked a bot to do by hand. */
export type ManualAction = CallReply<'manualActions'>['actions'][number];

/** What was asked for, e.g. 'Take out 25 %'. */
export function actionText(
  { kind, symbol, direction, stake, share, stop_price: stopPrice }: ManualAction,
  priceTick: number | null = null,
): string {
  const money = formatStake(stake ?? 0, settleOf(symbol));
  const price = stopPrice === null ? null : formatPrice(stopPrice, quoteOf(symbol), priceTick);
  if (kind === 'enter') return `Enter ${symbol} ${direction ?? 'long'} with ${money}${price === null ? '' : `, stop at ${price}`}`;
  if (kind === 'add') return `Add ${money}`;
  if (kind === 'take-out') return `Take out ${Number(((share ?? 0) * 100).toFixed(2))} %`;
  return price === null ? 'Let the bot move the stop' : `Move the stop to ${price}`;
}

/** What came of it, in words; null while it waits. */
export function outcomeText({ kind, state, refusal }: ManualAction): string | null {
  if (state === 'waiting') return null;
  return state === 'done' ? doneTexts[kind] : refusedText(refusal ?? '');
}

const doneTexts: Record<ManualAction['kind'], string> = { enter: 'Ordered', add: 'Ordered', 'take-out': 'Ordered', 'move-stop': 'Moved' };

/** Why a bot did not do what was asked, as a sentence. */
export function refusedText(refusal: string): string {
  const own = (refusals as Readonly<Record<string, string>>)[refusal];
  if (own !== undefined) return own;
  const why = refusalText(refusal);
  return `Not done: ${why}.`;
}

const refusals: Record<Exclude<ManualRefusal, Gate> | 'account-differs' | 'settings-changed', string> = {
  'account-differs': 'Not done: the account holds less than the trade. Decide about the difference first.',
  'cannot-short': 'Not done: this bot cannot sell short.',
  'settings-changed':
    'Not done: the settings or the mode of its bot were changed meanwhile. Look at them, then ask again if you still want it.',
  'too-late': 'Not done: its bot could not do it within half a minute. Ask again if you still want it.',
  'trade-over': 'Not done: the trade is closed or being closed.',
  'entry-waits': 'Not done: an entry of the trade is not filled yet.',
  'part-too-small': 'Not done: the exchange takes no order for so little.',
  'part-too-large': 'Not done: the exchange takes no order for so much. Take out less, and then the next part.',
  'rest-too-small': 'Not done: what would be left could not be sold. Close the trade instead.',
  'stop-beyond-price': 'Not done: the price has passed this stop already. Use Close now to leave.',
  'stop-too-small': 'Not done: at this stop the trade is worth less than the smallest order, so the exchange takes none there.',
  'stop-beyond-liquidation': 'Not done: the position would be liquidated before this stop.',
  'stop-filling': 'Not done: the stop is being filled.',
};
