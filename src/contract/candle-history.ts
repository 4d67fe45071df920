import { z } from 'zod';
import { backtestDays, noRoomForCandles, tradingModes } from './backtests.ts';
import { requiredText, oneOf, unlessWrongType } from './fields.ts';
import { defineRoute } from './route.ts';
import { strategyTimeframes } from './strategy-timeframes.ts';

/** Days of candles that may be asked for, from a query. */
const days = z.coerce
  .number({ error: unlessWrongType('number', 'Invalid data period') })
  .refine((value) => backtestDays.some((offered) => offered === value), 'Invalid data period');

/** The call that gives candles for replays in the browser. */
export const candleHistoryRoutes = {
  candleHistory: defineRoute({
    id: 'ADD-candle-history',
    method: 'GET',
    path: '/candle-history',
    summary:
      'The closed candles of the last days of a market with 5,000 before them, its instrument and its funding, as `packHistory` packs them. What is missing is downloaded first, which may take minutes.',
    access: { who: 'all' },
    query: z.object({
      exchange: requiredText('Exchange is required', 100),
      symbol: requiredText('Symbol is required', 100),
      trading_mode: oneOf(tradingModes, 'Trading mode must be spot or futures'),
      timeframe: oneOf(strategyTimeframes, 'Invalid timeframe'),
      days,
    }),
    reply: z.unknown(),
    replyType: 'application/octet-stream',
    errors: {
      400: [
        'Exchange is required',
        'Symbol is required',
        'Trading mode must be spot or futures',
        'Invalid timeframe',
        'Invalid data period',
      ],
      404: ['Exchange not found', 'Trading pair not found'],
      502: ['Failed to download historical data', noRoomForCandles],
    },
  }),
} as const;
