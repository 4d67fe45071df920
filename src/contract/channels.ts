import { z } from 'zod';
import { joinTexts, needsAdmin, texts } from './errors.ts';
import { id, isOneLine, moment, oneOf, requiredText, shortText } from './fields.ts';
import { defineRoute } from './route.ts';

/** The services that a channel can lead to. */
export const channelKinds = ['telegram', 'discord', 'slack', 'ntfy', 'webhook', 'browser'] as const;

/** What a channel can be about. */
export const channelTopics = ['trade-opened', 'trade-closed', 'stop-missing', 'runner-lost', 'bot-paused', 'day-sum'] as const;

/** How many channels a person can have. */
export const mostChannels = 10;

/** Refusals of what was entered for a channel. */
export const channelTexts = {
  nameRequired: 'Name is required',
  topicRequired: 'Choose at least one thing that the channel is about.',
  telegramToken: 'This is not a bot token of Telegram. It looks like 123456789:AAE... and comes from @BotFather.',
  telegramChat: 'The chat must be a number such as -1001234567890, or a public name such as @my_channel.',
  discordAddress: 'This is not a webhook of Discord. It begins with https://discord.com/api/webhooks/.',
  slackAddress: 'This is not an incoming webhook of Slack. It begins with https://hooks.slack.com/services/.',
  ntfyAddress: 'The address of a topic is https, the server and the topic, such as https://ntfy.sh/my-topic.',
  ntfyToken: 'An access token of ntfy has no blanks and only plain letters, digits and signs.',
  webhookAddress: 'The address must be https, without a port, a user or a #.',
  browserSubscription: 'This is not a subscription of a browser.',
  notPublic: 'The host has no public address.',
  quietHours: 'Quiet hours need a beginning and another end, such as 22:00 and 07:00.',
  timeZone: 'This time zone is not known.',
  tooMany: `You can have at most ${mostChannels} channels. Delete one first.`,
  afterReset: 'For 24 hours after a password reset no channel can be added.',
  notFound: 'Channel not found',
} as const;

/** A time of day, HH:MM. */
export const timeOfDay = z
  .string({ error: texts.invalidRequest })
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, { error: channelTexts.quietHours });

const quiet = z
  .strictObject({ from: timeOfDay, until: timeOfDay, zone: shortText(64).refine(isTimeZone, channelTexts.timeZone) })
  .refine(({ from, until }) => from !== until, channelTexts.quietHours);

const name = requiredText(channelTexts.nameRequired, 60).refine(isOneLine, texts.invalidRequest);
const topics = z
  .array(oneOf(channelTopics, texts.invalidRequest))
  .min(1, channelTexts.topicRequired)
  .max(channelTopics.length, texts.invalidRequest)
  .refine((chosen) => new Set(chosen).size === chosen.length, texts.invalidRequest);

/** A channel of the caller's as it may be shown: never where it leads, but the end of it. */
export const ownChannel = z.object({
  id: z.string(),
  kind: z.enum(channelKinds),
  name: z.string(),
  hint: z.string(), // the last 4 characters of its token or address
  topics: z.array(z.enum(channelTopics)),
  quiet: z.object({ from: z.string(), until: z.string(), zone: z.string() }).nullable(),
  breaks_quiet: z.boolean(),
  created_at: moment,
  paused: z.enum(['person', 'gone', 'role', 'suspended']).nullable(), // why; null: it sends
  waiting: z.number().int(), // messages
  sent_at: moment.nullable(),
  failed_at: moment.nullable(),
  error: z.string().nullable(), // of the newest message, when that failed
  given_up: z.number().int(), // messages, since the channel was added
  given_up_at: moment.nullable(),
});

const own = { 404: [channelTexts.notFound] } as const;
const settingsTexts = [channelTexts.nameRequired, channelTexts.topicRequired, channelTexts.quietHours, channelTexts.timeZone];
const count = z.number().int();

/** Calls about the channels by which people are reached besides their mailbox. */
export const channelRoutes = {
  listChannels: defineRoute({
    id: 'ADD-channels',
    method: 'GET',
    path: '/channels',
    summary: "The caller's channels, the oldest first.",
    access: { who: 'all' },
    reply: z.array(ownChannel),
    errors: {},
  }),
  countChannels: defineRoute({
    id: 'ADD-channel-counts',
    method: 'GET',
    path: '/channels/counts',
    summary: 'How many channels there are on the server and how they are, for admins. Nothing of any of them.',
    access: { who: ['admin'], denied: texts.adminRequired },
    reply: z.object({ people: count, channels: count, paused: count, failing: count, waiting: count }),
    errors: needsAdmin,
  }),
  channelBrowserKey: defineRoute({
    id: 'ADD-channel-browser-key',
    method: 'GET',
    path: '/channels/browser-key',
    summary: 'The public key with which a browser subscribes to messages of this server (Web Push).',
    access: { who: 'all' },
    reply: z.object({ key: z.string() }), // base64url
    errors: {},
  }),
  addChannel: defineRoute({
    id: 'ADD-channel',
    method: 'POST',
    path: '/channels',
    summary: 'Adds a channel of the caller. The secret of a webhook is answered once.',
    access: { who: 'all', stepUp: true },
    body: z.strictObject({
      kind: oneOf(channelKinds, texts.invalidRequest),
      name,
      address: shortText(2_000).optional(), // of Discord, Slack, ntfy and webhooks
      token: shortText(200).optional(), // of Telegram and, where a topic needs one, ntfy
      chat: shortText(40).optional(), // of Telegram
      keys: z.strictObject({ p256dh: shortText(100), auth: shortText(40) }).optional(), // of a browser, whose address is that of its push service
      topics,
      quiet: quiet.nullable().optional(),
      breaks_quiet: z.boolean({ error: texts.invalidRequest }).optional(), // true when it is left out
    }),
    status: 201,
    reply: z.object({ id: z.string(), secret: z.string().nullable() }),
    errors: {
      400: [
        ...settingsTexts,
        channelTexts.telegramToken,
        channelTexts.telegramChat,
        channelTexts.discordAddress,
        channelTexts.slackAddress,
        channelTexts.ntfyAddress,
        channelTexts.ntfyToken,
        channelTexts.webhookAddress,
        channelTexts.browserSubscription,
        channelTexts.notPublic,
      ],
      403: [channelTexts.afterReset, texts.notVerified],
      409: [channelTexts.tooMany, texts.changedMeanwhile],
    },
  }),
  changeChannel: defineRoute({
    id: 'ADD-change-channel',
    method: 'PATCH',
    path: '/channels/{id}',
    summary: 'Changes what a channel of the caller is about and when, or pauses or resumes it. Where it leads cannot be changed.',
    access: { who: 'all' },
    params: z.object({ id }),
    body: z.strictObject({
      name: name.optional(),
      topics: topics.optional(),
      quiet: quiet.nullable().optional(), // null: none
      breaks_quiet: z.boolean({ error: texts.invalidRequest }).optional(),
      paused: z.boolean({ error: texts.invalidRequest }).optional(),
    }),
    reply: z.object({ status: z.string() }),
    errors: joinTexts(own, { 400: settingsTexts, 403: [texts.notVerified] }),
  }),
  testChannel: defineRoute({
    id: 'ADD-test-channel',
    method: 'POST',
    path: '/channels/{id}/test',
    summary: 'Sends a test message to a channel of the caller at once and says whether it was taken, ten times an hour.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.object({ error: z.string().nullable() }), // null: it was taken
    errors: own,
  }),
  deleteChannel: defineRoute({
    id: 'ADD-delete-channel',
    method: 'POST',
    path: '/channels/{id}/delete',
    summary: 'Deletes a channel of the caller, with what waits for it.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.object({ status: z.string() }),
    errors: own,
  }),
} as const;

/** Whether the name of a time zone is known, such as Europe/Zurich. */
export function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
