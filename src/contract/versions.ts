import { z } from 'zod';
import { texts } from './errors.ts';
import { finite, moment } from './fields.ts';

/** So many versions of a bot or a strategy are listed at most, the newest; earlier ones are restored by their number all the same. */
export const versionsListed = 200;

/** A version of the settings of a bot or a strategy. */
export const settingsVersion = z.object({
  version: z.number().int(),
  changed_at: moment,
  changed_by: z.string().nullable(), // e-mail, or 'an administrator' for owners, who do not read that; null: not known any more
  changes: z.array(z.object({ field: z.string(), from: z.string(), to: z.string() })), // from the version before
  trades: z.number().int(), // closed ones that were made under it
  pnl: finite,
});

/** The number of a version in a path. */
export const versionNumber = z.coerce.number({ error: texts.invalidRequest }).int().min(1).max(1_000_000_000);
