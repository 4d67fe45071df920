import { z } from 'zod';
import { texts } from './errors.ts';

/** The roles of an account. */
export const roles = ['investor', 'trader', 'operator', 'admin'] as const;

/** What an account may do. */
export type Role = (typeof roles)[number];

/** The states of a bot: trading, managing open trades only, doing nothing. */
export const botStatuses = ['active', 'paused', 'stopped'] as const;

/** The modes of a bot: simulated orders, real orders. */
export const botModes = ['paper', 'live'] as const;

/** How the margin of a position is kept. */
export const leverageModes = ['isolated', 'cross'] as const;

/** How a trade was made: simulated, real, or real on a test network. */
export const tradeModes = ['paper', 'live', 'testnet'] as const;

/** The programs whose closed trades can be imported. */
export const importSources = ['freqtrade'] as const;

/** The states of a trade. */
export const tradeStatuses = ['open', 'closed', 'cancelled', 'failed'] as const;

/** The windows of the profit and loss chart. */
export const pnlRanges = ['daily', 'weekly', 'monthly', 'yearly'] as const;

/**
 * Text that must be present: absent or blank gives `message`; another type, or more than `longest` characters, the
 * general text. A text that is too long is checked no further, so that no check ever works on a long text.
 */
export function requiredText(message: string, longest = 4_000): z.ZodString {
  return z
    .string({ error: (issue) => (issue.input === undefined || issue.input === null ? message : texts.invalidRequest) })
    .max(longest, { error: texts.invalidRequest, abort: true })
    .regex(/\S/u, { error: message, abort: true });
}

/**
 * Text that may be empty, of at most `longest` characters; a longer one gives `message` and is checked no further. Another type gives
 * the general text.
 */
export function shortText(longest: number, message: string = texts.invalidRequest): z.ZodString {
  return z
    .string({ error: ({ input }) => (input === undefined ? message : texts.invalidRequest) })
    .max(longest, { error: message, abort: true });
}

/** What a name must not hold: what breaks a line, and what turns the direction of writing round. Chats and mails show names as they are. */
const unprintable = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Whether a text stays on its line and is read as it is written. */
export function isOneLine(text: string): boolean {
  return !unprintable.test(text);
}

/**
 * The text for a field: `message` where it is missing or has a value that is not allowed, the general text where it has
 * another type than `type` ([G] of the call table).
 */
export function unlessWrongType(
  type: 'string' | 'number' | 'boolean' | 'list' | 'table',
  message: string,
): (issue: { input?: unknown }) => string {
  return ({ input }) => (input === undefined || input === null || typeName(input) === type ? message : texts.invalidRequest);
}

function typeName(input: unknown): string {
  if (Array.isArray(input)) return 'list';
  return typeof input === 'object' ? 'table' : typeof input;
}

/**
 * The stake of a trade, in stake currency. At most 1e15: fifty such trades with a leverage of 125 still fit the columns
 * of the database; at least 1e-8: a smaller stake would be rounded to nothing.
 */
export const stakeAmount = z
  .number({ error: unlessWrongType('number', 'Stake amount must be positive') })
  .gte(1e-8, { error: 'Stake amount must be positive', abort: true })
  .lte(1e15, { error: texts.invalidRequest, abort: true });

/** One of the given words, else `message`; another type than text gives the general text. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words, message: string) {
  return z.enum(words, { error: unlessWrongType('string', message) });
}

/** An id of a user, bot, trade or strategy. */
export const id = z.uuid({ error: texts.invalidRequest });

/** A UTC day, YYYY-MM-DD. The calendar of the database has no year 0. */
export const day = z.iso
  .date({ error: unlessWrongType('string', 'Invalid date') })
  .refine((text) => !text.startsWith('0000'), 'Invalid date');

/** A moment, ISO 8601 in UTC. */
export const moment = z.iso.datetime();

/** A moment in ms since the epoch. */
export const momentMs = z.number().int();

/** A finite number. */
export const finite = z.number();

/**
 * When a price was last known to be current, by the server's clock. While its source sends prices that is the moment of the
 * answer; when the source is silent `price_age_ms` is the time since its last one.
 */
export const pricedAt = { price_time: momentMs.optional(), price_age_ms: finite.optional() };

/** Fields of a query that asks about one bot and one of its symbols. */
export const botAndSymbol = z.object({
  bot_id: requiredText('bot_id is required').pipe(id),
  symbol: requiredText('symbol is required'),
});

/** Where mails go; files: no mail server is configured. */
export const mailsGoTo = z.enum(['server', 'files']);
