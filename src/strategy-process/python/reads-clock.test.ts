import { expect, test } from 'vitest';
import { readsClock } from './reads-clock.ts';

test.each([
  ['now = datetime.now(timezone.utc)', true],
  ['datetime.datetime.utcnow()', true],
  ['pd.Timestamp.now()', true],
  ['if date.today().weekday() == 4:', true],
  ['started = time.time()', true],
  ['arrow.utcnow()', true],
  ['dt_now()', true],
  ['dataframe["date"].dt.hour', false],
  ['def custom_exit(self, current_time, **words):', false],
  ['trade.date_last_filled_utc', false],
])('%s', (text, isRead) => {
  expect(readsClock({ 'Mine.py': text })).toBe(isRead);
});

test('the file of parameters is not text', () => expect(readsClock({ 'Mine.json': '{"note": "time.time()"}' })).toBe(false));
