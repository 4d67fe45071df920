import { channelTexts, channelTopics } from '#contract/channels.ts';
import type { CallInput } from '#contract/client.ts';
import type { Issue } from '../../ui/first-issue.ts';
import { browserObstacle } from './browser-subscription.ts';
import type { ChannelKind, ChannelTopic } from './channel-words.ts';
import type { OwnChannel } from './use-channels.ts';

/** What a person decides about a channel, as it is entered. */
export interface SettingsDraft {
  name: string;
  topics: readonly ChannelTopic[];
  isQuiet: boolean;
  from: string;
  until: string;
  zone: string;
  breaksQuiet: boolean;
}

/** Where a channel leads, as it is entered. */
export interface TargetDraft {
  kind: ChannelKind;
  address: string;
  token: string;
  chat: string;
}

/** The settings of a new channel: about everything, never quiet; quiet hours are at first those of a night here. */
export function newSettings(): SettingsDraft {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    name: '',
    topics: channelTopics,
    isQuiet: false,
    from: '22:00',
    until: '07:00',
    zone: timeZone,
    breaksQuiet: true,
  };
}

/** The settings of a channel as it is. */
export function settingsOf({ name, topics, quiet, breaks_quiet: breaksQuiet }: OwnChannel): SettingsDraft {
  const night = newSettings();
  return { ...night, name, topics, breaksQuiet, isQuiet: quiet !== null, ...quiet };
}

/** The first thing that is missing from settings. */
export function settingsIssue({ name, topics, isQuiet, from, until }: SettingsDraft): Issue | null {
  if (name.trim() === '') return { text: channelTexts.nameRequired, field: 'name' };
  if (topics.length === 0) return { text: channelTexts.topicRequired, field: 'topics' };
  if (isQuiet && (from === '' || until === '' || from === until)) return { text: channelTexts.quietHours, field: 'quiet' };
  return null;
}

/** The first thing that is missing from a new channel. What is there the server checks. */
export function targetIssue({ kind, address, token, chat }: TargetDraft): Issue | null {
  if (kind === 'browser') {
    const text = browserObstacle();
    return text === null ? null : { text, field: 'kind' };
  }
  if (kind === 'telegram' && token.trim() === '') return { text: 'Enter the token of your bot', field: 'token' };
  if (kind === 'telegram' && chat.trim() === '') return { text: 'Enter the id of the chat', field: 'chat' };
  if (kind !== 'telegram' && address.trim() === '') return { text: 'Enter the address', field: 'address' };
  return null;
}

/** What is sent of settings. */
export function settingsBody({ name, topics, isQuiet, from, until, zone, breaksQuiet }: SettingsDraft) {
  return { name: name.trim(), topics: [...topics], quiet: isQuiet ? { from, until, zone } : null, breaks_quiet: breaksQuiet };
}

/** What is sent of where a channel leads, other than to this browser: the fields that its service has. */
export function targetBody({
  kind,
  address,
  token,
  chat,
}: TargetDraft): Pick<CallInput<'addChannel'>['body'], 'kind' | 'address' | 'token' | 'chat'> {
  if (kind === 'telegram') return { kind, token: token.trim(), chat: chat.trim() };
  const isOpen = kind !== 'ntfy' || token.trim() === '';
  return { kind, address: address.trim(), ...(isOpen ? {} : { token: token.trim() }) };
}
