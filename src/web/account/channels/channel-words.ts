import type { channelKinds, channelTopics } from '#contract/channels.ts';
import { formatMoment } from '../../ui/moment.ts';
import type { OwnChannel } from './use-channels.ts';

/** A service that a channel leads to. */
export type ChannelKind = (typeof channelKinds)[number];

/** What a channel can be about. */
export type ChannelTopic = (typeof channelTopics)[number];

/** The services by their names. */
export const kindNames: Readonly<Record<ChannelKind, string>> = {
  telegram: 'Telegram',
  discord: 'Discord',
  slack: 'Slack',
  ntfy: 'ntfy',
  webhook: 'Webhook',
  browser: 'Browser',
};

/** What a person chooses a channel to be about. */
export const topicNames: Readonly<Record<ChannelTopic, string>> = {
  'trade-opened': 'Trade opened',
  'trade-closed': 'Trade closed',
  'stop-missing': 'Stop missing',
  'runner-lost': 'Runner lost',
  'bot-paused': 'Bot paused',
  'day-sum': 'Sum of the day',
};

/** How to get what a service needs. */
export const kindHints: Readonly<Record<ChannelKind, string>> = {
  telegram:
    'Make a bot with @BotFather and write to it once, or add it to your group. The chat id is a number, or the @name of a public channel.',
  discord: 'In Discord: channel settings, Integrations, Webhooks, New Webhook, Copy Webhook URL.',
  slack: 'In Slack: an app with Incoming Webhooks, Add New Webhook to Workspace, Copy.',
  ntfy: 'The address of your topic. On ntfy.sh whoever knows the name of a topic can read it: choose one that nobody guesses, or use an access token.',
  webhook: 'An https address of yours. Each request is signed with a secret that you see once, after adding (Standard Webhooks).',
  browser: 'Notifications on this device, also while Flotilla is not open. The browser asks you to allow them.',
};

/** A channel by its name and the end of where it leads. */
export function channelName({ name, kind, hint }: OwnChannel): string {
  return `${name}, ${kindNames[kind]} ****${hint}`;
}

/** How a channel is doing, and how that is meant. */
export function stateText(channel: OwnChannel): { text: string; tone: 'good' | 'bad' | 'plain' } {
  const { paused, error, waiting, sent_at: sentAt } = channel;
  if (paused === 'person') return { text: 'Paused by you', tone: 'plain' };
  if (paused === 'role') return { text: 'Paused because your role was changed. Resume it if you still want it.', tone: 'bad' };
  if (paused === 'suspended') return { text: 'Paused because your account was suspended. Resume it if you still want it.', tone: 'bad' };
  if (paused === 'gone') return { text: `Paused: ${error ?? 'Nobody takes messages there any more.'}`, tone: 'bad' };
  if (error !== null)
    return {
      text: waiting === 0 ? error : `${error} ${messages(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for the next try.`,
      tone: 'bad',
    };
  const waits = waiting === 0 ? '' : `, ${messages(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`;
  return sentAt === null
    ? { text: `Nothing sent yet${waits}`, tone: 'plain' }
    : { text: `Last message ${formatMoment(sentAt)} UTC${waits}`, tone: 'good' };
}

/** What a channel is about, and when it is quiet. */
export function aboutText({ topics, quiet, breaks_quiet: breaks }: OwnChannel): string {
  const about = topics.map((topic) => topicNames[topic]).join(', ');
  if (quiet === null) return about;
  return `${about}. Quiet ${quiet.from} to ${quiet.until} ${quiet.zone}${breaks ? ', alarms break through' : ''}`;
}

/** What was given up; null when nothing was. */
export function givenUpText({ given_up: count, given_up_at: at }: OwnChannel): string | null {
  if (count === 0) return null;
  return `${messages(count)} could not be delivered for a day and ${count === 1 ? 'was' : 'were'} given up${at === null ? '' : `, last ${formatMoment(at)} UTC`}`;
}

function messages(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}
