import type { NextStop, WhyNoStop } from '#storage/trades/newest-stop.ts';

/** Why an open trade has no stop, and what becomes of the next, as it is answered. */
export function whyNoStopReply({ failedAt, refusal, endedAs, stoodMs, tooSmall, nextStop, stopAskedAt }: WhyNoStop & NextStop) {
  return {
    failed_at: failedAt?.toISOString() ?? null,
    refusal,
    ended_as: endedAs,
    stood_ms: stoodMs,
    too_small: tooSmall,
    next_stop: nextStop,
    stop_asked_at: stopAskedAt?.toISOString() ?? null,
  };
}
