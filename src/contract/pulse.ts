import { z } from 'zod';
import { alarmRoutes } from './alarms.ts';
import { differenceRoutes } from './differences.ts';
import { defineRoute } from './route.ts';
import { tradingStateRoutes } from './trading-states.ts';

/** The call that an open page repeats. */
export const pulseRoutes = {
  pulse: defineRoute({
    id: 'ADD-pulse',
    method: 'GET',
    path: '/pulse',
    summary: 'What every open page must know soon: alarms, the kill switch and differences, each as its own call answers it to the caller.',
    access: { who: 'all' },
    reply: z.object({
      alarms: alarmRoutes.listAlarms.reply,
      trading: tradingStateRoutes.getTradingState.reply,
      differences: differenceRoutes.listDifferences.reply,
    }),
    errors: {},
  }),
} as const;
