import type { RulesDocument } from '#engine/rules/document.ts';

/** Rules that say nothing yet: what a person begins with who takes no template. */
export const emptyRules: RulesDocument = {
  version: 1,
  title: 'New rules',
  description: '',
  losesWhen: '',
  kind: 'trend',
  defaults: {
    timeframe: '5m',
    stoploss: -0.05,
    minimalRoi: { 0: 0.05 },
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {},
  guard: [],
  enterLong: [],
  exitLong: [],
  enterShort: [],
  exitShort: [],
  positionPlan: null,
};
