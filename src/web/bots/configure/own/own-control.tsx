import { orderTypes, timesInForce } from '#contract/strategies.ts';
import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import { SelectBox } from '../../../ui/select-box.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Figure } from './figure.tsx';
import type { OwnEntries } from './own-entries.ts';
import type { OwnRow } from './own-rows.ts';
import { ParameterControl } from './parameter-control.tsx';
import { RoiControl } from './roi-control.tsx';

/** See `OwnControl`. */
export interface OwnControlProps {
  row: OwnRow;
  entries: OwnEntries;
  invalid: boolean;
  onChange: (changes: OwnEntries) => void;
}

/** Where the bot's own value of a setting is entered. */
export function OwnControl({ row, entries, invalid, onChange }: OwnControlProps) {
  const { name, title, kind } = row;
  const label = `Own ${title}`;
  const text = entries[name] ?? '';
  const set = (value: string) => onChange({ [name]: value });
  switch (kind) {
    case 'timeframe':
      return <SelectBox hideLabel label={label} options={strategyTimeframes} value={text} onChange={set} />;
    case 'order-type':
      return <SelectBox hideLabel label={label} options={orderTypes} value={text} onChange={set} />;
    case 'time-in-force':
      return <SelectBox hideLabel label={label} options={timesInForce} value={text} onChange={set} />;
    case 'percent':
      return <Figure label={label} unit="%" text={text} invalid={invalid} onChange={set} />;
    case 'number':
      return <Figure label={label} text={text} invalid={invalid} onChange={set} />;
    case 'trailing':
      return <TrailingControl entries={entries} invalid={invalid} onChange={onChange} />;
    case 'roi':
      return <RoiControl text={text} invalid={invalid} onChange={set} />;
    case 'parameter':
      return row.parameter === undefined ? null : (
        <ParameterControl label={label} parameter={row.parameter} text={text} invalid={invalid} onChange={set} />
      );
  }
}

function TrailingControl({ entries, invalid, onChange }: Omit<OwnControlProps, 'row'>) {
  const isOn = entries['trailing_stop'] === 'on';
  const figure = (name: string, label: string, placeholder: string) => (
    <label className="bot-own-part">
      <span>{label}</span>
      <Figure
        label={`Own Trailing Stop: ${label}`}
        unit="%"
        placeholder={placeholder}
        text={entries[name] ?? ''}
        invalid={invalid}
        onChange={(text) => onChange({ [name]: text })}
      />
    </label>
  );
  const toggle = (name: string, label: string) => (
    <Switch
      label={label}
      size="small"
      checked={entries[name] === 'on'}
      onChange={(checked) => onChange({ [name]: checked ? 'on' : 'off' })}
    />
  );
  return (
    <div className="bot-own-parts">
      {toggle('trailing_stop', 'Trail')}
      {isOn ? figure('trailing_stop_positive', 'Distance in profit', 'none') : null}
      {isOn ? figure('trailing_stop_positive_offset', 'From a profit of', '0') : null}
      {isOn ? toggle('trailing_only_offset_is_reached', 'Not below that profit') : null}
    </div>
  );
}
