import { z } from 'zod';
import { finite, moment } from './fields.ts';

/** Why an open live trade has no stop at its exchange, as far as that is known, and what becomes of the next. */
export const whyNoStop = {
  failed_at: moment.nullable(), // when the newest stop has failed; null when the newest that has ended did not fail
  refusal: z.string().nullable(), // what the exchange has said against it
  ended_as: z.enum(['expired', 'cancelled']).nullable(), // the exchange had taken it, and ended it so; null when it was refused
  stood_ms: finite.nullable(), // how long that stop lay at the exchange
  too_small: z.enum(['to-sell', 'for-stop']).nullable(), // it takes no exit, or no stop, for so little
  next_stop: z.enum(['pausing', 'asked', 'on-its-way']).nullable(), // it waits; a person wants it now; its outcome is not known yet; none waits
  stop_asked_at: moment.nullable(), // of one that a person wants now
};
