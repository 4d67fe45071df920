import { TextInput } from '@mantine/core';
import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { ChoiceField, TextField, wasText } from './fields.tsx';
import type { FormPart } from './form-part.ts';

/** What the strategy is called, and where it may trade. `className` is null where it has none that people know it by. */
export function InformationSection({ part, className }: { part: FormPart; className: string | null }) {
  const { shown, readOnly, isBusy, onChange } = part;
  return (
    <CardPanel title="Strategy Information">
      <div className="strategy-grid">
        <TextField part={part} name="name" />
        {className !== null && <TextInput label="Strategy Class Name" value={className} readOnly className="strategy-fixed" />}
        <div>
          <ChoiceField
            label="Default Timeframe"
            value={shown.default_timeframe}
            options={strategyTimeframes}
            readOnly={readOnly}
            disabled={isBusy}
            onChange={(value) => onChange('default_timeframe', value)}
          />
          <p className="strategy-hint">{wasText(part, 'default_timeframe')}</p>
        </div>
        <div className="strategy-wide">
          <TextField part={part} name="description" isLong />
        </div>
        <div className="strategy-wide">
          <TextField part={part} name="supported_exchanges" hint="Exchange ids, separated by commas" />
        </div>
      </div>
    </CardPanel>
  );
}
