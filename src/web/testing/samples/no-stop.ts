import type { CallReply } from '#contract/client.ts';

type NoStop = NonNullable<CallReply<'tradeOrders'>['no_stop']>;

/** Why a trade has had no stop since a moment, except for what is given: no stop of it was ever tried. */
export function aNoStop(changes: Partial<NoStop> = {}): NoStop {
  return {
    since: '2026-11-21T07:00:00.000Z',
    failed_at: null,
    refusal: null,
    ended_as: null,
    stood_ms: null,
    too_small: null,
    next_stop: null,
    stop_asked_at: null,
    ...changes,
  };
}
