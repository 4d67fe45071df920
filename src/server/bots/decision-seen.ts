import type { DecidedOn, DecisionSeen } from '#contract/decisions.ts';
import type { ListedDecision, SeenWithDecision } from '#storage/bots/decision-list.ts';

/** What was seen with a decision, as answers have it. */
export function seenReply({ values, near, last, priceAge, numbers, limit, failure }: SeenWithDecision): { seen?: DecisionSeen } {
  const seen: DecisionSeen = {
    ...(values === null ? {} : { values }),
    ...(near === null ? {} : { near: { direction: near.direction, name: near.name, value: near.value, threshold: near.threshold } }),
    ...(last === null ? {} : { price: last }),
    ...(priceAge === null ? {} : { price_age_ms: priceAge }),
    ...(numbers === null ? {} : { numbers }),
    ...(limit === null ? {} : { limit }),
    ...(failure === null ? {} : { failure }),
  };
  return Object.keys(seen).length === 0 ? {} : { seen };
}

/** A decision that an order came of, as answers have it. */
export function decidedOnReply(decision: ListedDecision | null): DecidedOn | null {
  if (decision === null) return null;
  const { candleTime, tag, confidence, price, seen } = decision;
  return { candle_time: candleTime.toISOString(), tag, confidence, price, ...seenReply(seen) };
}
