import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Markets } from '#feeds/markets.ts';
import { expect, test } from 'vitest';
import { ExchangeAnswers } from './exchange-answers.ts';

test('an exchange is asked once in ten seconds, its two markets apart, and again after a clock that was ahead is set back', async () => {
  const asked: string[] = [];
  const markets = {
    market: async (_exchange: string, marketType: string) => {
      asked.push(marketType);
      if (marketType === 'futures') throw new Error('down');
      return { instruments: async () => [] };
    },
  } as unknown as Markets;
  const answers = new ExchangeAnswers(markets);
  const now = Date.now();
  const at = (ms: number, marketType: 'spot' | 'futures' = 'spot') => answers.answers('sandbox', marketType, now + ms);
  expect([await at(0), await at(9_999), await at(9_999, 'futures')]).toEqual([true, true, false]);
  expect(asked).toEqual(['spot', 'futures']);
  await at(hourMs);
  await at(minuteMs); // the clock was set back
  expect(asked).toEqual(['spot', 'futures', 'spot', 'spot']);
});
