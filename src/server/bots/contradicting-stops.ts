import { trailingOffsetTooLow, trailingPositiveMissing } from '#contract/strategies.ts';
import { HttpError } from '../http/http-error.ts';

/** The trailing stop of a strategy or a bot. */
interface TrailingStop {
  trailingStop: boolean;
  trailingStopPositive: string | number | null;
  trailingStopPositiveOffset: string | number | null;
  trailingOnlyOffsetIsReached: boolean;
}

/** Fails for a trailing stop that the engine would refuse: every bot that has it would stand still. */
export function refuseContradictingStops(after: TrailingStop): void {
  if (!after.trailingStop) return;
  const positive = Number(after.trailingStopPositive ?? 0);
  const offset = Number(after.trailingStopPositiveOffset ?? 0);
  if (after.trailingOnlyOffsetIsReached && positive === 0) throw new HttpError(400, trailingPositiveMissing);
  if (positive > 0 && offset > 0 && offset <= positive) throw new HttpError(400, trailingOffsetTooLow);
}
