import { randomUUID } from 'node:crypto';
import type { StrategyToEnter } from '../strategies/strategies.ts';

/** A strategy of rules to be added, with a name of its own for its class. A builder for tests. */
export function someRules(): StrategyToEnter {
  return {
    className: `Rules_${randomUUID()}`,
    name: 'Mine',
    description: '',
    supportedExchanges: ['sandbox'],
    defaultTimeframe: '5m',
    stoploss: -0.1,
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: null,
    trailingOnlyOffsetIsReached: false,
    minimalRoi: {},
    position: 2_000,
  };
}
