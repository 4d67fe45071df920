import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { missingFunding, readFunding, writeFunding } from './funding.ts';

const { db } = await freshDatabase();
const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const series = (symbol: string) => ({ exchangeId: 'sandbox', symbol });
const events = (from: number, to: number, rate = -0.000_012_3) =>
  Array.from({ length: Math.ceil((to - from) / (8 * hour)) }, (_, i) => ({ time: from + i * 8 * hour, rate, mark: 96_000.123_456_78 + i }));

test('payments are read as they were received, to the last digit, oldest first', async () => {
  const received = events(start, start + 9000 * hour);
  await writeFunding(db, series('A'), { from: start, to: start + 9000 * hour }, received.toReversed());
  expect(await readFunding(db, series('A'), { from: start, to: start + 9000 * hour })).toEqual(received);
  expect(await readFunding(db, series('A'), { from: start + 8 * hour, to: start + 16 * hour })).toEqual([received[1]]);
  expect(await readFunding(db, series('B'), { from: start, to: start + 9000 * hour })).toEqual([]);
});

test('what was received is not asked for again, also when nothing was; the newer telling counts', async () => {
  const span = (from: number, to: number) => ({ from: start + from * hour, to: start + to * hour });
  await writeFunding(db, series('C'), span(0, 8), []);
  await writeFunding(db, series('C'), span(16, 24), events(start + 16 * hour, start + 24 * hour));
  expect(await missingFunding(db, series('C'), span(-2, 30))).toEqual([span(-2, 0), span(8, 16), span(24, 30)]);
  await writeFunding(db, series('C'), span(0, 24), events(start, start + 24 * hour, 0.0001));
  await writeFunding(db, series('C'), span(0, 24), events(start, start + 24 * hour, 0.0001));
  expect(await missingFunding(db, series('C'), span(0, 24))).toEqual([]);
  expect((await readFunding(db, series('C'), span(0, 24))).map(({ rate }) => rate)).toEqual([0.0001, 0.0001, 0.0001]);
});

test('a payment after what is certain is there, and its time is asked for again', async () => {
  const span = { from: start, to: start + 9 * hour };
  await writeFunding(db, series('E'), { from: start, to: start + 7 * hour }, events(start, start + 9 * hour));
  expect(await readFunding(db, series('E'), span)).toHaveLength(2);
  expect(await missingFunding(db, series('E'), span)).toEqual([{ from: start + 7 * hour, to: start + 9 * hour }]);
  await writeFunding(db, series('E'), { from: start + 7 * hour, to: start + 7 * hour }, events(start + 8 * hour, start + 9 * hour));
  expect(await missingFunding(db, series('E'), span)).toHaveLength(1);
});

test('nothing is kept of a telling that cannot be believed', async () => {
  const span = { from: start, to: start + 24 * hour };
  const good = { time: start, rate: 0.0001, mark: 100 };
  for (const broken of [{ rate: NaN }, { mark: 0 }, { mark: Infinity }, { time: start - 1 }])
    await expect(writeFunding(db, series('D'), span, [good, { ...good, time: start + hour, ...broken }])).rejects.toThrow('is not kept');
  expect(await missingFunding(db, series('D'), span)).toEqual([span]);
  expect(await readFunding(db, series('D'), span)).toEqual([]);
});

test('payments of a span that ends before it begins are kept, and nothing is certain of it', async () => {
  const received = events(start + 8 * hour, start + 9 * hour);
  await writeFunding(db, series('F'), { from: start + 8 * hour, to: start + 7 * hour }, received);
  const span = { from: start, to: start + 9 * hour };
  expect(await readFunding(db, series('F'), span)).toEqual(received);
  expect(await missingFunding(db, series('F'), span)).toEqual([span]);
});
