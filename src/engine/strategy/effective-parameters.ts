import type { ParameterValues, Strategy, StrategyParameter } from './strategy.ts';
import { defaultParameters } from './strategy.ts';

/** Whether a parameter may have this value: within its range, on one of its steps. */
export function isParameterValue({ min, max, step }: StrategyParameter, value: number): boolean {
  if (!(value >= min && value <= max)) return false;
  const steps = (value - min) / step;
  return Math.abs(steps - Math.round(steps)) < 1e-6; // 0.1 + 0.2 is a step of 0.1
}

/**
 * The values a strategy is computed with: those of the bot where it has some, else the strategy's. What a bot has of a parameter that
 * the strategy no longer declares, or no longer allows, is named in `ignored` and inherited.
 */
export function effectiveParameters(
  strategy: Pick<Strategy, 'parameters'>,
  own: Readonly<Record<string, number>> = {},
): { values: ParameterValues; ignored: string[] } {
  const values: Record<string, number> = { ...defaultParameters(strategy) };
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(own)) {
    const declared = Object.hasOwn(strategy.parameters, name) ? strategy.parameters[name] : undefined;
    if (declared !== undefined && isParameterValue(declared, value)) values[name] = value;
    else ignored.push(name);
  }
  return { values, ignored };
}
