import { IconPlus, IconTrash } from '@tabler/icons-react';
import { Button } from '../ui/button.tsx';
import { ChoiceField } from './fields.tsx';
import type { ChoiceRow } from './strategy-fields.ts';

/** See `ChoiceRows`. */
export interface ChoiceRowsProps<Action extends string, Value extends string> {
  what: string; // e.g. 'order type'
  actions: readonly Action[];
  values: readonly Value[];
  rows: readonly ChoiceRow<Action, Value>[];
  readOnly: boolean;
  isBusy: boolean;
  onChange: (rows: readonly ChoiceRow<Action, Value>[]) => void;
}

/** Rows that each set a value for an action; an action has one row. */
export function ChoiceRows<Action extends string, Value extends string>(props: ChoiceRowsProps<Action, Value>) {
  const { what, actions, values, rows, readOnly, isBusy, onChange } = props;
  const change = (index: number, changes: Partial<ChoiceRow<Action, Value>>) =>
    onChange(rows.map((row, i) => (i === index ? { ...row, ...changes } : row)));
  const taken = new Set(rows.map(({ action }) => action));
  return (
    <>
      <ul className="strategy-rows">
        {rows.map(({ action, value }, index) => (
          <li key={index} className="strategy-choice">
            <ChoiceField
              label={`Action of ${what} ${index + 1}`}
              hideLabel
              value={action}
              options={actions.map((each) => ({ value: each, label: each, disabled: each !== action && taken.has(each) }))}
              readOnly={readOnly}
              disabled={isBusy}
              onChange={(chosen) => change(index, { action: chosen })}
            />
            <ChoiceField
              label={`Value of ${what} ${index + 1}`}
              hideLabel
              value={value}
              options={values}
              readOnly={readOnly}
              disabled={isBusy}
              onChange={(chosen) => change(index, { value: chosen })}
            />
            {readOnly || rows.length <= 1 ? null : (
              <Button
                variant="ghost"
                aria-label={`Remove ${what} ${index + 1}`}
                disabled={isBusy}
                onClick={() => onChange(rows.filter((_, i) => i !== index))}
              >
                <IconTrash size={14} aria-hidden />
              </Button>
            )}
          </li>
        ))}
      </ul>
      {readOnly ? null : (
        <div className="strategy-foot">
          <Button
            variant="secondary"
            size="small"
            icon={<IconPlus size={13} aria-hidden />}
            disabled={isBusy || rows.length >= actions.length}
            aria-label={`Add Row: ${what}`}
            onClick={() => onChange([...rows, { action: null, value: null }])}
          >
            Add Row
          </Button>
        </div>
      )}
    </>
  );
}
