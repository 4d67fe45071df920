import { Textarea, TextInput } from '@mantine/core';
import { SelectBox } from '../ui/select-box.tsx';
import { Switch } from '../ui/switch.tsx';
import type { FormPart } from './form-part.ts';
import { fieldNames, fieldText } from './strategy-draft.ts';
import type { FieldName, StrategyFields } from './strategy-fields.ts';

type NamesOf<T> = { [Name in FieldName]: StrategyFields[Name] extends T ? Name : never }[FieldName];

/** See `TextField`. */
export interface TextFieldProps {
  part: FormPart;
  name: Exclude<NamesOf<string>, 'default_timeframe'>;
  hint?: string;
  unit?: string;
  placeholder?: string;
  isLong?: boolean; // several lines
  toTyped?: (text: string) => string; // what is left of what was typed
  toShown?: (text: string) => string; // how it is written when the field is left
}

/** A field of text or a figure; while it has a pending change, what is stored stands below it. */
export function TextField({ part, name, hint = '', unit, placeholder = '', isLong = false, toTyped, toShown }: TextFieldProps) {
  const { shown, readOnly, isBusy, issue, onChange } = part;
  const Input = isLong ? Textarea : TextInput;
  return (
    <Input
      size="xs"
      label={fieldNames[name]}
      value={shown[name]}
      placeholder={placeholder}
      readOnly={readOnly}
      disabled={isBusy}
      className="strategy-field"
      wrapperProps={{ 'data-changed': part.changed.has(name) || undefined }}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={wasText(part, name) ?? hint}
      error={issue?.field === name ? issue.text : null}
      {...(unit === undefined ? {} : { rightSection: <span className="strategy-unit">{unit}</span> })}
      {...(isLong ? { autosize: true, minRows: 1 } : {})}
      onChange={(event: { currentTarget: { value: string } }) =>
        onChange(name, toTyped?.(event.currentTarget.value) ?? event.currentTarget.value)
      }
      onBlur={() => {
        const text = toShown?.(shown[name]) ?? shown[name];
        if (!readOnly && text !== shown[name]) onChange(name, text);
      }}
    />
  );
}

/** One of several words; read only, it is text. */
export function ChoiceField<Value extends string>(props: {
  label: string;
  value: Value | null;
  options: readonly (Value | { value: Value; label: string; disabled?: boolean })[];
  hideLabel?: boolean;
  readOnly: boolean;
  disabled: boolean;
  onChange: (value: Value) => void;
}) {
  const { label, value, options, hideLabel = false, readOnly, disabled, onChange } = props;
  if (readOnly) return <TextInput {...(hideLabel ? { 'aria-label': label } : { label })} value={value ?? ''} readOnly />;
  return <SelectBox label={label} hideLabel={hideLabel} value={value} options={options} disabled={disabled} onChange={onChange} />;
}

/** A field that is on or off. */
export function SwitchField({ part, name, hint }: { part: FormPart; name: NamesOf<boolean>; hint: string }) {
  return (
    <div className="strategy-switch">
      <Switch
        label={fieldNames[name]}
        checked={part.shown[name]}
        disabled={part.readOnly || part.isBusy}
        onChange={(checked) => part.onChange(name, checked)}
      />
      <p className="strategy-hint">{wasText(part, name) ?? (part.readOnly ? `${part.shown[name] ? 'On' : 'Off'}. ${hint}` : hint)}</p>
    </div>
  );
}

/** 'was 2.00%' for a field with a pending change. */
export function wasText({ changed, loaded }: FormPart, name: FieldName): string | null {
  if (!changed.has(name)) return null;
  return `was ${fieldText(name, loaded)}`;
}
