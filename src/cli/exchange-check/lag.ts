import { secondMs } from '#engine/market/durations.ts';

/** How long a listing, a look-up or a stream of an exchange may lag behind an answer. */
export const lagMs = 10 * secondMs;

/** How often what lags is asked for. */
export const pauseMs = 200;
