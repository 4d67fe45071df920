import { sql } from 'kysely';

/** Whether a row of `adopted_holdings h` still waits. After a day a person has to decide again. */
export const isWaitingToBeAdopted = sql<boolean>`h.done_at is null and h.asked_at > now() - interval '1 day'`;

/** Whether it waits, or is about to be given back: nothing may come between the two. */
export const isNotDone = sql<boolean>`h.done_at is null and h.asked_at > now() - interval '1 day 15 minutes'`;
