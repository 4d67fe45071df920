import { withChanges } from '#engine/lab/what-if/changes.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { WhatIfSetup } from './replay/messages.ts';
import { changesOf, type Turned } from './slider-list.ts';

/** Settings that were turned, to be looked at and saved in the form of a bot. */
export interface TurnedSettings {
  setup: WhatIfSetup;
  settings: TradingSettings; // all of them, with what was turned
  parameters: ParameterValues; // the same
  names: readonly string[]; // keys of what was turned
}

/** Opens the form of the bot of a setup, or of a new one, filled in with what was turned. Fails: as the call that loads the bot */
export type UseForBot = (turned: TurnedSettings) => Promise<void>;

/** What was turned in a setup; null while it contradicts itself. */
export function turnedSettings(setup: WhatIfSetup, turned: Turned): TurnedSettings | null {
  const declared = Object.fromEntries(setup.declared.map(({ name, ...parameter }) => [name, parameter]));
  const real = {
    settings: setup.settings as unknown as TradingSettings, // as the engine of the server has made it
    parameters: setup.parameters,
    declared,
    capital: setup.own_capital ? ('own' as const) : ('stake-times-slots' as const),
  };
  const changed = withChanges(real, changesOf(turned));
  return changed.ok ? { setup, settings: changed.settings, parameters: changed.parameters, names: Object.keys(turned) } : null;
}
