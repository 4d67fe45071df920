import { leverageModes } from '#contract/fields.ts';
import { SelectBox } from '../../../ui/select-box.tsx';
import { leftLeverage } from '../bot-entries.ts';
import type { FieldsProps } from './form-fields.ts';
import { wasOf } from './form-fields.ts';
import { NumberField } from './number-field.tsx';

/** How much more than its stake a trade moves, and how its margin is kept. */
export function LeverageSettings({ form, invalid }: FieldsProps) {
  const { entries, change, limits } = form;
  return (
    <fieldset className="bot-fields">
      <legend>Leverage and Margin</legend>
      <div data-field="leverage">
        <NumberField
          label="Leverage"
          unit="x"
          hint={
            wasOf(form, 'leverage') ??
            `${limits.leverage.min} to ${limits.leverage.max}${entries.marketType === 'spot' ? '; spot trades at 1x, whatever is set' : ''}`
          }
          invalid={invalid === 'leverage'}
          value={entries.leverage}
          onChange={(leverage) => change({ leverage })}
          onLeave={(text) => {
            const left = leftLeverage(text, limits);
            if (left !== text) change({ leverage: left });
          }}
        />
      </div>
      <div data-field="leverageMode">
        <SelectBox
          label="Leverage Mode"
          options={leverageModes}
          value={entries.leverageMode}
          onChange={(leverageMode) => change({ leverageMode })}
        />
      </div>
    </fieldset>
  );
}
