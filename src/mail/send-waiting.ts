import { errorText } from '#engine/ports/error-text.ts';
import type { Database } from '#storage/database.ts';
import type { WaitingMail } from '#storage/mails/mail-outbox.ts';
import { noteMail, takeDueMail } from '#storage/mails/mail-outbox.ts';
import type { Mail, Mailer } from './mailer.ts';

/** What sending waiting mails needs. */
interface Sending {
  now: () => Date;
  onError: (error: unknown) => void;
}

/** So many are tried in a row; then whoever calls does what else there is to do. */
const mostAtOnce = 20;

/** Sends the mails that are due; one that fails is tried again later, with growing pauses. */
export async function sendDueMails(db: Database, mailer: Mailer, { now, onError }: Sending): Promise<void> {
  for (let tried = 0; tried < mostAtOnce; tried++) {
    const mail = await takeDueMail(db, now());
    if (mail === null) return;
    try {
      await mailer.send({ recipient: mail.recipient, subject: mail.subject, body: mail.body, ...fileOf(mail) });
      await noteMail(db, mail.id, now(), null);
    } catch (error) {
      await noteMail(db, mail.id, now(), errorText(error));
      onError(error);
    }
  }
}

function fileOf({ attachment, attachmentName: name }: WaitingMail): Pick<Mail, 'attachment'> {
  return attachment === null || name === null ? {} : { attachment: { name, content: attachment } };
}
