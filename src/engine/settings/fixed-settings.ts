import type { SettingsInput } from './normalise-settings.ts';

/** How trades are made as a strategy itself fixes it: nobody sets these, and what is left out has its default. */
export type FixedSettings = Pick<
  SettingsInput,
  | 'useExitSignal'
  | 'exitProfitOnly'
  | 'exitProfitOffset'
  | 'ignoreRoiIfEntrySignal'
  | 'ignoreExpiredAfterMs'
  | 'maxEntryAdjustments'
  | 'unfilledTimeout'
  | 'protections'
>;
