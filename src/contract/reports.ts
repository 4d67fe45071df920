import { z } from 'zod';
import type { ErrorTexts } from './errors.ts';
import { day, finite } from './fields.ts';
import { defineRoute } from './route.ts';

/** The trades closed on one UTC day. */
export const report = z.object({
  total_trades: z.number().int(),
  net_pnl: finite,
  win_rate: finite,
  max_drawdown: finite,
  avg_stop_size: finite, // per cent of the entry price
  average_confidence: finite.optional(),
});

const reportTexts: ErrorTexts = { 400: ['Invalid date'], 404: ['No report data available for the date.'] };

/** Calls about daily reports; {id} is the day. */
export const reportRoutes = {
  report: defineRoute({
    id: 'API-50',
    method: 'GET',
    path: '/reports/{id}',
    summary: 'The report of a day.',
    access: { who: 'all', bot: 'visible' },
    params: z.object({ id: day }),
    reply: report,
    errors: reportTexts,
  }),
  reportPdf: defineRoute({
    id: 'API-51',
    method: 'GET',
    path: '/reports/{id}/pdf',
    summary: 'The report of a day as a PDF file.',
    access: { who: 'all', bot: 'visible' },
    params: z.object({ id: day }),
    reply: z.unknown(),
    replyType: 'application/pdf',
    errors: reportTexts,
  }),
} as const;
