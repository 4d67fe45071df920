import { sql } from 'kysely';
import { serverStart } from './server-start.ts';

/**
 * Whether a runner `r` holds a lease now, in SQL. One of before a start of the server is over within the minute, whatever it says: a clock that was
 * ahead, and is right again since, would keep a dead runner alive until it has caught up.
 */
export const isAlive = sql<boolean>`(r.expires_at > now() and (r.server_started_at = ${serverStart} or r.expires_at < now() + interval '1 minute'))`;
