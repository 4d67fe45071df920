import { trailingContradiction } from '#contract/own-settings.ts';
import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import type { RulesFault } from '#engine/rules/faults.ts';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { memo } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { formatRatio } from '../../../ui/ratio.ts';
import { SelectBox } from '../../../ui/select-box.tsx';
import { Switch } from '../../../ui/switch.tsx';
import type { DocumentChange } from '../edit/changes.ts';
import { NumberField } from './amount-field.tsx';
import type { EditRules } from './rules-editor.ts';

/** See `SettingsPanel`. */
export interface SettingsPanelProps extends Pick<RulesDocument, 'defaults'> {
  faults: readonly string[]; // of the settings
  changes: readonly DocumentChange[]; // of the settings
  readOnly: boolean;
  edit: EditRules;
}

/** The settings that the rules suggest: a new strategy begins with them, and the backtest beside the editor goes by them. */
export const SettingsPanel = memo(function SettingsPanel({ defaults, faults, changes, readOnly, edit }: SettingsPanelProps) {
  const set = <Name extends keyof typeof defaults>(name: Name, value: (typeof defaults)[Name]) =>
    edit((document) => ({ ...document, defaults: { ...document.defaults, [name]: value } }), `defaults.${name}`);
  return (
    <CardPanel title="Suggested settings" aside="what a new bot begins with" flush>
      <div className="rules-settings">
        <SelectBox
          label="Timeframe"
          options={strategyTimeframes}
          value={strategyTimeframes.find((each) => each === defaults.timeframe) ?? null}
          placeholder={defaults.timeframe}
          disabled={readOnly}
          onChange={(timeframe) => set('timeframe', timeframe)}
        />
        <NumberField
          label="Stop loss, below the entry"
          isRatio
          least={0}
          step={0.5}
          value={-defaults.stoploss}
          disabled={readOnly}
          onChange={(stop) => {
            if (stop > 0 && stop < 1) set('stoploss', -stop);
          }}
        />
        <Roi defaults={defaults} readOnly={readOnly} edit={edit} />
        <div className="rules-trailing">
          {readOnly ? (
            <span className="rules-label">Trailing stop: {defaults.trailingStop ? 'on' : 'off'}</span>
          ) : (
            <Switch label="Trailing stop" checked={defaults.trailingStop} onChange={(isOn) => set('trailingStop', isOn)} />
          )}
          {defaults.trailingStop ? (
            <>
              <NumberField
                label="Distance in profit"
                isRatio
                least={0}
                step={0.1}
                value={defaults.trailingStopPositive ?? 0}
                disabled={readOnly}
                onChange={(ratio) => set('trailingStopPositive', ratio > 0 && ratio < 1 ? ratio : null)}
              />
              <NumberField
                label="From a profit of"
                isRatio
                least={0}
                step={0.1}
                value={defaults.trailingStopPositiveOffset}
                disabled={readOnly}
                onChange={(ratio) => {
                  if (ratio < 1) set('trailingStopPositiveOffset', ratio);
                }}
              />
              {readOnly ? (
                <span className="rules-label">
                  {defaults.trailingOnlyOffsetIsReached ? 'Only above that profit' : 'Closer above that profit'}
                </span>
              ) : (
                <Switch
                  label="Only above that profit"
                  checked={defaults.trailingOnlyOffsetIsReached}
                  onChange={(isOn) => set('trailingOnlyOffsetIsReached', isOn)}
                />
              )}
            </>
          ) : null}
        </div>
        {faults.map((fault) => (
          <p key={fault} className="rules-fault rules-all" role="alert">
            {fault}
          </p>
        ))}
        {changes.map(({ name, from }) => (
          <p key={name} className="rules-was rules-all">
            {name} was {from}
          </p>
        ))}
      </div>
    </CardPanel>
  );
});

/** The most entries that the form of a document takes. */
const mostEntries = 10;

function Roi({ defaults, readOnly, edit }: Pick<SettingsPanelProps, 'defaults' | 'readOnly' | 'edit'>) {
  const entries = Object.entries(defaults.minimalRoi).map(([minutes, ratio]) => ({ minutes: Number(minutes), ratio }));
  const set = (next: readonly { minutes: number; ratio: number }[], place: string) =>
    edit(
      (document) => ({
        ...document,
        defaults: { ...document.defaults, minimalRoi: Object.fromEntries(next.map(({ minutes, ratio }) => [minutes, ratio])) },
      }),
      `defaults.minimalRoi ${place}`,
    );
  const last = entries.at(-1);
  return (
    <div className="rules-roi" role="group" aria-label="Minimal ROI">
      <span className="rules-label">Minimal ROI: leave at this profit after so many minutes</span>
      {entries.length === 0 ? <span className="rules-dim">none</span> : null}
      {entries.map((entry, i) => (
        <div key={entry.minutes} className="rules-roi-row">
          {readOnly ? (
            <span className="fl-number">
              {formatRatio(entry.ratio, 2)} after {entry.minutes} min
            </span>
          ) : (
            <>
              <NumberField
                label={`Profit of ROI entry ${i + 1}`}
                hideLabel
                isRatio
                step={0.5}
                value={entry.ratio}
                onChange={(ratio) => set(entries.with(i, { ...entry, ratio }), `${i} ratio`)}
              />
              <span>after</span>
              <NumberField
                label={`Minutes of ROI entry ${i + 1}`}
                hideLabel
                isWhole
                least={0}
                value={entry.minutes}
                onChange={(minutes) => {
                  // Two entries of the same minute would be one.
                  if (!entries.some((other, at) => at !== i && other.minutes === minutes))
                    set(entries.with(i, { ...entry, minutes }), `${i} minutes`);
                }}
              />
              <span>min</span>
              <Button
                variant="ghost"
                size="small"
                aria-label={`Remove ROI entry ${i + 1}`}
                onClick={() => set(entries.toSpliced(i, 1), 'removed')}
              >
                <IconTrash size={13} aria-hidden />
              </Button>
            </>
          )}
        </div>
      ))}
      {readOnly || entries.length >= mostEntries ? null : (
        <Button
          variant="ghost"
          size="small"
          icon={<IconPlus size={13} aria-hidden />}
          aria-label="Add ROI entry"
          onClick={() =>
            set([...entries, last === undefined ? { minutes: 0, ratio: 0.02 } : { minutes: last.minutes + 60, ratio: last.ratio }], 'added')
          }
        >
          Entry
        </Button>
      )}
    </div>
  );
}

/** What the server would refuse of the suggested settings, beyond the faults of a document. */
export function settingFaults({ defaults }: RulesDocument): RulesFault[] {
  const contradiction = trailingContradiction({
    trailing_stop: defaults.trailingStop,
    trailing_stop_positive: defaults.trailingStopPositive ?? 0,
    trailing_stop_positive_offset: defaults.trailingStopPositiveOffset,
    trailing_only_offset_is_reached: defaults.trailingOnlyOffsetIsReached,
  });
  const isOffered = strategyTimeframes.some((each) => each === defaults.timeframe);
  return [
    ...(isOffered ? [] : [{ path: 'defaults', sentence: `Candles of ${defaults.timeframe} are not offered: choose another timeframe.` }]),
    ...(contradiction === null ? [] : [{ path: 'defaults', sentence: contradiction }]),
  ];
}
