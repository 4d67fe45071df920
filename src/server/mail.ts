import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';

/** A plain-text mail. */
export interface Mail {
  recipient: string;
  subject: string;
  body: string;
}

/** Sends mails. `send` fails when the mail could not be handed on. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  /** Whether mails can be sent now. */
  works(): Promise<boolean>;
  close(): void;
}

const sender = 'Flotilla <flotilla@localhost>';

/** Sends over an SMTP server. `url` as smtp://user:password@host:port; a `from` parameter sets the sender. */
export function smtpMailer(url: string): Mailer {
  const from = new URL(url).searchParams.get('from') ?? sender;
  const transport = createTransport(url, { from, connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 } as never);
  return {
    async send({ recipient, subject, body }) {
      // An address object is never parsed, so an address cannot smuggle in a second recipient.
      await transport.sendMail({ from, to: { name: '', address: recipient }, subject, text: body });
    },
    async works() {
      try {
        return await transport.verify();
      } catch {
        return false; // shown as the state of the platform
      }
    },
    close: () => transport.close(),
  };
}

/** Without an SMTP server mails are written to files, codes included, and reported to `say`. */
export function fileMailer(folder: string, say: (mail: Mail, file: string) => void, now: () => Date): Mailer {
  let number = 0;
  return {
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const time = now().toISOString().replaceAll(/[:.]/gu, '-');
      number += 1;
      const file = join(folder, `${time}-${process.pid}-${number}.txt`);
      await writeFile(file, `To: ${mail.recipient}\nSubject: ${mail.subject}\n\n${mail.body}\n`, { mode: 0o600 });
      say(mail, file);
    },
    works: async () => true,
    close: () => {},
  };
}

/** The mails the server writes. A code stands alone on one line. */
export const mails = {
  verification: (recipient: string, code: string): Mail =>
    codeMail(recipient, 'Your verification code', 'confirm your email address', code, 30),
  reset: (recipient: string, code: string): Mail => codeMail(recipient, 'Your password reset code', 'set a new password', code, 15),
  twoFactor: (recipient: string, code: string): Mail =>
    codeMail(recipient, 'Your 2FA code', 'finish signing in or setting up 2FA', code, 10),
  passwordChanged: (recipient: string): Mail => ({
    recipient,
    subject: 'Your password was changed',
    body: 'The password of your Flotilla account was changed. All other sessions have ended.\nIf this was not you, use "Forgot password?" on the sign-in page now.',
  }),
  sessionEnded: (recipient: string): Mail => ({
    recipient,
    subject: 'A session was ended',
    body: 'One of your Flotilla sessions was used from two places at once, so we ended it.\nIf you did not expect this, change your password.',
  }),
} as const;

function codeMail(recipient: string, subject: string, purpose: string, code: string, minutes: number): Mail {
  return {
    recipient,
    subject,
    body: `Use this code to ${purpose}:\n\n${code}\n\nIt expires in ${minutes} minutes and works once. If you did not ask for it, ignore this email.`,
  };
}
