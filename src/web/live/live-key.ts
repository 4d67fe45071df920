import type { CallReply } from '#contract/client.ts';

/** What the visible bots are doing. */
export type LiveStatus = CallReply<'liveStatus'>;

/** Where the live state lies in the query store; what is asked less often lies below it. */
export const liveKey = ['live-status'] as const;
