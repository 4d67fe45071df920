import { mails } from '#mail/texts.ts';
import type { ChannelDelivery } from '#outbound/channels/channel-request.ts';
import type { ChannelTarget } from '#outbound/channels/channel-target.ts';
import type { ChannelOutcome } from '#outbound/channels/send-to-channel.ts';
import { openTarget, unreadableTarget } from '#server/channels/channel-target.ts';
import { quietUntil } from '#server/channels/quiet-hours.ts';
import { writeAudit } from '#storage/audit/audit-log.ts';
import type { TakenBatch } from '#storage/channels/channel-outbox.ts';
import { giveUpOld, noteFailed, noteGone, noteSent, removeEnded, takeBatch } from '#storage/channels/channel-outbox.ts';
import type { Database } from '#storage/database.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import type { ChannelSecrets } from '#vault/channel-secrets.ts';

/** What sending to channels needs. */
export interface ChannelSending {
  db: Database;
  secrets: ChannelSecrets;
  send: (target: ChannelTarget, delivery: ChannelDelivery) => Promise<ChannelOutcome>;
  now: () => Date;
  onFault: (fault: { channelId: string; kind: string; fault: string }) => void; // a batch was not delivered
}

/** How many channels are sent to at the same time: one that does not answer for seconds must not delay the others. */
const side = 8;

/** How many batches one of these sends in a round. */
const perRound = 50;

/**
 * Sends what channels are due to get, a batch for each. One that fails is tried again for a day with growing pauses. Trading never waits for any
 * of it. What a killed process was sending is sent again under the same id: whether it had arrived nobody knows.
 */
export async function sendChannelMessages(sending: ChannelSending): Promise<void> {
  await giveUpOld(sending.db, sending.now());
  await Promise.all(Array.from({ length: side }, () => sendSome(sending)));
}

async function sendSome(sending: ChannelSending): Promise<void> {
  for (let taken = 0; taken < perRound; taken++) {
    const batch = await takeBatch(sending.db, sending.now(), quietUntil);
    if (batch === 'nothing') return;
    if (batch !== 'postponed') await sendBatch(sending, batch);
  }
}

async function sendBatch({ db, secrets, send, now, onFault }: ChannelSending, batch: TakenBatch): Promise<void> {
  const { channel, messages } = batch;
  const target = openTarget(secrets, channel);
  const lines = messages.map(({ createdAt, ...message }) => ({ ...message, at: createdAt }));
  const outcome =
    target === null
      ? { ok: false as const, isGone: true, waitMs: 0, fault: unreadableTarget }
      : await send(target, { id: batch.id, lines });
  if (outcome.ok) return noteSent(db, batch, now());
  onFault({ channelId: channel.id, kind: channel.kind, fault: outcome.fault });
  if (outcome.isGone && target?.kind === 'browser') return endBrowser(db, batch);
  if (outcome.isGone) return pauseGone(db, batch, outcome.fault, now());
  return noteFailed(db, batch, { text: outcome.fault, waitMs: outcome.waitMs }, now());
}

/** Pauses a channel that leads nowhere any more; its owner, who would wait for messages there, reads of it by mail. */
async function pauseGone(db: Database, batch: TakenBatch, fault: string, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const owner = await noteGone(trx, batch, fault, now);
    if (owner !== null) await addMail(trx, mails.channelGone(owner, batch.channel.name, fault));
  });
}

/** Removes a channel whose browser has ended its subscription; its owner reads of it by mail. */
async function endBrowser(db: Database, batch: TakenBatch): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const owner = await removeEnded(trx, batch);
    if (owner === null) return;
    const { id, name } = batch.channel;
    await addMail(trx, mails.browserEnded(owner, name));
    await writeAudit(trx, { actorId: null, actorRole: null, action: 'end-channel', result: 'ok', target: id });
  });
}
