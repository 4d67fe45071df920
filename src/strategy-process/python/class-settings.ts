import type { FixedSettings } from '#engine/settings/fixed-settings.ts';
import type { Protection } from '#engine/settings/protection.ts';
import { ConfigReader } from '../words/config-reader.ts';
import { protectionsOf } from '../words/protections-of.ts';
import type { PythonDescription } from './python-questions.ts';

/**
 * What a class says of how its trades are made, besides what people may set: the settings of a bot have that much of it whatever they are.
 * What it does not say is left out.
 */
export function classSettings({ words, protections }: Pick<PythonDescription, 'words' | 'protections'>): {
  settings: FixedSettings;
  faults: string[];
} {
  const reader = new ConfigReader(words);
  const timeout = reader.section('unfilledtimeout');
  const unit = timeout?.choice('unit', ['minutes', 'seconds']) === 'seconds' ? 1_000 : 60_000;
  const [entry, exit] = [timeout?.number('entry'), timeout?.number('exit')];
  const expired = reader.number('ignore_buying_expired_candle_after');
  const found = new ConfigReader({ protections });
  const guards: Protection[] = protectionsOf(found.sections('protections') ?? []);
  const settings = {
    useExitSignal: reader.boolean('use_exit_signal'),
    exitProfitOnly: reader.boolean('exit_profit_only'),
    exitProfitOffset: reader.number('exit_profit_offset'),
    ignoreRoiIfEntrySignal: reader.boolean('ignore_roi_if_entry_signal'),
    ignoreExpiredAfterMs: expired === undefined ? undefined : expired * 1_000,
    maxEntryAdjustments: reader.number('max_entry_position_adjustment'),
    unfilledTimeout: entry === undefined || exit === undefined ? undefined : { entryMs: entry * unit, exitMs: exit * unit },
    protections: guards.length === 0 ? undefined : guards,
  };
  return { settings: given(settings), faults: [...reader.faults, ...found.faults] };
}

function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
