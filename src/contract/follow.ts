import { z } from 'zod';
import { candlesQuery, chartRoutes, needsBotAndSymbol } from './chart.ts';
import { asksExchange, joinTexts } from './errors.ts';
import { pulseRoutes } from './pulse.ts';
import { defineRoute } from './route.ts';
import { systemRoutes } from './system.ts';

/** The call that an open Status page holds. */
export const followRoutes = {
  followStatus: defineRoute({
    id: 'ADD-follow',
    method: 'GET',
    path: '/status/follow',
    summary:
      'What an open Status page shows, line by line for some minutes: every two seconds what has changed of the chart, every ten the live state and the pulse, each as its own call answers it to the caller. A line without anything says that nothing has changed.',
    access: { who: 'all', bot: 'visible' },
    query: candlesQuery.omit({ before: true }),
    reply: z.object({
      chart: chartRoutes.chartCandles.reply.optional(),
      live: systemRoutes.liveStatus.reply.optional(),
      pulse: pulseRoutes.pulse.reply.optional(),
    }),
    replyType: 'application/x-ndjson',
    errors: joinTexts(needsBotAndSymbol, asksExchange),
  }),
} as const;
