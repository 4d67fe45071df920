import { z } from 'zod';
import { texts } from './errors.ts';
import { day, finite, moment, oneOf, tradeModes } from './fields.ts';
import { defineRoute } from './route.ts';

/** By what profits can be put together. Weeks begin on Monday; days, weeks, months and years are UTC, of the exit. */
export const profitGroupings = ['bot', 'pair', 'strategy', 'version', 'tag', 'reason', 'account', 'day', 'week', 'month', 'year'] as const;

/** An exact decimal as text, e.g. '-0.25': a number of JSON would lose its last digits. */
const exact = z.string();

/** What some closed trades come to, all in one mode and one currency. */
const profitFigures = z.object({
  trades: z.number().int(),
  wins: z.number().int(),
  losses: z.number().int(),
  profit: exact, // realized, after fees and funding
  fees: exact,
  funding: exact, // positive was received
});

/** The closed trades of one mode in one currency: those of different modes or currencies are never added. */
const profitLedger = z.object({
  mode: z.enum(tradeModes),
  currency: z.string(),
  figures: profitFigures,
  unrealized: exact.nullable(), // what the open trades would bring now, whatever the range; null: not known of all
  open_trades: z.number().int(),
  days: z.array(profitFigures.extend({ day: z.string() })), // with a trade, oldest first
  groups: z.array(profitFigures.extend({ key: z.string(), name: z.string(), detail: z.string().nullable() })), // the highest profit first
});

const rangeUpsideDown = 'Start date must be before end date';
const badMonth = 'Month must be like 2026-11';
/** The refusal of a statement of a month that is to come. */
export const monthToCome = 'This month has not begun yet';

/** A UTC month, YYYY-MM. */
const month = z.string({ error: badMonth }).regex(/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/u, { error: badMonth });

/** The month of all bots in one mode and one currency; no bot, person or account is named. */
const fundLedger = z.object({
  mode: z.enum(tradeModes),
  currency: z.string(),
  start: exact, // what the bots that had traded were given, and what they had earned before the month
  added: exact, // given in the month: to bots whose first trade is of it, and by changes of the settings of others; may be less than 0
  profit: exact, // realized in the month, after fees and funding
  fees: exact,
  funding: exact,
  end: exact,
  returned: finite.nullable(), // profit as a fraction of the start and what bots were given in the month, also where others were left less; null without any
  trades: z.number().int(),
  wins: z.number().int(),
});

/** Calls about what closed trades came to. */
export const profitRoutes = {
  profits: defineRoute({
    id: 'ADD-profits',
    method: 'GET',
    path: '/profits',
    summary: 'What the trades closed in a range of UTC days came to, by day and by group, real and simulated money apart.',
    access: { who: 'all', bot: 'visible' },
    query: z
      .object({
        from: day.optional(),
        to: day.optional(),
        group: oneOf(profitGroupings, texts.invalidRequest).default('bot'),
      })
      .refine(({ from, to }) => from === undefined || to === undefined || from <= to, rangeUpsideDown),
    reply: z.object({ time: moment, ledgers: z.array(profitLedger) }), // real money first
    errors: { 400: [rangeUpsideDown, 'Invalid date'] },
  }),
  fundMonth: defineRoute({
    id: 'ADD-fund-month',
    method: 'GET',
    path: '/profits/fund',
    summary: 'What all bots had at the start of a UTC month, what it brought, and what they had at its end.',
    access: { who: ['admin', 'operator', 'investor'], denied: 'The month of the fund is for investors, operators and admins' },
    query: z.object({ month }),
    reply: z.object({ ledgers: z.array(fundLedger) }), // real money first
    errors: { 400: [badMonth, monthToCome] },
  }),
  profitStatement: defineRoute({
    id: 'ADD-profit-statement',
    method: 'GET',
    path: '/profits/statement',
    summary: "A month as a PDF file: for traders that of their own bots, for investors the fund's, without names.",
    access: { who: 'all', bot: 'visible' },
    query: z.object({ month }),
    reply: z.unknown(),
    replyType: 'application/pdf',
    errors: { 400: [badMonth, monthToCome] },
  }),
} as const;
