import { channelTexts } from '#contract/channels.ts';
import type { ChannelTarget, TargetRefusal } from '#outbound/channels/channel-target.ts';
import type { Channel } from '#storage/channels/channels.ts';
import type { ChannelSecrets } from '#vault/channel-secrets.ts';

/** What is said of a target that was refused. */
export const targetRefusals: Readonly<Record<TargetRefusal, string>> = {
  'telegram-token': channelTexts.telegramToken,
  'telegram-chat': channelTexts.telegramChat,
  'discord-address': channelTexts.discordAddress,
  'slack-address': channelTexts.slackAddress,
  'ntfy-address': channelTexts.ntfyAddress,
  'ntfy-token': channelTexts.ntfyToken,
  'webhook-address': channelTexts.webhookAddress,
  'browser-address': channelTexts.browserSubscription,
  'browser-keys': channelTexts.browserSubscription,
  'not-public': channelTexts.notPublic,
};

/** What is said of a channel whose target nobody can open. */
export const unreadableTarget = 'Where it leads was sealed with a key that is lost. Delete the channel and add it again.';

/** Where a channel leads; null when it was sealed with a key that is lost. */
export function openTarget(secrets: ChannelSecrets, channel: Pick<Channel, 'id' | 'userId' | 'sealed'>): ChannelTarget | null {
  try {
    return JSON.parse(secrets.open(channel, channel.sealed)) as ChannelTarget; // as `addChannel` has sealed it
  } catch {
    return null;
  }
}
