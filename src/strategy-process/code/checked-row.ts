import type { SignalRow } from '#engine/bot/event.ts';
import type { Nearness } from '#engine/strategy/nearness.ts';
import { StrategyError } from '../strategy-error.ts';
import { keptText } from './kept-text.ts';

const longestText = 255;
const mostValues = 6;

/** A row that came from a strategy process, as a bot may decide on it. Fails: StrategyError when it is none */
export function checkedRow(value: unknown): SignalRow {
  if (!isRow(value)) throw new StrategyError('The strategy’s process sent a row that nobody can read.');
  const { enterLong, exitLong, enterShort, exitShort, enterTag, exitTag, confidence, values, near } = keptText(value);
  return {
    enterLong,
    exitLong,
    enterShort,
    exitShort,
    enterTag,
    exitTag,
    confidence,
    ...(values === undefined ? {} : { values }),
    ...(near === undefined ? {} : { near }),
  };
}

function isRow(value: unknown): value is SignalRow {
  if (!isObject(value)) return false;
  const { enterLong, exitLong, enterShort, exitShort, enterTag, exitTag, confidence, values, near } = value;
  return (
    [enterLong, exitLong, enterShort, exitShort].every((flag) => typeof flag === 'boolean') &&
    [enterTag, exitTag].every((tag) => tag === null || isText(tag)) &&
    (confidence === null || Number.isFinite(confidence)) &&
    (values === undefined || isValues(values)) &&
    (near === undefined || (Array.isArray(near) && near.length <= mostValues && near.every(isNear)))
  );
}

function isValues(value: unknown): boolean {
  if (!isObject(value)) return false;
  const all = Object.entries(value);
  return all.length <= mostValues && all.every(([name, each]) => isText(name) && Number.isFinite(each));
}

function isNear(value: unknown): value is Nearness {
  if (!isObject(value)) return false;
  const { direction, name, value: measured, threshold, distance } = value;
  return (direction === 'long' || direction === 'short') && isText(name) && [measured, threshold, distance].every(Number.isFinite);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= longestText;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
