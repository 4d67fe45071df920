import { errorText } from '#engine/ports/error-text.ts';
import type { Database } from '#storage/database.ts';
import { noteMail, takeDueMails } from '#storage/mail-outbox.ts';
import type { Mailer } from './mailer.ts';

/** What sending waiting mails needs. */
interface Sending {
  now: () => Date;
  onError: (error: unknown) => void;
}

/** Sends the mails that are due; one that fails is tried again later, with growing pauses. */
export async function sendDueMails(db: Database, mailer: Mailer, { now, onError }: Sending): Promise<void> {
  for (const mail of await takeDueMails(db, now(), 20)) {
    try {
      await mailer.send(mail);
      await noteMail(db, mail.id, now(), null);
    } catch (error) {
      await noteMail(db, mail.id, now(), errorText(error));
      onError(error);
    }
  }
}

/** Sends the mails that wait in the database, again and again every few seconds, until stopped. */
export function sendWaitingMails(db: Database, mailer: Mailer, options: Sending & { everyMs: number }): { stop(): Promise<void> } {
  let stopped = false;
  let round: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    round = round.then(async () => (stopped ? undefined : sendDueMails(db, mailer, options))).catch(options.onError);
  }, options.everyMs);
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await round;
    },
  };
}
