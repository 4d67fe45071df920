import type { CallbackName } from '#engine/strategy/callbacks.ts';
import { isTimeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { pairOf, seriesFault, seriesLimits } from '#engine/strategy/series.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';

/** What is wrong with a value that is to be a strategy: one sentence each; none when it can be run. */
export function strategyFaults(value: unknown): string[] {
  if (!isObject(value)) return ['the export must be a strategy, an object with "name", "defaults" and "compute" among others.'];
  const faults: string[] = [];
  const need = (isRight: boolean, sentence: string): void => {
    if (!isRight) faults.push(sentence);
  };
  need(typeof value['name'] === 'string' && value['name'] !== '', '"name" must be a text.');
  need(typeof value['compute'] === 'function', '"compute" must be a function of candles and parameters.');
  need(typeof value['canShort'] === 'boolean', '"canShort" must be true or false.');
  need(isCount(value['startupCandles']), '"startupCandles" must be a whole number of at least 0.');
  need(isObject(value['parameters']), '"parameters" must be an object; {} when there are none.');
  for (const [name, parameter] of Object.entries(isObject(value['parameters']) ? value['parameters'] : {})) {
    need(isObject(parameter) && isNumber(parameter['default']), `the parameter "${name}" must have a number as its "default".`);
  }
  const { defaults, callbacks, series } = value;
  if (!isObject(defaults)) need(false, '"defaults" must be an object with "timeframe", "stoploss" and "minimalRoi".');
  else {
    need(
      typeof defaults['timeframe'] === 'string' && isTimeframe(defaults['timeframe']),
      `"defaults.timeframe" must be one of ${Object.keys(timeframeLengths).join(', ')}.`,
    );
    need(isNumber(defaults['stoploss']), '"defaults.stoploss" must be a fraction such as -0.1.');
    need(isRoi(defaults['minimalRoi']), '"defaults.minimalRoi" must map minutes to ratios; {} is none.');
    for (const name of ['trailingStop', 'trailingOnlyOffsetIsReached'])
      need(['boolean', 'undefined'].includes(typeof defaults[name]), `"defaults.${name}" must be true or false.`);
    for (const name of ['trailingStopPositive', 'trailingStopPositiveOffset'])
      need(
        defaults[name] === undefined || defaults[name] === null || isNumber(defaults[name]),
        `"defaults.${name}" must be a fraction such as 0.02.`,
      );
  }
  if ('otherPairs' in value) need(false, '"otherPairs" is said as "series": [{ symbol: \'BTC/USDT\' }].');
  if (series !== undefined) {
    if (!Array.isArray(series)) need(false, "\"series\" must be a list such as [{ timeframe: '1h' }, { symbol: 'BTC/USDT' }].");
    else {
      need(series.length <= seriesLimits.series, `"series" may have ${seriesLimits.series} entries at most, and has ${series.length}.`);
      faults.push(...series.flatMap((each, i) => seriesFaults(each, i + 1)));
    }
    if (faults.length === 0) {
      const strategy = value as unknown as Pick<Strategy, 'name' | 'series' | 'startupCandles' | 'defaults'>;
      const fault = seriesFault(strategy, strategy.defaults.timeframe);
      need(fault === null, `"series": ${fault}`);
    }
  }
  if (callbacks !== undefined) {
    if (!isObject(callbacks)) need(false, '"callbacks" must be an object of functions.');
    else for (const name of Object.keys(callbacks)) need(isCallback(name, callbacks[name]), callbackFault(name));
  }
  return faults;
}

/** What is wrong with the entry of this number, from 1 on. */
function seriesFaults(value: unknown, number: number): string[] {
  const where = `"series", entry ${number}`;
  if (!isObject(value)) return [`${where} must be an object with "symbol", "timeframe" or both.`];
  const { symbol, timeframe, startupCandles } = value;
  const unknown = Object.keys(value).find((name) => !['symbol', 'timeframe', 'startupCandles'].includes(name));
  const faults: string[] = [];
  if (unknown !== undefined)
    faults.push(`${where} has "${unknown}", which is not known; there are "symbol", "timeframe" and "startupCandles".`);
  if (symbol === undefined && timeframe === undefined) faults.push(`${where} needs a "symbol" or a "timeframe".`);
  if (
    symbol !== undefined &&
    !(typeof symbol === 'string' && /^[^/:\s]{1,40}\/[^/:\s]{1,40}(?::[^/:\s]{1,40})?$/u.test(pairOf(symbol, 'A/B:B')))
  )
    faults.push(
      `${where}: "symbol" must be a pair such as BTC/USDT, or made of the traded one, such as {base}/BTC or BTC/{quote}:{settle}.`,
    );
  if (timeframe !== undefined && !(typeof timeframe === 'string' && isTimeframe(timeframe)))
    faults.push(`${where}: "timeframe" must be one of ${Object.keys(timeframeLengths).join(', ')}.`);
  if (startupCandles !== undefined && !isCount(startupCandles))
    faults.push(`${where}: "startupCandles" must be a whole number of at least 0.`);
  return faults;
}

/** The callbacks a strategy may have, and what each gives back. */
export const callbackResults = {
  leverage: 'number',
  stake: 'number',
  entryPrice: 'number or null',
  exitPrice: 'number or null',
  roi: 'number or null',
  adjustPosition: 'number, { stake, tag } or null',
  adjustOrderPrice: 'number or null',
  customStop: 'number or null',
  customExit: 'text or null',
  confirmEntry: 'boolean',
  confirmExit: 'boolean',
  isTimedOut: 'boolean',
  orderFilled: 'nothing',
  loopStart: 'nothing',
} as const satisfies Record<CallbackName, string>;

function isCallback(name: string, value: unknown): boolean {
  return name === 'stopAfterFill' ? typeof value === 'boolean' : Object.hasOwn(callbackResults, name) && typeof value === 'function';
}

function callbackFault(name: string): string {
  if (name === 'stopAfterFill') return '"callbacks.stopAfterFill" must be true or false.';
  if (Object.hasOwn(callbackResults, name)) return `"callbacks.${name}" must be a function.`;
  return `there is no callback "${name}"; the callbacks are ${Object.keys(callbackResults).join(', ')}.`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isRoi(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([minutes, ratio]) => /^\d{1,7}$/u.test(minutes) && isNumber(ratio));
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}
