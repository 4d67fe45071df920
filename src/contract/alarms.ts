import { z } from 'zod';
import { id, moment } from './fields.ts';
import { defineRoute } from './route.ts';
import { tradingLevels } from './trading-states.ts';

/** Why an alarm cannot be acknowledged. */
const alarmNotFound = 'Alarm not found';

/** An open alarm: it ends by itself when its cause is gone, or, where something has happened, when it is acknowledged. */
const alarm = z.object({
  id: z.string(),
  kind: z.string(), // e.g. 'limit-reached'
  level: z.enum(tradingLevels),
  target_id: z.string().nullable(), // of the user or bot
  title: z.string(),
  what: z.string(), // what is known of it, a sentence
  count: z.number().int(), // how often it has happened; `listAlarmItems` lists the times
  advice: z.string(), // what to do
  owner: z.string().nullable(), // email; null: the server's, or the caller's own
  raised_at: moment,
  acknowledged_at: moment.nullable(),
});

/** An alarm as somebody has seen it: one that has happened again since has another count. */
const seenAlarm = z.strictObject({ id, count: z.number().int().gte(1).lte(1_000_000_000) });

/** How many alarms one call acknowledges. */
const mostAtOnce = 1_000;

/** Calls about what needs a person now. */
export const alarmRoutes = {
  listAlarms: defineRoute({
    id: 'ADD-alarms',
    method: 'GET',
    path: '/alarms',
    summary: "What needs a person now: of the caller and the caller's bots; for admins of everybody and the server. Newest first.",
    access: { who: 'all' },
    reply: z.array(alarm),
    errors: {},
  }),
  listAlarmItems: defineRoute({
    id: 'ADD-alarm-items',
    method: 'GET',
    path: '/alarms/{id}/items',
    summary: 'Each time that an alarm of something that has happened stands for; newest first, at most 1,000.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.array(z.object({ what: z.string(), raised_at: moment })),
    errors: { 404: [alarmNotFound] },
  }),
  acknowledgeAlarms: defineRoute({
    id: 'ADD-acknowledge-alarms',
    method: 'POST',
    path: '/alarms/acknowledge',
    summary:
      'Acknowledges alarms as they were seen: what has happened again since stays, and is named. By ids alone: whatever has happened until now. Those of others, and those that have ended meanwhile, are left alone.',
    access: { who: 'all' },
    body: z
      .strictObject({ seen: z.array(seenAlarm).min(1).max(mostAtOnce).optional(), ids: z.array(id).min(1).max(mostAtOnce).optional() })
      .refine(({ seen, ids }) => (seen === undefined) !== (ids === undefined)), // one of the two
    reply: z.object({
      acknowledged: z.number().int(),
      happened_since: z.array(z.string()), // ids of the alarms that stay, because they have happened again since they were seen
    }),
    errors: {},
  }),
  acknowledgeAlarm: defineRoute({
    id: 'ADD-acknowledge-alarm',
    method: 'POST',
    path: '/alarms/{id}/acknowledge',
    summary: 'Acknowledges an alarm, whatever has happened until now: it is no longer shown on every page.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.object({ status: z.string() }),
    errors: { 404: [alarmNotFound] },
  }),
} as const;
