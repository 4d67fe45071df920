import { z } from 'zod';
import { finite, moment } from './fields.ts';

/** The refusal of a trade that nobody knows. */
export const tradeNotFound = 'Trade not found';

/** The refusal of what can only be done to an open trade. */
export const tradeNotOpen = 'The trade is not open';

/** What a person has asked a bot to do by hand, and what came of it. */
export const manualAction = z.object({
  action_id: z.string(),
  kind: z.enum(['enter', 'add', 'take-out', 'move-stop']),
  symbol: z.string(),
  trade_id: z.string().nullable(), // of an entry once it was made
  direction: z.enum(['long', 'short']).nullable(), // of an entry
  stake: finite.nullable(), // stake currency
  share: finite.nullable(), // of what was held, as a fraction
  stop_price: finite.nullable(), // of a moved stop null: the bot moves it again
  asked_by: z.string().nullable(), // null: the person's account is gone
  asked_by_you: z.boolean(),
  asked_at: moment,
  state: z.enum(['waiting', 'done', 'refused']),
  refusal: z.string().nullable(), // in a word, e.g. `slots-full`
  order_id: z.string().nullable(), // the order it made
  ended_at: moment.nullable(),
});
