import type { Delivery } from '#outbound/post-webhook.ts';
import type { Database } from '#storage/database.ts';
import { noteWebhookResult, removeMessage, takeDueMessages } from '#storage/webhook-messages.ts';
import type { StrategySecrets } from '#vault/strategy-secrets.ts';
import { chatMessage, deliveryFault } from '#server/chat-message.ts';

/** What sending messages to chats needs. */
export interface WebhookSending {
  db: Database;
  secrets: StrategySecrets;
  deliver: (address: string, message: Readonly<Record<string, unknown>>) => Promise<Delivery>;
  now: () => Date;
  onError: (error: unknown) => void;
}

const perRound = 20;

/**
 * Sends the messages that are due. One that is not delivered is tried again for a day, with growing pauses; the others of its
 * strategy wait for the next round, so that a chat that is away is asked once, and trading never waits for any of it.
 */
export async function sendDueWebhooks({ db, secrets, deliver, now }: WebhookSending): Promise<void> {
  const failing = new Set<string>();
  for (const { id, strategyId, text, webhook } of await takeDueMessages(db, now(), perRound)) {
    if (failing.has(strategyId)) continue;
    if (webhook === null) {
      await removeMessage(db, id); // the address has been taken away
      continue;
    }
    const delivery = await deliver(secrets.open(strategyId, 'webhook', webhook), chatMessage(text));
    if (delivery.ok) await removeMessage(db, id);
    else failing.add(strategyId);
    await noteWebhookResult(db, strategyId, { at: now().toISOString(), error: deliveryFault(delivery) });
  }
}

/** Sends messages again and again every few seconds, until stopped. */
export function keepSendingWebhooks(sending: WebhookSending, everyMs: number): { stop(): Promise<void> } {
  let stopped = false;
  let round: Promise<void> = Promise.resolve();
  let waits = false; // a slow chat must not pile up rounds
  const timer = setInterval(() => {
    if (waits) return;
    waits = true;
    round = (stopped ? Promise.resolve() : sendDueWebhooks(sending)).catch(sending.onError).finally(() => (waits = false));
  }, everyMs);
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await round;
    },
  };
}
