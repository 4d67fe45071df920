import { minuteMs } from '#engine/market/durations.ts';
import { formatDuration } from '../ui/moment.ts';
import { parameterTitle } from '../ui/parameter-text.ts';

/** What a bot trades with, as far as it is known: what is missing is not said. */
export interface SettingsToRead {
  stoploss: number; // fraction, negative
  minimal_roi: Readonly<Record<string, number>>;
  trailing_stop: boolean;
  trailing_stop_positive?: number | null | undefined;
  trailing_stop_positive_offset?: number | undefined;
  leverage: number;
  parameters: Readonly<Record<string, number>>;
}

/** Settings in a line: 'stop -2%; ROI 1% from the start, 0% after 1h 0m; trailing stop 0.5% from 1% on; 3x; Fast Period 5'. */
export function settingsWords(settings: SettingsToRead): string {
  const { minimal_roi: roi, leverage, parameters } = settings;
  const steps = Object.entries(roi)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(
      ([minutes, ratio]) =>
        `${percent(ratio)} ${Number(minutes) === 0 ? 'from the start' : `after ${formatDuration(Number(minutes) * minuteMs)}`}`,
    );
  return [
    `stop ${percent(settings.stoploss)}`,
    steps.length === 0 ? 'no ROI' : `ROI ${steps.join(', ')}`,
    trailingWords(settings),
    ...(leverage === 1 ? [] : [`${leverage}x`]),
    ...Object.entries(parameters).map(([name, value]) => `${parameterTitle(name)} ${value}`),
  ].join('; ');
}

function trailingWords({
  trailing_stop: isOn,
  trailing_stop_positive: positive,
  trailing_stop_positive_offset: offset,
}: SettingsToRead): string {
  if (!isOn) return 'no trailing stop';
  const distance = positive === null || positive === undefined || positive === 0 ? '' : ` ${percent(positive)}`;
  return `trailing stop${distance}${offset === undefined || offset === 0 ? '' : ` from ${percent(offset)} on`}`;
}

function percent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(6))}%`;
}
