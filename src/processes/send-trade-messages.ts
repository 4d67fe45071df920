import type { Database } from '#storage/database.ts';
import type { DueMessage, MessageKind } from '#storage/trades/trade-messages.ts';
import {
  noteMessageResult,
  postponeMessage,
  removeMessage,
  removeMessages,
  removeOldMessages,
  takeDueMessage,
} from '#storage/trades/trade-messages.ts';
import type { Sealed } from '#storage/schema.ts';

/** What became of a message: null when it was delivered. */
export type SendFault = { text: string; waitMs: number } | null; // waitMs: for how long the other side asks to be left alone

/** Sends the messages of one kind. */
export interface MessageSender {
  kind: MessageKind;
  send: ((message: DueMessage, target: Sealed) => Promise<SendFault>) | null; // null: this server cannot, and none are kept for it
}

/** What sending needs. */
export interface MessageSending {
  db: Database;
  sender: MessageSender;
  now: () => Date;
  onFault: (fault: { kind: MessageKind; strategyId: string; tries: number; fault: string }) => void; // one was not delivered
}

const perRound = 20;

/**
 * Sends the messages that are due. One that is not delivered is tried again for a day, with growing pauses; the others of its
 * strategy wait with it, and trading never waits for any of it.
 */
export async function sendDueMessages({ db, sender: { kind, send }, now, onFault }: MessageSending): Promise<void> {
  if (send === null) return removeMessages(db, kind);
  await removeOldMessages(db, kind, now());
  for (let sent = 0; sent < perRound; sent++) {
    const message = await takeDueMessage(db, kind, now());
    if (message === null) return;
    const { id, strategyId, target } = message;
    if (target === null) {
      await removeMessage(db, id); // the webhook or the key was removed
      continue;
    }
    const fault = await send(message, target);
    if (fault === null) await removeMessage(db, id);
    else {
      await postponeMessage(db, kind, message, now(), fault.waitMs);
      onFault({ kind, strategyId, tries: message.tries + 1, fault: fault.text });
    }
    await noteMessageResult(db, strategyId, kind, { at: now().toISOString(), error: fault?.text ?? null });
  }
}
