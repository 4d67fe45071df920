import { minuteMs } from '#engine/market/durations.ts';
import type { QuietUntil } from '#storage/channels/channel-outbox.ts';

/**
 * When the quiet hours of a channel end; null when there are none now. Minutes are counted by the clock of its time zone, so that a
 * change to summer time moves neither end.
 */
export const quietUntil: QuietUntil = ({ quietFrom, quietUntil: end, quietZone }, now) => {
  if (quietFrom === null || end === null) return null;
  const clock = clockOf(quietZone);
  const isQuiet = (time: Date): boolean => {
    const minute = minuteOfDay(clock, time);
    return quietFrom < end ? minute >= quietFrom && minute < end : minute >= quietFrom || minute < end;
  };
  if (!isQuiet(now)) return null;
  let time = new Date(Math.floor(now.getTime() / minuteMs) * minuteMs);
  while (isQuiet(time)) time = new Date(time.getTime() + minuteMs);
  return time;
};

/** Minutes of the day as a time of day, e.g. 1320 as '22:00'. */
export function timeOfMinute(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

/** A time of day as minutes of the day. */
export function minuteOfTime(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  clocks.set(zone, clock); // there are some hundred zones
  return clock;
}

function minuteOfDay(clock: Intl.DateTimeFormat, time: Date): number {
  return minuteOfTime(clock.format(time));
}
