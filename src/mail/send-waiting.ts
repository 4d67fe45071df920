import { errorText } from '#engine/ports/error-text.ts';
import type { Database } from '#storage/database.ts';
import { noteMail, takeDueMails } from '#storage/mail-outbox.ts';
import type { Mailer } from './mailer.ts';

/**
 * Sends the mails that wait in the database, once now and then again every few seconds, until stopped. A mail that
 * fails is tried again later, with growing pauses.
 */
export function sendWaitingMails(
  db: Database,
  mailer: Mailer,
  options: { everyMs: number; now: () => Date; onError: (error: unknown) => void },
): { stop(): Promise<void> } {
  let stopped = false;
  let round: Promise<void> = Promise.resolve();
  const send = async (): Promise<void> => {
    for (const mail of await takeDueMails(db, options.now(), 20)) {
      try {
        await mailer.send(mail);
        await noteMail(db, mail.id, options.now(), null);
      } catch (error) {
        await noteMail(db, mail.id, options.now(), errorText(error));
        options.onError(error);
      }
    }
  };
  const timer = setInterval(() => {
    round = round.then(async () => (stopped ? undefined : send())).catch(options.onError);
  }, options.everyMs);
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await round;
    },
  };
}
