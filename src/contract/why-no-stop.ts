import { z } from 'zod';

/** Why an open live trade has no stop at its exchange, as far as that is known. */
export const whyNoStop = {
  refusal: z.string().nullable(), // what the exchange has said against the newest stop since it has taken one
  too_small: z.enum(['to-sell', 'for-stop']).nullable(), // it takes no exit, or no stop, for so little
};
