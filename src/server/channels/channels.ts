import { channelTexts, mostChannels } from '#contract/channels.ts';
import { texts } from '#contract/errors.ts';
import { hourMs } from '#engine/market/durations.ts';
import { testText } from '#mail/notice-texts.ts';
import { mails } from '#mail/texts.ts';
import { hintOf, targetOf } from '#outbound/channels/channel-target.ts';
import { newWebhookSecret } from '#outbound/channels/webhook-signature.ts';
import type { Channel, ChannelSettings, OwnChannel } from '#storage/channels/channels.ts';
import {
  addChannel,
  changeChannel,
  countChannels,
  dayBefore,
  findChannel,
  listChannels,
  lockChannel,
  noteTest,
  pauseChannel,
  removeChannel,
  resumeChannel,
} from '#storage/channels/channels.ts';
import { keyFact, lockFact } from '#storage/installation/facts.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { randomUUID } from 'node:crypto';
import { audit } from '../audit/audit.ts';
import { type Limit, spend } from '../auth/limits.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { refuseAfterReset } from '../auth/recent-reset.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { openTarget, targetRefusals, unreadableTarget } from './channel-target.ts';
import { minuteOfTime, timeOfMinute } from './quiet-hours.ts';

/** Each is a message to somewhere else, in the name of this server. */
const tests: Limit = { name: 'test-channel', most: 10, windowMs: hourMs };

/** Each looks up a host. */
const additions: Limit = { name: 'add-channel', most: 30, windowMs: hourMs };

/** The channels by which people are reached besides their mailbox: where they lead comes in here and never goes out again. */
export function channelHandlers(
  dependencies: ServerDependencies,
): Pick<
  Handlers,
  'listChannels' | 'countChannels' | 'channelBrowserKey' | 'addChannel' | 'changeChannel' | 'testChannel' | 'deleteChannel'
> {
  const { db, channelSecrets } = dependencies;

  return {
    listChannels: async ({ caller }) => (await listChannels(db, caller.id)).map(toReply),

    countChannels: async () => countChannels(db),

    channelBrowserKey: async () => ({ key: dependencies.pushKey }),

    async addChannel(call) {
      const { body, caller, now } = call;
      const made = targetOf(
        { kind: body.kind, address: body.address?.trim(), token: body.token?.trim(), chat: body.chat?.trim(), keys: body.keys },
        newWebhookSecret,
      );
      if (!made.ok) throw new HttpError(400, targetRefusals[made.reason]);
      await refuseAfterReset(db, caller.id, now, channelTexts.afterReset);
      await spend(db, additions, caller.id, now, texts.tooManyRequests);
      if (!(await dependencies.isReachable(made.target))) throw new HttpError(400, channelTexts.notPublic);
      const id = randomUUID();
      const { target } = made;
      const channel = {
        id,
        kind: target.kind,
        hint: hintOf(target),
        summedDay: dayBefore(now),
        sealed: channelSecrets.seal({ id, userId: caller.id }, JSON.stringify(target)),
        name: body.name.trim(),
        topics: body.topics,
        breaksQuiet: body.breaks_quiet ?? true,
        ...quietColumns(body.quiet ?? null),
      };
      await db.transaction().execute(async (trx) => {
        // A web process that was running while the key of the installation was changed would seal for nobody.
        if ((await lockFact(trx, keyFact)) !== dependencies.sealing.id) throw new Error('The key of this database is another one now');
        await lockCaller(trx, caller, [], 'changes'); // its host took a while to be looked up
        const added = await addChannel(trx, caller, channel, mostChannels);
        if (added === 'not-verified') throw new HttpError(403, texts.notVerified);
        if (added === 'changed') throw new HttpError(409, texts.changedMeanwhile);
        if (added === 'too-many') throw new HttpError(409, channelTexts.tooMany);
        await addMail(trx, mails.channelAdded(caller.email, channel.name, channel.kind));
        await audit(trx, call, caller, 'add-channel', 'ok', { target: id, detail: { kind: channel.kind, topics: channel.topics } });
      });
      return { id, secret: target.kind === 'webhook' ? target.secret : null };
    },

    async changeChannel(call) {
      const { body, caller, now, params } = call;
      await db.transaction().execute(async (trx) => {
        await lockCaller(trx, caller, [], 'changes'); // the session may have been ended meanwhile, because a thief had it
        const before = await ownChannel(trx, call);
        if (body.paused === false && !(caller.verified && caller.emailVerified)) throw new HttpError(403, texts.notVerified);
        const after = settingsAfter(before, body);
        const changes = Object.fromEntries(
          Object.entries(after).filter(([field, value]) => !isSame(value, before[field as keyof ChannelSettings])),
        );
        const isPaused = before.pausedAt !== null;
        const pauses = body.paused !== undefined && body.paused !== isPaused ? { paused: body.paused } : {};
        if (Object.keys({ ...changes, ...pauses }).length === 0) return;
        await changeChannel(trx, params.id, after, now);
        if (pauses.paused === true) await pauseChannel(trx, params.id, 'person', now);
        if (pauses.paused === false) await resumeChannel(trx, params.id, now);
        await audit(trx, call, caller, 'change-channel', 'ok', { target: params.id, detail: { ...changes, ...pauses } });
      });
      return { status: 'Channel changed' };
    },

    async testChannel(call) {
      const { caller, now, params } = call;
      await spend(db, tests, caller.id, now, texts.tooManyRequests);
      const channel = await findChannel(db, params.id, caller.id);
      if (channel === null) throw new HttpError(404, channelTexts.notFound);
      const target = openTarget(channelSecrets, channel);
      const line = { id: randomUUID(), topic: 'test', botId: null, at: now, isUrgent: false, text: testText(channel.name) };
      const outcome = target === null ? null : await dependencies.sendToChannel(target, { id: randomUUID(), lines: [line] });
      const error = outcome === null ? unreadableTarget : outcome.ok ? null : outcome.fault;
      await noteTest(db, params.id, error, now);
      await audit(db, call, caller, 'test-channel', error === null ? 'ok' : 'failed', { target: params.id });
      return { error };
    },

    async deleteChannel(call) {
      await db.transaction().execute(async (trx) => {
        await lockCaller(trx, call.caller, [], 'changes');
        const { kind, name } = await ownChannel(trx, call);
        await removeChannel(trx, call.params.id);
        await addMail(trx, mails.channelDeleted(call.caller.email, name, kind));
        await audit(trx, call, call.caller, 'delete-channel', 'ok', { target: call.params.id, detail: { kind } });
      });
      return { status: 'Channel deleted' };
    },
  };
}

/** The caller's channel, locked; one of somebody else is refused like none. */
async function ownChannel(
  trx: ServerDependencies['db'],
  { params, caller }: Call<'changeChannel'> | Call<'deleteChannel'>,
): Promise<Channel> {
  const channel = await lockChannel(trx, params.id, caller.id);
  if (channel === null) throw new HttpError(404, channelTexts.notFound);
  return channel;
}

function settingsAfter(before: Channel, body: Call<'changeChannel'>['body']): ChannelSettings {
  const { name, topics, quietFrom, quietUntil, quietZone, breaksQuiet } = before;
  return {
    name: body.name?.trim() ?? name,
    topics: body.topics ?? topics,
    breaksQuiet: body.breaks_quiet ?? breaksQuiet,
    ...(body.quiet === undefined ? { quietFrom, quietUntil, quietZone } : quietColumns(body.quiet)),
  };
}

function quietColumns(quiet: { from: string; until: string; zone: string } | null) {
  if (quiet === null) return { quietFrom: null, quietUntil: null, quietZone: 'UTC' };
  return { quietFrom: minuteOfTime(quiet.from), quietUntil: minuteOfTime(quiet.until), quietZone: quiet.zone };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function toReply(channel: OwnChannel) {
  const { quietFrom, quietUntil, quietZone: zone } = channel;
  const quiet = quietFrom === null || quietUntil === null ? null : { from: timeOfMinute(quietFrom), until: timeOfMinute(quietUntil), zone };
  return {
    id: channel.id,
    kind: channel.kind,
    name: channel.name,
    hint: channel.hint,
    topics: channel.topics,
    quiet,
    breaks_quiet: channel.breaksQuiet,
    created_at: channel.createdAt.toISOString(),
    paused: channel.pausedWhy,
    waiting: channel.waiting,
    sent_at: channel.sentAt?.toISOString() ?? null,
    failed_at: channel.failedAt?.toISOString() ?? null,
    error: channel.error,
    given_up: channel.givenUp,
    given_up_at: channel.givenUpAt?.toISOString() ?? null,
  };
}
