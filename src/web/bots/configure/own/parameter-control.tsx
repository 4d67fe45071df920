import { isParameterValue } from '#engine/strategy/effective-parameters.ts';
import type { Parameter } from '../../../ui/parameter-text.ts';
import { Switch } from '../../../ui/switch.tsx';
import { Figure } from './figure.tsx';
import { nearest } from './nearest.ts';

/** See `ParameterControl`. */
export interface ParameterControlProps {
  label: string;
  parameter: Parameter;
  text: string;
  invalid: boolean;
  onChange: (text: string) => void;
}

/** The bot's own value of a parameter: a field and a slider, or a switch. */
export function ParameterControl({ label, parameter, text, invalid, onChange }: ParameterControlProps) {
  const { min, max, step, unit } = parameter;
  if (unit === 'switch')
    return <Switch label={label} size="small" checked={Number(text) >= 0.5} onChange={(checked) => onChange(checked ? '1' : '0')} />;
  const value = text === '' ? Number.NaN : Number(text);
  return (
    <div className="bot-own-parameter">
      <Figure
        label={label}
        text={text}
        invalid={invalid || !isParameterValue(parameter, value)}
        onChange={onChange}
        onLeave={() => onChange(String(nearest(parameter, value)))}
      />
      <input
        type="range"
        aria-label={`${label}, slider`}
        min={min}
        max={max}
        step={step}
        value={Number.isNaN(value) ? parameter.default : value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
