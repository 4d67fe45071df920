import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** The midnight that a UTC day begins with. */
export const midnight = (day: RawBuilder<unknown>): RawBuilder<unknown> => sql`((${day})::timestamp at time zone 'UTC')`;
