import type { CallReply } from '#contract/client.ts';

/** A parameter as a strategy declares it. */
export type Parameter = CallReply<'strategyDetails'>['parameters'][number];

/** The name of a parameter as a person reads it: 'fastPeriod' is 'Fast Period'. */
export function parameterTitle(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2').replace(/^./u, (first) => first.toUpperCase());
}

/** What a bot without a value of its own uses: '12 candles'; of a switch 'off'. */
export function defaultText(parameter: Parameter): string {
  if (parameter.unit === 'switch') return stateOf(parameter.default);
  return parameter.unit === '' ? String(parameter.default) : `${parameter.default} ${parameter.unit}`;
}

/** What it may be: 'Range 5 to 25 in steps of 1.'; of a switch nothing, because its meaning says it. */
export function rangeText({ unit, min, max, step }: Parameter): string {
  return unit === 'switch' ? '' : `Range ${min} to ${max} in steps of ${step}.`;
}

function stateOf(value: number): string {
  return value >= 0.5 ? 'on' : 'off';
}
