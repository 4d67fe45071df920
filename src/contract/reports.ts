import { z } from 'zod';
import type { ErrorTexts } from './errors.ts';
import { day, finite, mailsGoTo, moment, tradeModes } from './fields.ts';
import { defineRoute } from './route.ts';

/** The trades closed on one UTC day. */
export const report = z.object({
  total_trades: z.number().int(),
  net_pnl: finite,
  win_rate: finite,
  max_drawdown: finite,
  avg_stop_size: finite, // per cent of the entry price
  leaves_out: z.boolean().optional(), // trades in other currencies than dollars, whose profits are not added
  average_confidence: finite.optional(),
});

/** How many trades of a day are listed one by one, and how many points a curve has; the figures are of all. */
export const dayListLength = 1_000;

/** A day's trades in one mode: real and simulated money are not added. Money is that of trades in dollars. */
const dayInMode = z.object({
  mode: z.enum(tradeModes),
  figures: report,
  curve: z.array(z.object({ time: z.number(), pnl: finite })), // the profit so far, ms, after each trade
});

/** A trade that was closed on the day. */
const dayTrade = z.object({
  id: z.string(),
  closed_at: moment,
  mode: z.enum(tradeModes),
  bot: z.string(),
  symbol: z.string(),
  direction: z.enum(['long', 'short']),
  entry_price: finite.nullable(),
  exit_price: finite.nullable(),
  exit_reason: z.string().nullable(),
  pnl: finite,
  stake_currency: z.string(),
});

/** The UTC hour of the morning from which the report of the day before is mailed. */
export const reportMailHour = 6;

/** Whether the caller gets the report of each day by mail. */
const reportMail = z.object({ wanted: z.boolean(), goes_to: mailsGoTo });

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
  reportTrades: defineRoute({
    id: 'ADD-report-trades',
    method: 'GET',
    path: '/reports/{id}/trades',
    summary: 'The trades of a day by mode, and the newest of them one by one.',
    access: { who: 'all', bot: 'visible' },
    params: z.object({ id: day }),
    reply: z.object({ modes: z.array(dayInMode), trades: z.array(dayTrade) }),
    errors: reportTexts,
  }),
  getReportMail: defineRoute({
    id: 'ADD-report-mail',
    method: 'GET',
    path: '/report-mail',
    summary: 'Whether the caller gets the report of each day by mail, and where mails go.',
    access: { who: 'all' },
    reply: reportMail,
    errors: {},
  }),
  setReportMail: defineRoute({
    id: 'ADD-set-report-mail',
    method: 'POST',
    path: '/report-mail',
    summary: 'Switches the mail with the report of each day, sent to the caller the morning after, on or off.',
    access: { who: 'all' },
    body: z.strictObject({ wanted: z.boolean() }),
    reply: reportMail,
    errors: {},
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
