import { mailIsSent } from '#contract/mails.ts';
import { texts } from '#contract/errors.ts';
import { hourMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { mails } from '#mail/texts.ts';
import { countMails, listMails, retryMail } from '#storage/mails/mail-outbox.ts';
import { audit } from '../audit/audit.ts';
import { type Limit, spend } from '../auth/limits.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

const pageSize = 50;

/** Each test mail is a whole conversation with the mail server. */
const testMails: Limit = { name: 'test-mail', most: 5, windowMs: hourMs };

/** The mails that the server sends, for admins to see and to try again. */
export function mailHandlers({ db, mailer }: ServerDependencies): Pick<Handlers, 'listMails' | 'retryMail' | 'sendTestMail'> {
  return {
    async listMails({ query }) {
      const { state, before } = query;
      const wanted = { ...(state === undefined ? {} : { state }), ...(before === undefined ? {} : { before }) };
      const [counts, found] = await Promise.all([countMails(db), listMails(db, wanted, pageSize)]);
      return {
        goes_to: mailer.goesTo,
        counts,
        mails: found.map((mail) => ({
          id: mail.id,
          recipient: mail.recipient,
          subject: mail.subject,
          state: mail.state,
          created_at: mail.createdAt.toISOString(),
          sent_at: mail.sentAt?.toISOString() ?? null,
          next_try_at: mail.state === 'waiting' ? mail.dueAt.toISOString() : null,
          tries: mail.tries,
          last_error: mail.lastError,
        })),
        next: found.length === pageSize ? (found.at(-1)?.id ?? null) : null,
      };
    },

    async retryMail(call) {
      const { id } = call.params;
      await db.transaction().execute(async (trx) => {
        const mail = await retryMail(trx, id, call.now);
        if (mail === null) throw new HttpError(404, 'Mail not found');
        if (mail === 'sent') throw new HttpError(409, mailIsSent);
        await audit(trx, call, call.caller, 'retry-mail', 'ok', { target: id, detail: { recipient: mail.recipient } });
      });
      return { status: 'The mail is tried again within seconds' };
    },

    async sendTestMail(call) {
      const recipient = call.caller.email;
      await spend(db, testMails, call.caller.id, call.now, texts.tooManyRequests);
      const error = await mailer.send(mails.test(recipient)).then(() => null, errorText);
      await audit(db, call, call.caller, 'send-test-mail', error === null ? 'ok' : 'failed', error === null ? {} : { detail: { error } });
      return { recipient, error };
    },
  };
}
